// @ts-check
// Streams §4.2.5 "Asynchronous iteration" by the rules of Web IDL §3.7.10.
//
// Departure: a chunk becomes `value` as it is. By the letter it would go through a promise of its own first, so that a chunk that is a thenable
// would be unwrapped; no engine does that.

import { primordials } from '../primordials.js';
import { PromisedRead } from './promised_read.js';
import { kDone } from './promises.js';
import { acquireReader, cancelReadable, readDefault, releaseReader } from './readable_state.js';

const {
  AsyncIteratorPrototype,
  ObjectDefineProperty,
  ObjectSetPrototypeOf,
  PromisePrototypeThen,
  PromiseReject,
  PromiseResolve,
  SymbolToStringTag,
} = primordials;

class Iteration {
  /** @type {import('./readable_state.js').ReaderState} */
  reader;
  /** @type {boolean} */
  preventCancel;
  finished = false;
  /** The last `next` or `return`, while it is under way. @type {Promise<IteratorResult<any>> | undefined} */
  ongoing = undefined;
  /** How many calls have begun and not settled. */
  outstanding = 0;

  /**
   * @param {import('./readable_state.js').ReadableState} stream
   * @param {boolean} preventCancel
   */
  constructor(stream, preventCancel) {
    this.reader = acquireReader(stream);
    this.preventCancel = preventCancel;
  }

  /** "Get the next iteration result" @returns {Promise<IteratorResult<any>>} */
  nextSteps() {
    if (this.finished) return PromiseResolve({ value: undefined, done: true });
    const read = new IteratedRead(this);
    readDefault(this.reader, read);
    return read.promise;
  }

  /**
   * "Asynchronous iterator return"
   * @param {any} value
   * @returns {Promise<any>}
   */
  returnSteps(value) {
    if (this.finished) return kDone;
    this.finished = true;
    const { reader } = this;
    let result = kDone;
    if (!this.preventCancel) result = cancelReadable(/** @type {any} */ (reader.stream), value);
    releaseReader(reader);
    return result;
  }

  /**
   * Calls run one after another: each waits for the one before, however that ends.
   * @param {any} value
   * @param {boolean} isReturn
   * @returns {Promise<any>}
   */
  call(value, isReturn) {
    const { ongoing } = this;
    this.outstanding++;
    let promise;
    if (ongoing === undefined) {
      promise = isReturn ? this.returnSteps(value) : this.nextSteps();
    } else {
      const steps = isReturn ? () => this.returnSteps(value) : () => this.nextSteps();
      promise = PromisePrototypeThen(ongoing, steps, steps);
    }
    // A chunk that was there already leaves nothing to wait for.
    if (this.outstanding > 0) this.ongoing = promise;
    return promise;
  }

  /** With nothing under way, the next call need not wait: a loop reads without a detour. */
  settled() {
    if (--this.outstanding === 0) this.ongoing = undefined;
  }
}

class IteratedRead extends PromisedRead {
  /** @type {Iteration} */
  #iteration;

  /** @param {Iteration} iteration */
  constructor(iteration) {
    super();
    this.#iteration = iteration;
  }

  /** @param {any} chunk */
  chunkSteps(chunk) {
    this.#iteration.settled();
    super.chunkSteps(chunk);
  }

  closeSteps() {
    this.#finish();
    super.closeSteps();
  }

  /** @param {any} error */
  errorSteps(error) {
    this.#finish();
    super.errorSteps(error);
  }

  #finish() {
    const iteration = this.#iteration;
    iteration.finished = true;
    iteration.settled();
    // Unlocked at once, not when the result is looked at.
    if (iteration.reader.stream !== undefined) releaseReader(iteration.reader);
  }
}

/** @type {(stream: import('./readable_state.js').ReadableState, preventCancel: boolean) => any} */
export let createIterator;

/** The class of the iterators; scripts reach its prototype only. */
class ReadableStreamAsyncIterator {
  /** @type {Iteration} */
  #iteration;

  static {
    createIterator = (stream, preventCancel) => new ReadableStreamAsyncIterator(new Iteration(stream, preventCancel));
  }

  /** @param {Iteration} iteration */
  constructor(iteration) {
    this.#iteration = iteration;
  }

  /** @returns {Promise<IteratorResult<any>>} */
  next() {
    try {
      return this.#iteration.call(undefined, false);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /**
   * @param {any} [value]
   * @returns {Promise<IteratorResult<any>>}
   */
  return(value) {
    try {
      return PromisePrototypeThen(this.#iteration.call(value, true), () => ({ value, done: true }));
    } catch (error) {
      return PromiseReject(error);
    }
  }
}
const { prototype } = ReadableStreamAsyncIterator;
// Not an interface: no constructor to be found, and %AsyncIteratorPrototype% above.
delete (/** @type {any} */ (prototype).constructor);
ObjectSetPrototypeOf(prototype, AsyncIteratorPrototype);
ObjectDefineProperty(prototype, 'next', { __proto__: null, enumerable: true });
ObjectDefineProperty(prototype, 'return', { __proto__: null, enumerable: true });
ObjectDefineProperty(prototype, SymbolToStringTag, {
  __proto__: null,
  value: 'ReadableStream AsyncIterator',
  writable: false,
  enumerable: false,
  configurable: true,
});
