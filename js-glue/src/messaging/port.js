// @ts-check
//# allFunctionsCalledOnLoad
// A port without its event interface: what MessagePort, Worker and a worker's global have in common.
//
// Two ports of one thread pass values by a plain queue. When one of them leaves the thread, both become ends of a lane, and what is queued goes into it.

import { isClosing } from '../closing.js';
import { createEvent, createMessageEvent, dispatchMessage, dispatchTrusted, endMessageTask, listenerCount } from '../events.js';
import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { serialize } from './clone.js';
import { Fifo } from './fifo.js';
import { dispatchLow, Flow, GONE, LOW, rejected, WAITING } from './flow.js';
import { EMPTY, IS_CLOSE, IS_PARCEL, LaneReader, LaneWriter } from './lane.js';
import { NOT_PLAIN, plainBytes, plainCopy } from './plain_copy.js';
import { toTransferList } from './transfer_list.js';

const { ArrayPrototypePush, SafeMap } = primordials;

/** @import { MessageEvent } from '../events.js' */

/** Messages of one port before others get their turn. */
const BUDGET = 1000;

/**
 * What ports of one kind do with what comes: `owner` is the object that scripts see.
 * @typedef {object} PortKind
 * @property {(owner: any, data: any, ports: any[] | undefined, blank: MessageEvent | undefined) => void} onMessage `blank`: see `endMessageTask`.
 * @property {(owner: any, error: any) => void} onMessageError
 * @property {(owner: any) => void} onClose
 * @property {(owner: any) => boolean} wantsLow Whether anybody wants to be told that little is left to receive.
 * @property {(owner: any) => void} onLow
 */

/** Ports of the web. @type {PortKind} */
export const eventPort = {
  onMessage(owner, data, ports, blank) {
    dispatchMessage(owner, data, ports, blank);
  },
  onMessageError(owner, error) {
    dispatchTrusted(owner, createMessageEvent('messageerror', error));
  },
  onClose(owner) {
    dispatchTrusted(owner, createEvent('close'));
  },
  wantsLow: (owner) => listenerCount(owner, 'bufferedamountlow') > 0,
  onLow: dispatchLow,
};

/** A message within the thread. */
class LocalMessage {
  value;
  ports;
  bytes;
  /** @type {LocalMessage | undefined} */
  next;

  /** @param {any} value @param {any[] | undefined} ports @param {number} bytes What it counts for while it waits. */
  constructor(value, ports, bytes) {
    this.value = value;
    this.ports = ports;
    this.bytes = bytes;
    this.next = undefined;
  }
}

/** What a value counts for that would fit slots of a lane. @param {any} value */
function primitiveBytes(value) {
  if (typeof value !== 'string' || value.length <= 28) return 64;
  return 8 + 2 * value.length;
}

/** Lane ports of this thread, by key. */
const lanePorts = new SafeMap();
/** Ports with queued values, in the order in which they got the first. @type {Fifo<Port>} */
let localReady = new Fifo();
/** Senders within the thread whose other sides have few left. @type {Flow[]} */
let localLow = [];

/** What `receive` answers when there is no message. */
export const NOTHING = Symbol('nothing');
// Known to the compiler as constants, which what a module exports or imports is not; comparing with one is comparing addresses then.
const nothing = NOTHING;
const empty = EMPTY;
const isParcel = IS_PARCEL;
const isClose = IS_CLOSE;
const notPlain = NOT_PLAIN;

