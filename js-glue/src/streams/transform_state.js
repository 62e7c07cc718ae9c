// @ts-check
// Streams §6.4: the algorithms of transform streams, as a writable and a readable end joined by a transformer.

import { primordials } from '../primordials.js';
import { kDone } from './promises.js';
import { closeController, createReadable, enqueueChunk, errorController, hasBackpressure } from './readable_default_controller.js';
import { createWritable, errorIfNeeded } from './writable_controller.js';

const { newPromise, PromisePrototypeThen, TypeError } = primordials;

/**
 * Algorithms return promises and never throw.
 * @typedef {object} TransformAlgorithms
 * @property {(chunk: any) => Promise<any>} transform
 * @property {() => Promise<any>} flush
 * @property {(reason: any) => Promise<any>} cancel
 */

export class TransformState {
  /** undefined once the transformer will not be called any more @type {TransformAlgorithms | undefined} */
  algorithms;
  /** @type {import('./readable_state.js').ReadableState} */
  readable;
  /** @type {import('./writable_state.js').WritableState} */
  writable;
  backpressure = true;
  /** Settled, and replaced, whenever `backpressure` changes. */
  #backpressureChange = newPromise();
  /** Set when either end finishes: flush and cancel run once between them. @type {any} */
  #finish = undefined;
  #onTransformFailed = (/** @type {any} */ error) => {
    this.error(error);
    throw error;
  };

  /**
   * "InitializeTransformStream"
   * @param {TransformAlgorithms} algorithms
   * @param {number} writableHighWaterMark
   * @param {((chunk: any) => number) | undefined} writableSize
   * @param {number} readableHighWaterMark
   * @param {((chunk: any) => number) | undefined} readableSize
   * @param {Promise<any> | undefined} startPromise
   */
  constructor(algorithms, writableHighWaterMark, writableSize, readableHighWaterMark, readableSize, startPromise) {
    this.algorithms = algorithms;
    const sink = {
      __proto__: null,
      write: (/** @type {any} */ chunk) => this.#sinkWrite(chunk),
      close: () => this.#sinkClose(),
      abort: (/** @type {any} */ reason) => this.#sinkAbort(reason),
    };
    this.writable = createWritable(sink, writableHighWaterMark, writableSize, startPromise);
    this.readable = createReadable(
      () => this.#sourcePull(),
      (reason) => this.#sourceCancel(reason),
      readableHighWaterMark,
      readableSize,
      startPromise,
    );
  }

  /** "TransformStreamError" @param {any} error */
  error(error) {
    errorController(this.readable.controller, error);
    this.#errorWritableAndUnblockWrite(error);
  }

  /** "TransformStreamErrorWritableAndUnblockWrite" @param {any} error */
  #errorWritableAndUnblockWrite(error) {
    this.algorithms = undefined;
    errorIfNeeded(this.writable.controller, error);
    this.#unblockWrite();
  }

  /** "TransformStreamUnblockWrite" */
  #unblockWrite() {
    if (this.backpressure) this.#setBackpressure(false);
  }

  /** Fulfilled when `backpressure` changes. @returns {Promise<undefined>} */
  get backpressureChange() {
    return this.#backpressureChange.promise;
  }

  /** "TransformStreamSetBackpressure" @param {boolean} backpressure */
  #setBackpressure(backpressure) {
    this.#backpressureChange.resolve(undefined);
    this.#backpressureChange = newPromise();
    this.backpressure = backpressure;
  }

  /** "TransformStreamDefaultControllerEnqueue" @param {any} chunk */
  enqueue(chunk) {
    const { readable } = this;
    const { controller } = readable;
    if (!controller.canCloseOrEnqueue) throw new TypeError('The readable end is not in a state that permits enqueue');
    try {
      enqueueChunk(controller, chunk);
    } catch (error) {
      this.#errorWritableAndUnblockWrite(error);
      throw readable.storedError;
    }
    if (hasBackpressure(controller) !== this.backpressure) this.#setBackpressure(true);
  }

  /** "TransformStreamDefaultControllerTerminate" */
  terminate() {
    closeController(this.readable.controller);
    this.#errorWritableAndUnblockWrite(new TypeError('The transform stream was terminated'));
  }

  /** "TransformStreamDefaultControllerPerformTransform" @param {any} chunk */
  #performTransform(chunk) {
    const { algorithms } = this;
    if (algorithms === undefined) return this.#rejectLateWrite();
    const result = algorithms.transform(chunk);
    // Nothing to react to, as there is no way for this one to fail.
    return result === kDone ? kDone : PromisePrototypeThen(result, undefined, this.#onTransformFailed);
  }

  /**
   * A write that comes while the readable end's cancellation is under way has no transformer to go to any more. It fails as soon as that is over.
   * @returns {Promise<never>}
   */
  #rejectLateWrite() {
    const over = this.#finish === undefined ? kDone : this.#finish.promise;
    return PromisePrototypeThen(over, () => {
      throw this.writable.storedError;
    });
  }

  /** "TransformStreamDefaultSinkWriteAlgorithm" @param {any} chunk @returns {Promise<any>} */
  #sinkWrite(chunk) {
    if (!this.backpressure) return this.#performTransform(chunk);
    return PromisePrototypeThen(this.#backpressureChange.promise, () => {
      const { writable } = this;
      if (writable.state === 'erroring') throw writable.storedError;
      return this.#performTransform(chunk);
    });
  }

  /**
   * Flush or cancel. Neither runs if the stream was errored or terminated before an end got here.
   * @param {(algorithms: TransformAlgorithms) => Promise<any>} call
   * @returns {Promise<any>}
   */
  #lastCall(call) {
    const { algorithms } = this;
    if (algorithms === undefined) return kDone;
    const result = call(algorithms);
    this.algorithms = undefined;
    return result;
  }

  /** "TransformStreamDefaultSinkAbortAlgorithm" @param {any} reason @returns {Promise<any>} */
  #sinkAbort(reason) {
    if (this.#finish !== undefined) return this.#finish.promise;
    const { readable } = this;
    const finish = (this.#finish = newPromise());
    const canceled = this.#lastCall((algorithms) => algorithms.cancel(reason));
    PromisePrototypeThen(
      canceled,
      () => {
        if (readable.state === 'errored') {
          finish.reject(readable.storedError);
        } else {
          errorController(readable.controller, reason);
          finish.resolve(undefined);
        }
      },
      (/** @type {any} */ error) => {
        errorController(readable.controller, error);
        finish.reject(error);
      },
    );
    return finish.promise;
  }

  /** "TransformStreamDefaultSinkCloseAlgorithm" @returns {Promise<any>} */
  #sinkClose() {
    if (this.#finish !== undefined) return this.#finish.promise;
    const { readable } = this;
    const finish = (this.#finish = newPromise());
    const flushed = this.#lastCall((algorithms) => algorithms.flush());
    PromisePrototypeThen(
      flushed,
      () => {
        if (readable.state === 'errored') {
          finish.reject(readable.storedError);
        } else {
          closeController(readable.controller);
          finish.resolve(undefined);
        }
      },
      (/** @type {any} */ error) => {
        errorController(readable.controller, error);
        finish.reject(error);
      },
    );
    return finish.promise;
  }

  /** "TransformStreamDefaultSourceCancelAlgorithm" @param {any} reason @returns {Promise<any>} */
  #sourceCancel(reason) {
    if (this.#finish !== undefined) return this.#finish.promise;
    const { writable } = this;
    const finish = (this.#finish = newPromise());
    const canceled = this.#lastCall((algorithms) => algorithms.cancel(reason));
    PromisePrototypeThen(
      canceled,
      () => {
        if (writable.state === 'errored') {
          finish.reject(writable.storedError);
        } else {
          errorIfNeeded(writable.controller, reason);
          this.#unblockWrite();
          finish.resolve(undefined);
        }
      },
      (/** @type {any} */ error) => {
        errorIfNeeded(writable.controller, error);
        this.#unblockWrite();
        finish.reject(error);
      },
    );
    return finish.promise;
  }

  /** "TransformStreamDefaultSourcePullAlgorithm" @returns {Promise<any>} */
  #sourcePull() {
    this.#setBackpressure(false);
    return this.#backpressureChange.promise;
  }
}
