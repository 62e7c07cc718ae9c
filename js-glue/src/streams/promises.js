// @ts-check
// Promises as the Streams standard uses them (Web IDL §3.2.24), with as few allocations as it allows: one fulfilled promise stands for all
// algorithms that have nothing to say, and promises that scripts rarely look at come into being when they do.

import { primordials } from '../primordials.js';

const { FunctionPrototypeCall, markPromiseAsHandled, newPromise, Promise, PromisePrototypeThen, PromiseReject, PromiseResolve } = primordials;

/** The result of every algorithm that is done at once. @type {Promise<undefined>} */
// No executor, which a full stack would turn into a rejection.
export const kDone = PromiseResolve(undefined);

/**
 * "A promise resolved with": unlike `Promise.resolve`, a promise is wrapped, too.
 * @param {any} value
 * @returns {Promise<any>}
 */
export function resolvedWith(value) {
  if (value === undefined) return kDone;
  return new Promise((/** @type {(value: any) => void} */ resolve) => resolve(value));
}

/**
 * Invokes a callback whose Web IDL return type is a promise: what it throws becomes a rejection. One function for each number of arguments, as a
 * callback may look at `arguments.length`, and as the two that run per chunk need no array.
 * @param {Function} callback
 * @param {any} receiver
 * @returns {Promise<any>}
 */
export function invoke0(callback, receiver) {
  try {
    return resolvedWith(FunctionPrototypeCall(callback, receiver));
  } catch (error) {
    return PromiseReject(error);
  }
}

/**
 * @param {Function} callback
 * @param {any} receiver
 * @param {any} argument
 * @returns {Promise<any>}
 */
export function invoke1(callback, receiver, argument) {
  try {
    return resolvedWith(FunctionPrototypeCall(callback, receiver, argument));
  } catch (error) {
    return PromiseReject(error);
  }
}

/**
 * @param {Function} callback
 * @param {any} receiver
 * @param {any} first
 * @param {any} second
 * @returns {Promise<any>}
 */
export function invoke2(callback, receiver, first, second) {
  try {
    return resolvedWith(FunctionPrototypeCall(callback, receiver, first, second));
  } catch (error) {
    return PromiseReject(error);
  }
}

/**
 * "Queue a microtask". The steps must not throw.
 * @param {() => void} steps
 */
export function queueMicrotaskSteps(steps) {
  PromisePrototypeThen(kDone, steps);
}

/**
 * The `closed` and `ready` promises of readers and writers. All of them count as handled, so that nobody can tell when the promise itself is made:
 * at its first use. The owner may have one reaction of its own, which costs no promise.
 */
export class LazyPromise {
  /** @type {'pending' | 'fulfilled' | 'rejected'} */
  #state = 'pending';
  /** @type {any} */
  #reason = undefined;
  /** @type {{ promise: Promise<any>, resolve: (value?: any) => void, reject: (reason: any) => void } | undefined} */
  #capability = undefined;
  /** @type {(() => void) | undefined} */
  #onFulfilled = undefined;
  /** @type {((reason: any) => void) | undefined} */
  #onRejected = undefined;

  get pending() {
    return this.#state === 'pending';
  }

  /** @returns {Promise<undefined>} */
  get promise() {
    if (this.#capability !== undefined) return this.#capability.promise;
    const capability = newPromise();
    this.#capability = capability;
    markPromiseAsHandled(capability.promise);
    if (this.#state === 'fulfilled') capability.resolve(undefined);
    else if (this.#state === 'rejected') capability.reject(this.#reason);
    return capability.promise;
  }

  resolve() {
    if (this.#state !== 'pending') return;
    this.#state = 'fulfilled';
    if (this.#capability !== undefined) this.#capability.resolve(undefined);
    this.#schedule();
  }

  /** @param {any} reason */
  reject(reason) {
    if (this.#state !== 'pending') return;
    this.#state = 'rejected';
    this.#reason = reason;
    if (this.#capability !== undefined) this.#capability.reject(reason);
    this.#schedule();
  }

  /** A new pending promise takes this one's place. */
  renew() {
    this.#state = 'pending';
    this.#reason = undefined;
    this.#capability = undefined;
  }

  /** Rejects the promise, or puts a rejected one in its place. @param {any} reason */
  ensureRejected(reason) {
    if (this.#state !== 'pending') this.renew();
    this.reject(reason);
  }

  /**
   * "React": one reaction at a time, run as a microtask once settled.
   * @param {(() => void) | undefined} onFulfilled
   * @param {((reason: any) => void) | undefined} onRejected
   */
  react(onFulfilled, onRejected) {
    this.#onFulfilled = onFulfilled;
    this.#onRejected = onRejected;
    if (this.#state !== 'pending') this.#schedule();
  }

  #schedule() {
    const onFulfilled = this.#onFulfilled;
    const onRejected = this.#onRejected;
    this.#onFulfilled = undefined;
    this.#onRejected = undefined;
    if (this.#state === 'fulfilled') {
      if (onFulfilled !== undefined) queueMicrotaskSteps(onFulfilled);
    } else if (onRejected !== undefined) {
      const reason = this.#reason;
      queueMicrotaskSteps(() => onRejected(reason));
    }
  }
}