export class Port {
  /** @type {any} */
  #owner;
  /** @type {PortKind} */
  #kind = eventPort;
  /** The port behind this one in `localReady`. @type {Port | undefined} */
  next;
  /** The other side, while both are in this thread. @type {Port | undefined} */
  #peer;
  /** @type {Fifo<LocalMessage>} */
  #queue = new Fifo();
  /** Of the messages in `#queue`. */
  #queuedBytes = 0;
  /** Made when somebody asks how far the receiver is. @type {Flow | undefined} */
  #flow;
  /** Of the other side, within the thread: it wants to be told when no more bytes than these are in `#queue`. */
  #mark = -1;
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
  /** Ports of the message that `receive` took last. @type {any[] | undefined} */
  #receivedPorts;

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
    lanePorts.set(key, this);
  }

  // The ends are made when they are first used: an idle port has neither.

  /** The lane's sending end; there has to be a lane. @returns {LaneWriter} */
  #sending() {
    return (this.#writer ??= new LaneWriter(/** @type {number} */ (this.#key)));
  }

  /** The lane's receiving end. @returns {LaneReader} */
  #receiving() {
    return (this.#reader ??= new LaneReader(/** @type {number} */ (this.#key)));
  }

  /** Names who is told of messages. @param {any} owner @param {PortKind} kind */
  setOwner(owner, kind) {
    this.#owner = owner;
    this.#kind = kind;
  }

  get isOpen() {
    return this.#open;
  }

  get isStarted() {
    return this.#started;
  }

  /**
   * `postMessage` of every interface that has one.
   * @param {any} message
   * @param {any} options The second argument.
   * @param {string} prefix Of errors.
   * @param {any} [sender] The object whose port this is, if it could be in its own transfer list.
   */
  post(message, options, prefix, sender = undefined) {
    if (options !== undefined || !this.#open || !this.#postUnserialized(message)) {
      const parcel = serialize(message, toTransferList(options, prefix), sender, this.#key);
      // Serialised all the same: its exceptions and its transfers are seen (HTML §9.4.4, "post message steps", 5).
      if (!this.#open) ops.deserialize(parcel, []);
      else if (this.#key !== undefined) this.#sending().pushParcel(parcel);
      else this.#postLocally(parcel);
    }
    if (this.#flow !== undefined) this.#flow.afterPost();
  }

  /**
   * False: the value has to be serialised.
   * @param {any} value
   */
  #postUnserialized(value) {
    if (this.#writer !== undefined) return this.#writer.push(value);
    if (this.#key !== undefined) return this.#sending().push(value);
    if (typeof value === 'object' && value !== null) {
      const copy = plainCopy(value);
      if (copy === notPlain) return false;
      this.#enqueue(new LocalMessage(copy, undefined, plainBytes()));
      return true;
    }
    if (typeof value === 'function' || typeof value === 'symbol') return false;
    this.#enqueue(new LocalMessage(value, undefined, primitiveBytes(value)));
    return true;
  }

  /** @param {number} parcel */
  #postLocally(parcel) {
    /** @type {any[]} */
    const ports = [];
    const bytes = ops.parcelBytes(parcel);
    // Read at once, so that what is never received is garbage and not the host's to keep.
    const value = ops.deserialize(parcel, ports);
    this.#enqueue(new LocalMessage(value, ports, bytes));
  }

  /** @param {LocalMessage} message */
  #enqueue(message) {
    const peer = this.#peer;
    if (peer === undefined || !peer.#open) return;
    peer.#queue.push(message);
    peer.#queuedBytes += message.bytes;
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

  /** Bytes that were posted and not received. */
  get bufferedAmount() {
    if (this.#key !== undefined) return ops.laneBuffered(this.#key);
    return this.#peer === undefined ? 0 : this.#peer.#queuedBytes;
  }

  get lowThreshold() {
    return this.#flow === undefined ? 0 : this.#flow.threshold;
  }

  set lowThreshold(bytes) {
    this.watchLow().threshold = bytes;
  }

  /** Resolves when no more bytes than the threshold are left. @returns {Promise<void>} */
  ready() {
    return this.#open ? this.watchLow().ready() : rejected();
  }

  /** From now on every post looks whether anybody wants to be told. */
  watchLow() {
    this.#flow ??= new Flow({
      amount: () => this.bufferedAmount,
      watch: (bytes, always) => this.#watch(bytes, always),
      wantsEvent: () => this.#kind.wantsLow(this.#owner),
      dispatchLow: () => this.#kind.onLow(this.#owner),
    });
    return this.#flow;
  }

  /** See `Sender.watch`. @param {number} bytes @param {boolean} always */
  #watch(bytes, always) {
    if (this.#key !== undefined) return ops.laneWatch(this.#key, bytes, always);
    const peer = this.#peer;
    const answer = peer === undefined ? GONE : peer.#queuedBytes <= bytes ? LOW : WAITING;
    if (answer === WAITING) /** @type {Port} */ (peer).#mark = bytes;
    else if (always) this.#tellFlow();
    else return answer;
    return WAITING;
  }

  /** Little is left: the sender, which is this port, is told in a task. */
  #tellFlow() {
    if (this.#flow === undefined) return;
    ArrayPrototypePush(localLow, this.#flow);
    ops.wakeLocal();
  }

  /** The host tells what `laneWatch` asked for. @param {boolean} gone */
  onLow(gone) {
    this.#flow?.onLow(gone);
  }

  /** Tells the sender, if it waits for that, that messages were taken. */
  tellSender() {
    if (this.#key !== undefined) {
      // Without a receiving end nothing was taken.
      if (this.#reader !== undefined && this.#reader.isWatched) ops.laneReceived(this.#key);
    } else if (this.#queuedBytes <= this.#mark) {
      this.#mark = -1;
      if (this.#peer !== undefined) this.#peer.#tellFlow();
    }
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
      // Nobody receives any more what it sent.
      peer.#flow?.end();
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
    this.#queuedBytes = 0;
    this.#flow?.end();
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
    if (!queued.isEmpty) refill(other.#sending(), queued);
    if (!otherQueued.isEmpty) refill(this.#sending(), otherQueued);
    this.#queuedBytes = other.#queuedBytes = 0;
    this.#mark = other.#mark = -1;
    other.#flow?.renew();
    if (peer === undefined) {
      // The other side closed before: its end closes behind what it had sent.
      other.close();
    } else if (other.#started) {
      ops.laneRequeue(keys[1]);
    }
  }

  /**
   * Takes the next message, or answers NOTHING. Its ports are in `#receivedPorts`. Throws what a message that cannot be read throws.
   */
  receive() {
    if (this.#key === undefined) {
      const message = this.#queue.shift();
      if (message === undefined) return nothing;
      this.#receivedPorts = message.ports;
      this.#queuedBytes -= message.bytes;
      return message.value;
    }
    const reader = this.#receiving();
    const value = reader.pop();
    if (this.#receivedPorts !== undefined) this.#receivedPorts = undefined;
    if (value === empty) return nothing;
    if (value === isParcel) {
      this.#receivedPorts = [];
      return ops.lanePopParcel(this.#key, reader.parcel, this.#receivedPorts);
    }
    if (value === isClose) {
      this.#peerClosed = true;
      return nothing;
    }
    return value;
  }

  /** Whether `receive` would find something, a close included. */
  #hasNext() {
    return this.#key === undefined ? !this.#queue.isEmpty : this.#receiving().hasNext();
  }

  /**
   * Delivers what is there, each message as a task of its own. True: the budget ended first.
   * @param {boolean} [polled] The host looks at the lane again before it sleeps, so that nothing has to signal.
   */
  drain(polled = false) {
    const again = this.#deliver(polled);
    this.tellSender();
    return again;
  }

  /** @param {boolean} polled */
  #deliver(polled) {
    this.#scheduled = false;
    if (!this.#started || !this.#open || isClosing()) return false;
    if (this.#key !== undefined && !polled) {
      // A first look at a lane that nothing was sent through needs no receiving end.
      if (this.#reader === undefined && ops.laneIsIdle(this.#key)) return false;
      this.#receiving().clearSignal();
    }
    let blank;
    for (let budget = BUDGET; budget > 0; budget--) {
      let value;
      try {
        value = this.receive();
      } catch (error) {
        this.#kind.onMessageError(this.#owner, error);
        ops.checkpoint();
        if (!this.#open || !this.#started || isClosing()) return false;
        continue;
      }
      if (value === nothing) {
        if (this.#peerClosed) this.#closeByPeer();
        return false;
      }
      // A sender that waits for room is told while others of its messages are handled. What a parcel holds can be much.
      if ((budget & 63) === 0 || this.#receivedPorts !== undefined) this.tellSender();
      this.#kind.onMessage(this.#owner, value, this.#receivedPorts, blank);
      blank = endMessageTask(budget > 1 && this.#hasNext());
      // The handler may have closed, stopped or sent away the port.
      if (!this.#open || !this.#started || isClosing()) return false;
    }
    return true;
  }

  #closeByPeer() {
    this.close();
    this.#kind.onClose(this.#owner);
    ops.checkpoint();
  }

  /** Comes back for the rest. */
  requeue() {
    if (this.#key !== undefined) ops.laneRequeue(this.#key);
    else this.#schedule();
  }
}

/**
 * Queued values of a channel within the thread go into its lane. They were cloned when they were posted; a value that cannot be cloned again does not
 * arrive.
 * @param {LaneWriter} writer
 * @param {Fifo<LocalMessage>} queue
 */
function refill(writer, queue) {
  writer.forced = true;
  for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
    const { value, ports = noPorts } = message;
    if (ports.length === 0 && writer.push(value)) continue;
    let parcel;
    try {
      parcel = serialize(value, ports);
    } catch {
      continue;
    }
    writer.pushParcel(parcel);
    writer.forced = true;
  }
  writer.forced = false;
}
/** @type {any[]} */
const noPorts = [];

/** The host's entry: a lane has messages. @param {number} key @param {boolean} polled */
export function drainPort(key, polled) {
  const port = lanePorts.get(key);
  if (port !== undefined && port.drain(polled)) port.requeue();
}

/** The host's entry: little is left to receive of what a port sent, or nobody receives it. @param {number} key @param {boolean} gone */
export function portLow(key, gone) {
  lanePorts.get(key)?.onLow(gone);
}

/** The host's entry: there are messages within the thread. */
export function drainLocal() {
  if (localLow.length > 0) {
    const low = localLow;
    localLow = [];
    for (let i = 0; i < low.length; i++) low[i].onLow(false);
  }
  const ready = localReady;
  localReady = new Fifo();
  for (let port = ready.shift(); port !== undefined; port = ready.shift()) {
    if (port.drain()) port.requeue();
  }
}
