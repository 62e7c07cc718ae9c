// @ts-check
// The two ends of a lane, over its ring's bytes. The twin of `guest-abi/src/{producer,consumer}.rs`, whose module comments hold the protocol and the
// proof; `guest-abi/src/layout.rs` holds the numbers. All accesses to `tail`, `head` and `signaled` are Atomics, which are sequentially consistent, so
// every ordering there is met here.
//
// Posting a primitive calls the host only when the receiver has to be woken, and reading one never does.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { sharedByteLength } from '../shared_buffer.js';

const {
  Array,
  AtomicsExchange,
  AtomicsLoad,
  AtomicsStore,
  BigUint64Array,
  Float64Array,
  Int32Array,
  StringFromCharCodeApply,
  StringPrototypeCharCodeAt,
  Uint16Array,
  Uint8Array,
} = primordials;

const HEADER_BYTES = 256;
const SLOT_BYTES = 64;
const PAYLOAD_BYTES = 56;
/** Header words, as Int32Array indices. */
const TAIL = 0;
const SENT = 1;
const SENT_HIGH = 2;
const LAPS = 3;
const HEAD = 16;
const RECEIVED = 17;
const RECEIVED_HIGH = 18;
const SIGNALED = 32;
const WATCHED = 33;

const UNDEFINED = 1;
const NULL = 2;
const FALSE = 3;
const TRUE = 4;
const INT32 = 5;
const FLOAT64 = 6;
const BIGINT = 7;
const LATIN1 = 8;
const UTF16 = 9;
const PARCEL = 10;
const LINK = 11;
const CLOSE = 12;

const MAX_INLINE_UNITS = 128;
/** Slots of the longest string: two-byte units. */
const MAX_TEXT_SLOTS = 5;
/**
 * Shorter strings are copied by the loops here, longer ones by the host, with V8's own writers: a call costs as much as so many units (measured with
 * `make bench-peers CELLS=messages`, strings of 4 to 64).
 */
const LEAST_BULK_WRITE = 24;
const LEAST_BULK_READ = 12;
const MAX_MAGNITUDE = 2n ** 64n - 1n;

/** What `LaneReader.pop` answers when there is no value. */
export const EMPTY = Symbol('empty');
export const IS_PARCEL = Symbol('parcel');
export const IS_CLOSE = Symbol('close');

/** Views of one segment. */
class Segment {
  // Declared, so that they are own properties from the start: an assignment to one that is not would call a setter that a script put on Object.prototype.
  capacity;
  mask;
  i32;
  f64;
  u64;
  u16;
  u8;

  /** @param {SharedArrayBuffer} buffer */
  constructor(buffer) {
    this.capacity = (sharedByteLength(buffer) - HEADER_BYTES) / SLOT_BYTES;
    this.mask = this.capacity - 1;
    this.i32 = new Int32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.u64 = new BigUint64Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.u8 = new Uint8Array(buffer);
  }
}

/**
 * Slots of a string of so many bytes: the first slot's payload, and whole slots for the rest.
 * @param {number} bytes
 */
function slotsOf(bytes) {
  return bytes <= PAYLOAD_BYTES ? 1 : 1 + ((bytes - PAYLOAD_BYTES + SLOT_BYTES - 1) >> 6);
}

export class LaneWriter {
  #key;
  #segment;
  #tail;
  #head;
  /** Messages ever sent in this segment, mod 2^32; for the host's metrics. */
  #sent;
  /** What is sent was let through already: the receiver's quota is not asked. */
  forced = false;

  /** @param {number} key The port's. */
  constructor(key) {
    this.#key = key;
    this.#segment = new Segment(ops.laneBuffer(key, true));
    this.#tail = AtomicsLoad(this.#segment.i32, TAIL);
    this.#head = AtomicsLoad(this.#segment.i32, HEAD);
    this.#sent = this.#segment.i32[SENT];
  }

