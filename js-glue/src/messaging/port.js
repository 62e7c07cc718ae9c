// @ts-check
// A port without its event interface: what MessagePort, Worker and a worker's global have in common.
//
// Two ports of one thread pass values by a plain queue. When one of them leaves the thread, both become ends of a lane, and what is queued goes into it.

import { isClosing } from '../closing.js';
import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { Fifo } from './fifo.js';
import { EMPTY, IS_CLOSE, IS_PARCEL, LaneReader, LaneWriter } from './lane.js';

const { SafeMap } = primordials;

/** Messages of one port before others get their turn. */
const BUDGET = 1000;

/**
 * What a port tells its owner.
 * @typedef {object} PortOwner
 * @property {(data: any, ports: any[]) => void} onMessage
 * @property {(error: any) => void} onMessageError
 * @property {() => void} onClose
 */

/** Lane ports of this thread, by key. */
const lanePorts = new SafeMap();
/** Ports with queued values, in the order in which they got the first. @type {Fifo<Port>} */
let localReady = new Fifo();

/** What `receive` answers when there is no message. */
export const NOTHING = Symbol('nothing');

export class Port {
  /** @type {PortOwner | undefined} */
  owner;
  /** The other side, while both are in this thread. @type {Port | undefined} */
  #peer;
  /** Values and ports of messages within the thread. @type {Fifo<{ value: any, ports: any[] }>} */
  #queue = new Fifo();
  #scheduled = false;
  /** @type {number | undefined} */
  #key;
  /** @type {LaneWriter | undefined} */
  #writer;
  /** @type {LaneReader | undefined} */
  #reader;
  #started = false;
  /** Neither closed nor sent away. */
  #open = true;
  /** The other side closed; what it sent comes first. */
  #peerClosed = false;
  #referenced = false;
  /** Ports of the message that `receive` took last. @type {any[]} */
  receivedPorts = [];

  /** Two entangled ports of this thread. @returns {[Port, Port]} */
  static pair() {
    const one = new Port();
    const other = new Port();
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  /**
   * The port of an endpoint that the host holds.
   * @param {number} key
   */
  static adopt(key) {
    const port = new Port();
    port.#bind(key);
    return port;
  }

  /** @param {number} key */
  #bind(key) {
    this.#key = key;
    this.#writer = new LaneWriter(key);
    this.#reader = new LaneReader(key);
    lanePorts.set(key, this);
  }

  get isOpen() {
    return this.#open;
  }

  get isStarted() {
    return this.#started;
  }

