// @ts-check
// Flow control of a sending port: `bufferedAmount`, `bufferedAmountLowThreshold` and the event `bufferedamountlow`, as WebRTC's data channels have them
// (WebRTC §6.2), and `ready()`, which resolves when there is room.

import { createDOMException } from '../dom_exception.js';
import { createEvent, defineEventHandler, dispatchTrusted } from '../events.js';
import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { toUnsignedLongLong } from '../webidl.js';

const { markPromiseAsHandled, newPromise, ObjectDefineProperties, ObjectGetOwnPropertyDescriptors, PromiseReject, PromiseResolve } = primordials;

/** Answers of `Sender.watch`, which are those of `ops.laneWatch`. */
export const LOW = 0;
export const WAITING = 1;
export const GONE = 2;

/**
 * What this file asks of a port.
 * @typedef {object} Sender
 * @property {() => number} amount Bytes that the other side has not received.
 * @property {(bytes: number, always: boolean) => number} watch Calls `Flow.onLow` in a task when no more than so many are left, or nobody receives any
 * more (WAITING); if that is so already (LOW, GONE) it does so only if `always`, and answers WAITING then.
 * @property {() => boolean} wantsEvent Whether somebody listens for `bufferedamountlow`.
 * @property {() => void} dispatchLow
 */

export class Flow {
  /** @type {Sender} */
  #sender;
  #threshold = 0;
  /** `onLow` will be called. */
  #watching = false;
  /** What `ready` gave out and did not settle. @type {ReturnType<newPromise> | undefined} */
  #ready;

  /** @param {Sender} sender */
  constructor(sender) {
    this.#sender = sender;
  }

  get threshold() {
    return this.#threshold;
  }

  set threshold(bytes) {
    this.#threshold = bytes;
    if (this.#watching) this.#sender.watch(bytes, true);
  }

  get isWatching() {
    return this.#watching;
  }

  /** @returns {Promise<void>} */
  ready() {
    if (this.#ready !== undefined) return this.#ready.promise;
    const answer = this.#sender.watch(this.#threshold, false);
    if (answer === LOW) return PromiseResolve(undefined);
    if (answer === GONE) return rejected();
    this.#watching = true;
    const ready = newPromise();
    // One that nobody awaits any more is no error of the script's.
    markPromiseAsHandled(ready.promise);
    this.#ready = ready;
    // Who waits here has more to do.
    ops.setAlive(1);
    return ready.promise;
  }

  /** A message went out: whoever listens is told when it has been received. */
  afterPost() {
    if (this.#watching || !this.#sender.wantsEvent()) return;
    this.#watching = true;
    this.#sender.watch(this.#threshold, true);
  }

  /** The channel became one of another kind: what was asked is asked again. */
  renew() {
    if (this.#watching) this.#sender.watch(this.#threshold, true);
  }

  /** Little is left, or nobody receives any more (then the port's close tells the rest). @param {boolean} gone */
  onLow(gone) {
    if (!this.#watching) return;
    if (!gone && this.#sender.amount() > this.#threshold) {
      // More was sent meanwhile, or the threshold is another now.
      this.renew();
      return;
    }
    this.#watching = false;
    this.#settle(gone);
    if (!gone && this.#sender.wantsEvent()) this.#sender.dispatchLow();
  }

  /** The port is closed, or was sent away. */
  end() {
    this.#watching = false;
    this.#settle(true);
  }

  /** @param {boolean} gone */
  #settle(gone) {
    const ready = this.#ready;
    if (ready === undefined) return;
    this.#ready = undefined;
    ops.setAlive(-1);
    if (gone) ready.reject(closedError());
    else ready.resolve(undefined);
  }
}

function closedError() {
  return createDOMException('The port is closed.', 'InvalidStateError');
}

/** The answer of `ready` for a port that sends no more. @returns {Promise<never>} */
export function rejected() {
  const promise = PromiseReject(closedError());
  markPromiseAsHandled(promise);
  return promise;
}

/** @param {any} target */
export function dispatchLow(target) {
  dispatchTrusted(target, createEvent('bufferedamountlow'));
}

/**
 * Gives an interface the members of flow control.
 * @param {any} target Its prototype, or the global object.
 * @param {(object: any) => import('./port.js').Port} coreOf The port behind an object; throws if there is none.
 * @param {((target: any) => boolean) | null} [check] The brand that the handler attribute checks; null: the interface has no handler attributes.
 */
export function defineFlowControl(target, coreOf, check = undefined) {
  const members = ObjectGetOwnPropertyDescriptors({
    /** @returns {number} */
    get bufferedAmount() {
      return coreOf(this).bufferedAmount;
    },
    /** @returns {number} */
    get bufferedAmountLowThreshold() {
      return coreOf(this).lowThreshold;
    },
    set bufferedAmountLowThreshold(value) {
      const core = coreOf(this);
      core.lowThreshold = toUnsignedLongLong(value, "Failed to set 'bufferedAmountLowThreshold'", 'the provided value');
    },
    /** @returns {Promise<void>} */
    ready() {
      // As an operation that returns a promise: its errors are rejections (Web IDL §3.7.7).
      try {
        return coreOf(this).ready();
      } catch (error) {
        return PromiseReject(error);
      }
    },
  });
  ObjectDefineProperties(target, members);
  if (check !== null) defineEventHandler(target, 'bufferedamountlow', check === undefined ? undefined : { check });
}
