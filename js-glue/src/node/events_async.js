// @ts-check
// `once()` and `on()` of `node:events`: events as a promise and as an async iterator.

import { primordials } from '../primordials.js';
import { AbortError, invalidArgType } from './errors.js';
import { nextTick } from './next_tick.js';
import { onAbort, throwIfAborted } from './abort_support.js';
import { validateAbortSignal, validateFunction, validateInteger, validateObject } from './validators.js';

/** @import { AbortSignal } from '../abort.js' */

const {
  ArrayPrototypePush,
  AsyncIteratorPrototype,
  Error,
  NumberMAX_SAFE_INTEGER,
  ObjectSetPrototypeOf,
  SymbolAsyncIterator,
  SymbolDispose,
  newPromise,
} = primordials;

/**
 * Adds a listener to an emitter or an EventTarget.
 *
 * @param {any} emitter
 * @param {any} name
 * @param {(...args: any[]) => void} listener
 * @param {boolean} once
 * @returns {() => void} Takes the listener away again.
 */
function listen(emitter, name, listener, once) {
  if (typeof emitter?.on === 'function') {
    if (once) {
      emitter.once(name, listener);
    } else {
      emitter.on(name, listener);
    }
    return () => emitter.removeListener(name, listener);
  }
  if (typeof emitter?.addEventListener === 'function') {
    emitter.addEventListener(name, listener, { __proto__: null, once });
    return () => emitter.removeEventListener(name, listener);
  }
  throw invalidArgType('emitter', 'EventEmitter', emitter);
}

/**
 * A promise of the arguments of the next event; it rejects with the next 'error', unless that is the event.
 *
 * @param {any} emitter
 * @param {string | symbol} name
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<any[]>}
 */
export async function once(emitter, name, options = undefined) {
  if (options !== undefined) {
    validateObject(options, 'options');
  }
  const signal = options?.signal;
  validateAbortSignal(signal, 'options.signal');
  throwIfAborted(signal);
  const { promise, resolve, reject } = newPromise();
  /** @type {(() => void)[]} */
  const cleanups = [];
  const cleanUp = () => {
    for (let i = 0; i < cleanups.length; i++) {
      cleanups[i]();
    }
  };
  ArrayPrototypePush(cleanups, listen(emitter, name, (/** @type {any[]} */ ...args) => {
    cleanUp();
    resolve(args);
  }, true));
  // An EventTarget's 'error' is an event like others.
  if (name !== 'error' && typeof emitter.once === 'function') {
    ArrayPrototypePush(cleanups, listen(emitter, 'error', (error) => {
      cleanUp();
      reject(error);
    }, true));
  }
  if (signal) {
    ArrayPrototypePush(cleanups, onAbort(signal, () => {
      cleanUp();
      reject(new AbortError(/** @type {any} */ (signal).reason));
    }));
  }
  return promise;
}

/**
 * A first-in-first-out queue over an array; taking does not move what is left.
 */
class Fifo {
  /** @type {any[]} */
  #items = [];
  #head = 0;

  get size() {
    return this.#items.length - this.#head;
  }

  /** @param {any} item */
  push(item) {
    ArrayPrototypePush(this.#items, item);
  }

  shift() {
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    }
    return item;
  }
}

/**
 * An async iterator over the arguments of each event from now on. An 'error' event makes it throw, once what came
 * before has been read.
 *
 * @param {any} emitter
 * @param {string | symbol} name
 * @param {{ signal?: AbortSignal, close?: string[], highWaterMark?: number, lowWaterMark?: number }} [options]
 * @returns {AsyncIterator<any[]> & AsyncIterable<any[]>}
 */
export function on(emitter, name, options = {}) {
  validateObject(options, 'options');
  const { signal, close } = options;
  validateAbortSignal(signal, 'options.signal');
  throwIfAborted(signal);
  const { highWaterMark = NumberMAX_SAFE_INTEGER, lowWaterMark = 1 } = options;
  validateInteger(highWaterMark, 'options.highWaterMark', 1);
  validateInteger(lowWaterMark, 'options.lowWaterMark', 1);

  const unread = new Fifo();
  const waiting = new Fifo();
  /** @type {(() => void)[]} */
  const cleanups = [];
  /** @type {{ error: any } | undefined} */
  let failure;
  let finished = false;
  let paused = false;

  /**
   * @param {any} value
   * @param {boolean} done
   */
  const result = (value, done) => ({ value, done });

  const finish = () => {
    finished = true;
    for (let i = 0; i < cleanups.length; i++) {
      cleanups[i]();
    }
    cleanups.length = 0;
    while (waiting.size > 0) {
      waiting.shift().resolve(result(undefined, true));
    }
    return result(undefined, true);
  };

  /** @param {any} error */
  const fail = (error) => {
    if (waiting.size > 0) {
      waiting.shift().reject(error);
    } else {
      failure = { error };
    }
    finish();
  };

  /** @param {any[]} args */
  const receive = (...args) => {
    if (waiting.size > 0) {
      waiting.shift().resolve(result(args, false));
      return;
    }
    unread.push(args);
    if (!paused && unread.size > highWaterMark) {
      paused = true;
      emitter.pause?.();
    }
  };

  ArrayPrototypePush(cleanups, listen(emitter, name, receive, false));
  if (name !== 'error' && typeof emitter.on === 'function') {
    ArrayPrototypePush(cleanups, listen(emitter, 'error', fail, false));
  }
  for (let i = 0; close !== undefined && i < close.length; i++) {
    ArrayPrototypePush(cleanups, listen(emitter, close[i], finish, false));
  }
  if (signal) {
    ArrayPrototypePush(cleanups, onAbort(signal, () => fail(new AbortError(/** @type {any} */ (signal).reason))));
  }

  return ObjectSetPrototypeOf({
    async next() {
      if (unread.size > 0) {
        const args = unread.shift();
        if (paused && unread.size < lowWaterMark) {
          paused = false;
          emitter.resume?.();
        }
        return result(args, false);
      }
      if (failure !== undefined) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (finished) {
        return finish();
      }
      const { promise, resolve, reject } = newPromise();
      waiting.push({ __proto__: null, resolve, reject });
      return promise;
    },
    async return() {
      return finish();
    },
    /** @param {any} error */
    throw(error) {
      if (!(error instanceof Error)) {
        throw invalidArgType('EventEmitter.AsyncIterator', 'Error', error);
      }
      fail(error);
    },
    [SymbolAsyncIterator]() {
      return this;
    },
  }, AsyncIteratorPrototype);
}

/**
 * Calls `listener` when the signal aborts; at once if it has.
 *
 * @param {AbortSignal} signal
 * @param {(event?: any) => void} listener
 * @returns {any} An object whose `Symbol.dispose` takes the listener away.
 */
export function addAbortListener(signal, listener) {
  if (signal === undefined) {
    throw invalidArgType('signal', 'AbortSignal', signal);
  }
  validateAbortSignal(signal, 'signal');
  validateFunction(listener, 'listener');
  let remove = () => {};
  if (signal.aborted) {
    nextTick(listener);
  } else {
    remove = onAbort(signal, listener);
  }
  return {
    __proto__: null,
    [SymbolDispose]() {
      remove();
    },
  };
}
