// @ts-check
//# allFunctionsCalledOnLoad
// The two ends of a lane, over its ring's bytes. The twin of `guest-abi/src/{producer,consumer}.rs`, whose module comments hold the protocol and the
// proof; `guest-abi/src/layout.rs` holds the numbers. All accesses to `tail`, `head` and `signaled` are Atomics, which are sequentially consistent, so
// every ordering there is met here.
//
// Posting a primitive calls the host only when the receiver has to be woken, and reading one never does.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { readText, writeText } from './lane_text.js';
import { readRecord, ReceivedShapes, SentShapes, writeRecord } from './record.js';
import { HEADER_WORDS, MAX_RECORD_WORDS, Segment, SLOT_WORDS } from './segment.js';
import { shapeOf } from './shapes.js';

const { AtomicsExchange, AtomicsLoad, AtomicsStore } = primordials;

// Known to the compiler as constants, which what a module imports is not.
const headerWords = HEADER_WORDS;
const slotWords = SLOT_WORDS;
const maxRecordWords = MAX_RECORD_WORDS;

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
const RECORD = 13;

const MAX_INLINE_UNITS = 128;
/** Slots of the longest string and of the longest record. */
const MAX_MESSAGE_SLOTS = 5;
/** Strings up to here fit one slot. */
const ONE_SLOT_UNITS = 28;
/** Words of a slot before its payload. */
const SLOT_HEADER_WORDS = 2;
const MAX_MAGNITUDE = 2n ** 64n - 1n;

/** What `LaneReader.pop` answers when there is no value. */
export const EMPTY = Symbol('empty');
export const IS_PARCEL = Symbol('parcel');
export const IS_CLOSE = Symbol('close');

/**
 * Slots of a message that has so many words of payload.
 * @param {number} words
 */
function slotsOf(words) {
  return (words + SLOT_HEADER_WORDS + slotWords - 1) >> 4;
}

export class LaneWriter {
  #key;
  #segment;
  #tail;
  #head;
  /** Messages ever sent in this segment, mod 2^32; for the host's metrics. */
  #sent;
  /** Made for the first object. @type {SentShapes | undefined} */
  #shapes;
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
    return headerWords + (index & this.#segment.mask) * slotWords;
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
        return value.length <= MAX_INLINE_UNITS ? this.#pushString(value) : this.#pushText(value);
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
      case 'object':
        return value === null ? this.#pushTag(NULL) : this.#pushRecord(value);
      default:
        return false;
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
    if (!this.#reserve(length <= ONE_SLOT_UNITS ? 1 : MAX_MESSAGE_SLOTS)) return true;
    const word = this.#slot(this.#tail);
    const written = writeText(this.#segment, word - headerWords + SLOT_HEADER_WORDS, maxRecordWords, value);
    this.#segment.i32[word] = (written & 1) === 0 ? LATIN1 : UTF16;
    this.#segment.i32[word + 1] = length;
    this.#publish(slotsOf(written >> 1));
    return true;
  }

  /** @param {string} value One that is too long for slots. */
  #pushText(value) {
    this.#pushNumber(ops.lanePushText(this.#key, value));
    return true;
  }

  /** @param {object} value */
  #pushRecord(value) {
    const shape = shapeOf(value, true);
    if (shape < 0) return false;
    this.#shapes ??= new SentShapes(this.#key);
    // Nobody reads it: but it may be one that cannot be cloned, and that has to be told.
    if (!this.#shapes.isWorthwhile() || !this.#reserve(MAX_MESSAGE_SLOTS)) return false;
    const word = this.#slot(this.#tail);
    const words = writeRecord(this.#segment, word - headerWords + SLOT_HEADER_WORDS, this.#shapes, value, shape);
    if (words === 0) return false;
    this.#segment.i32[word] = RECORD;
    this.#segment.i32[word + 1] = words;
    this.#publish(slotsOf(words));
    return true;
  }

  /**
   * Sends a parcel, which becomes the host's at once.
   * @param {number} parcel
   */
  pushParcel(parcel) {
    this.#pushNumber(ops.lanePushParcel(this.#key, parcel));
  }

  /** @param {number | undefined} number Of a parcel that lies beside the ring; none if nobody will read it. */
  #pushNumber(number) {
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
  /** Made for the first record. @type {ReceivedShapes | undefined} */
  #shapes;
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
      const word = headerWords + (this.#head & this.#segment.mask) * slotWords;
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
          value = readText(this.#segment, word - headerWords + SLOT_HEADER_WORDS, i32[word + 1], false);
          slots = slotsOf((value.length + 3) >> 2);
          break;
        case UTF16:
          value = readText(this.#segment, word - headerWords + SLOT_HEADER_WORDS, i32[word + 1], true);
          slots = slotsOf((value.length + 1) >> 1);
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
        case RECORD:
          this.#shapes ??= new ReceivedShapes(this.#key);
          value = readRecord(this.#segment, word - headerWords + SLOT_HEADER_WORDS, i32[word + 1], this.#shapes);
          if (value === undefined) return IS_CLOSE;
          slots = slotsOf(i32[word + 1]);
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
}