  /**
   * Sends a primitive, if the way that it goes can carry it. False: the value has to be serialised first.
   * @param {any} value
   */
  sendPrimitive(value) {
    if (this.#writer !== undefined) return this.#writer.push(value);
    if ((typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'symbol') return false;
    this.#sendLocal(value, []);
    return true;
  }

  /**
   * Sends a parcel.
   * @param {number} parcel
   */
  sendParcel(parcel) {
    if (this.#writer !== undefined) {
      this.#writer.pushParcel(parcel);
      return;
    }
    /** @type {any[]} */
    const ports = [];
    // Read at once, so that what is never received is garbage and not the host's to keep.
    const value = ops.deserialize(parcel, ports);
    this.#sendLocal(value, ports);
  }

  /**
   * @param {any} value
   * @param {any[]} ports
   */
  #sendLocal(value, ports) {
    const peer = this.#peer;
    if (peer === undefined || !peer.#open) return;
    peer.#queue.push({ value, ports });
    peer.#schedule();
  }

  #schedule() {
    if (this.#scheduled || !this.#started) return;
    this.#scheduled = true;
    localReady.push(this);
    ops.wakeLocal();
  }

  /** From now on messages are delivered. */
  start() {
    if (this.#started || !this.#open) return;
    this.#started = true;
    if (this.#key !== undefined) ops.laneRequeue(this.#key);
    if (!this.#queue.isEmpty || this.#peerClosed) this.#schedule();
  }

  /** Node's ports stop when their last listener goes. */
  pause() {
    this.#started = false;
  }

  /**
   * Whether the port keeps the loop alive.
   * @param {boolean} referenced
   */
  setReferenced(referenced) {
    if (referenced === this.#referenced || (referenced && !this.#open)) return;
    this.#referenced = referenced;
    ops.setAlive(referenced ? 1 : -1);
  }

  get isReferenced() {
    return this.#referenced;
  }

  /** Closes both sides; the other reads what was sent first. */
  close() {
    if (!this.#open) return;
    this.#end();
    if (this.#key !== undefined) {
      lanePorts.delete(this.#key);
      ops.portClose(this.#key);
      this.#key = this.#writer = this.#reader = undefined;
    }
    const peer = this.#peer;
    if (peer !== undefined) {
      this.#peer = peer.#peer = undefined;
      peer.#peerClosed = true;
      // A close is delivered like a message, though a port that was not started has nothing to wait for.
      if (peer.#started || peer.#queue.isEmpty) {
        peer.#started = true;
        peer.#schedule();
      }
    }
  }

  #end() {
    this.setReferenced(false);
    this.#open = false;
    this.#queue = new Fifo();
  }

  /**
   * Takes the port out of its owner: the key of an endpoint that can go into a parcel. The port is unusable afterwards.
   * @returns {number}
   */
  leave() {
    if (this.#key === undefined) this.#becomeLane();
    const key = /** @type {number} */ (/** @type {unknown} */ (this.#key));
    lanePorts.delete(key);
    this.#key = this.#writer = this.#reader = undefined;
    this.#end();
    return key;
  }

  /** Puts a lane in the place of the queue, on both sides. */
  #becomeLane() {
    const peer = this.#peer;
    const keys = ops.channelCreate();
    const queued = this.#queue;
    this.#peer = undefined;
    this.#bind(keys[0]);
    const other = peer ?? new Port();
    const otherQueued = other.#queue;
    other.#peer = undefined;
    other.#bind(keys[1]);
    refill(/** @type {LaneWriter} */ (other.#writer), queued);
    refill(/** @type {LaneWriter} */ (this.#writer), otherQueued);
    if (peer === undefined) {
      // The other side closed before: its end closes behind what it had sent.
      other.close();
    } else if (other.#started) {
      ops.laneRequeue(keys[1]);
    }
  }

  /**
   * Takes the next message, or answers NOTHING. Its ports are in `receivedPorts`. Throws what a message that cannot be read throws.
   */
  receive() {
    this.receivedPorts = [];
    if (this.#reader === undefined) {
      const entry = this.#queue.shift();
      if (entry === undefined) return NOTHING;
      this.receivedPorts = entry.ports;
      return entry.value;
    }
    const value = this.#reader.pop();
    if (value === EMPTY) return NOTHING;
    if (value === IS_PARCEL) return ops.lanePopParcel(this.#key, this.#reader.parcel, this.receivedPorts);
    if (value === IS_CLOSE) {
      this.#peerClosed = true;
      return NOTHING;
    }
    return value;
  }

  /** Delivers what is there. True: the budget ended first. */
  drain() {
    this.#scheduled = false;
    if (!this.#started || !this.#open || isClosing()) return false;
    this.#reader?.clearSignal();
    for (let budget = BUDGET; budget > 0; budget--) {
      const { owner } = this;
      let value;
      try {
        value = this.receive();
      } catch (error) {
        owner?.onMessageError(error);
        ops.checkpoint();
        continue;
      }
      if (value === NOTHING) {
        if (this.#peerClosed) {
          this.#closeByPeer();
        }
        return false;
      }
      const ports = this.receivedPorts;
      this.receivedPorts = [];
      owner?.onMessage(value, ports);
      ops.checkpoint();
      // The handler may have closed, stopped or sent away the port.
      if (!this.#open || !this.#started || isClosing()) return false;
    }
    return true;
  }

  #closeByPeer() {
    const { owner } = this;
    this.close();
    owner?.onClose();
    ops.checkpoint();
  }

  /** Comes back for the rest. */
  requeue() {
    if (this.#key !== undefined) ops.laneRequeue(this.#key);
    else this.#schedule();
  }
}

/**
 * Queued values of a channel within the thread go into its lane. They were cloned when they were posted; a value that cannot be cloned again arrives as
 * a message error would: not at all.
 * @param {LaneWriter} writer
 * @param {Fifo<{ value: any, ports: any[] }>} queue
 */
function refill(writer, queue) {
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
    const { value, ports } = entry;
    if (ports.length === 0 && writer.push(value)) continue;
    const parcel = serializeAgain(value, ports);
    if (parcel !== undefined) writer.pushParcel(parcel);
  }
}

/** @type {(value: any, ports: any[]) => number | undefined} */
let serializeAgain = () => undefined;
/** Set by `clone.js`, which imports this file. @param {(value: any, ports: any[]) => number | undefined} serialize */
export function setSerializer(serialize) {
  serializeAgain = serialize;
}

/** The host's entry: a lane has messages. @param {number} key */
export function drainPort(key) {
  const port = lanePorts.get(key);
  if (port !== undefined && port.drain()) port.requeue();
}

/** The host's entry: there are messages within the thread. */
export function drainLocal() {
  const ready = localReady;
  localReady = new Fifo();
  for (let port = ready.shift(); port !== undefined; port = ready.shift()) {
    if (port.drain()) port.requeue();
  }
}