  /**
   * Makes room for so many slots and one for a link. False: nobody will ever read what is sent. Throws if the receiver's quota is used up.
   * @param {number} slots
   */
  #reserve(slots) {
    const { capacity, i32 } = this.#segment;
    if (((this.#tail - this.#head) | 0) + slots < capacity) return true;
    this.#head = AtomicsLoad(i32, HEAD);
    if (((this.#tail - this.#head) | 0) + slots < capacity) return true;
    const next = ops.laneGrow(this.#key, this.forced);
    if (next === undefined) return false;
    this.#segment = new Segment(next);
    this.#tail = AtomicsLoad(this.#segment.i32, TAIL);
    this.#head = AtomicsLoad(this.#segment.i32, HEAD);
    this.#sent = this.#segment.i32[SENT];
    return true;
  }

  /** Int32Array index of a slot. @param {number} index */
  #slot(index) {
    return (HEADER_BYTES >> 2) + (index & this.#segment.mask) * (SLOT_BYTES >> 2);
  }

  /** @param {number} slots */
  #publish(slots) {
    const { i32 } = this.#segment;
    const before = this.#tail;
    this.#tail = (before + slots) | 0;
    i32[SENT] = this.#sent = (this.#sent + 1) | 0;
    if (this.#sent === 0) i32[SENT_HIGH]++;
    if (before < 0 && this.#tail >= 0) i32[LAPS]++;
    // SYNC: slot-ready, wake: the store comes before the look at `signaled`.
    AtomicsStore(i32, TAIL, this.#tail);
    if (AtomicsLoad(i32, SIGNALED) === 0 && AtomicsExchange(i32, SIGNALED, 1) === 0) ops.laneSignal(this.#key);
  }

  /**
   * Sends a value that fits slots. False: it does not, and wants a parcel.
   * @param {any} value
   */
  push(value) {
    switch (typeof value) {
      case 'number':
        if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
          if (!this.#reserve(1)) return true;
          const word = this.#slot(this.#tail);
          this.#segment.i32[word] = INT32;
          this.#segment.i32[word + 2] = value;
        } else {
          if (!this.#reserve(1)) return true;
          const word = this.#slot(this.#tail);
          this.#segment.i32[word] = FLOAT64;
          this.#segment.f64[(word + 2) >> 1] = value;
        }
        this.#publish(1);
        return true;
      case 'string':
        return value.length <= MAX_INLINE_UNITS && this.#pushString(value);
      case 'boolean':
        return this.#pushTag(value ? TRUE : FALSE);
      case 'undefined':
        return this.#pushTag(UNDEFINED);
      case 'bigint': {
        const magnitude = value < 0n ? -value : value;
        if (magnitude > MAX_MAGNITUDE) return false;
        if (!this.#reserve(1)) return true;
        const word = this.#slot(this.#tail);
        this.#segment.i32[word] = BIGINT;
        this.#segment.i32[word + 1] = value < 0n ? 1 : 0;
        this.#segment.u64[(word + 2) >> 1] = magnitude;
        this.#publish(1);
        return true;
      }
      default:
        return value === null && this.#pushTag(NULL);
    }
  }

  /** @param {number} tag */
  #pushTag(tag) {
    if (this.#reserve(1)) {
      this.#segment.i32[this.#slot(this.#tail)] = tag;
      this.#publish(1);
    }
    return true;
  }

  /** @param {string} value */
  #pushString(value) {
    const { length } = value;
    if (length >= LEAST_BULK_WRITE) {
      if (!this.#reserve(MAX_TEXT_SLOTS)) return true;
      const { mask, i32, u8 } = this.#segment;
      // In one piece, unless the ring begins again within it.
      if ((this.#tail & mask) + MAX_TEXT_SLOTS <= mask + 1) {
        const word = this.#slot(this.#tail);
        const oneByte = ops.laneWriteText(u8, (word << 2) + 8, value);
        i32[word] = oneByte ? LATIN1 : UTF16;
        i32[word + 1] = length;
        this.#publish(slotsOf(oneByte ? length : length << 1));
        return true;
      }
    }
    let latin1 = true;
    for (let i = 0; i < length; i++) {
      if (StringPrototypeCharCodeAt(value, i) > 0xff) {
        latin1 = false;
        break;
      }
    }
    const shift = latin1 ? 0 : 1;
    const slots = slotsOf(length << shift);
    if (!this.#reserve(slots)) return true;
    const word = this.#slot(this.#tail);
    const { i32, mask } = this.#segment;
    const view = latin1 ? this.#segment.u8 : this.#segment.u16;
    i32[word] = latin1 ? LATIN1 : UTF16;
    i32[word + 1] = length;
    let unit = 0;
    // The first slot's payload, then whole slots, which may begin again at the ring's start.
    let at = ((word << 2) + 8) >> shift;
    let room = PAYLOAD_BYTES >> shift;
    let index = this.#tail;
    for (;;) {
      const end = unit + room < length ? unit + room : length;
      while (unit < end) view[at++] = StringPrototypeCharCodeAt(value, unit++);
      if (unit === length) break;
      index = (index + 1) | 0;
      at = (HEADER_BYTES + (index & mask) * SLOT_BYTES) >> shift;
      room = SLOT_BYTES >> shift;
    }
    this.#publish(slots);
    return true;
  }

  /**
   * Sends a parcel, which becomes the host's at once.
   * @param {number} parcel
   */
  pushParcel(parcel) {
    const number = ops.lanePushParcel(this.#key, parcel);
    if (number === undefined) return;
    this.forced = true;
    const open = this.#reserve(1);
    this.forced = false;
    if (!open) return;
    const word = this.#slot(this.#tail);
    this.#segment.i32[word] = PARCEL;
    this.#segment.i32[word + 2] = number;
    this.#publish(1);
  }
}

export class LaneReader {
  #key;
  #segment;
  #head;
  #tail;
  /** Messages ever taken from this segment, mod 2^32; for the host's metrics. */
  #received;
  /** Number of the parcel that the last `pop` found. */
  parcel = 0;

  /** @param {number} key The port's. */
  constructor(key) {
    this.#key = key;
    this.#segment = new Segment(ops.laneBuffer(key, false));
    this.#head = this.#tail = AtomicsLoad(this.#segment.i32, HEAD);
    this.#received = this.#segment.i32[RECEIVED];
  }

  /**
   * Whether the sender waits for few to be left. To be asked now and then while messages are taken, and when no more are.
   */
  get isWatched() {
    // SYNC: low-water: after the store of `head`.
    return AtomicsLoad(this.#segment.i32, WATCHED) === 1;
  }

  /** From here on the next message signals. Must come before the drain that it announces. */
  clearSignal() {
    AtomicsStore(this.#segment.i32, SIGNALED, 0);
  }

  /** Whether `pop` would answer anything but EMPTY. */
  hasNext() {
    if (this.#head !== this.#tail) return true;
    this.#tail = AtomicsLoad(this.#segment.i32, TAIL);
    return this.#head !== this.#tail;
  }

  /**
   * Takes the next value; or EMPTY, or IS_PARCEL (then see `parcel`), or IS_CLOSE.
   * @returns {any}
   */
  pop() {
    for (;;) {
      const { i32 } = this.#segment;
      if (this.#head === this.#tail) {
        this.#tail = AtomicsLoad(i32, TAIL);
        if (this.#head === this.#tail) return EMPTY;
      }
      const word = (HEADER_BYTES >> 2) + (this.#head & this.#segment.mask) * (SLOT_BYTES >> 2);
      let value;
      let slots = 1;
      switch (i32[word]) {
        case UNDEFINED:
          value = undefined;
          break;
        case NULL:
          value = null;
          break;
        case FALSE:
          value = false;
          break;
        case TRUE:
          value = true;
          break;
        case INT32:
          value = i32[word + 2];
          break;
        case FLOAT64:
          value = this.#segment.f64[(word + 2) >> 1];
          break;
        case BIGINT:
          value = this.#segment.u64[(word + 2) >> 1];
          if (i32[word + 1] === 1) value = -value;
          break;
        case LATIN1:
          value = this.#text(word, 0);
          slots = slotsOf(value.length);
          break;
        case UTF16:
          value = this.#text(word, 1);
          slots = slotsOf(value.length << 1);
          break;
        case PARCEL:
          this.parcel = i32[word + 2] >>> 0;
          value = IS_PARCEL;
          break;
        case LINK: {
          const next = ops.laneFollow(this.#key);
          if (next === undefined) return IS_CLOSE;
          this.#segment = new Segment(next);
          this.#head = this.#tail = AtomicsLoad(this.#segment.i32, HEAD);
          this.#received = this.#segment.i32[RECEIVED];
          this.clearSignal();
          continue;
        }
        case CLOSE:
          value = IS_CLOSE;
          break;
        default:
          // Only the glue and the host write to a port's lane; treat what neither wrote as its end.
          return IS_CLOSE;
      }
      this.#head = (this.#head + slots) | 0;
      i32[RECEIVED] = this.#received = (this.#received + 1) | 0;
      if (this.#received === 0) i32[RECEIVED_HIGH]++;
      // SYNC: slot-free, low-water
      AtomicsStore(i32, HEAD, this.#head);
      return value;
    }
  }

  /**
   * @param {number} word Int32Array index of the first slot.
   * @param {number} shift 0 for one-byte units, 1 for two-byte units.
   */
  #text(word, shift) {
    const { i32, mask } = this.#segment;
    const length = i32[word + 1];
    if (length >= LEAST_BULK_READ && (this.#head & mask) + slotsOf(length << shift) <= mask + 1) {
      return ops.laneReadText(this.#segment.u8, (word << 2) + 8, length, shift === 1);
    }
    const view = shift === 0 ? this.#segment.u8 : this.#segment.u16;
    const units = new Array(length);
    let unit = 0;
    let at = ((word << 2) + 8) >> shift;
    let room = PAYLOAD_BYTES >> shift;
    let index = this.#head;
    for (;;) {
      const end = unit + room < length ? unit + room : length;
      while (unit < end) units[unit++] = view[at++];
      if (unit >= length) break;
      index = (index + 1) | 0;
      at = (HEADER_BYTES + (index & mask) * SLOT_BYTES) >> shift;
      room = SLOT_BYTES >> shift;
    }
    return StringFromCharCodeApply(units);
  }
}
