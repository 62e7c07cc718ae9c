// @ts-check
// Streams §5.4 and §5.5.4: WritableStreamDefaultController.

import { createAbortSignal, signalAbort } from '../abort.js';
import { primordials } from '../primordials.js';
import { configureInterface, illegalConstructor, kConstruct } from '../webidl.js';
import { invoke0, invoke1, invoke2, kDone, resolvedWith } from './promises.js';
import { SizedQueue } from './queue.js';
import {
  dealWithRejection,
  finishErroring,
  finishInFlightClose,
  finishInFlightCloseWithError,
  finishInFlightWrite,
  finishInFlightWriteWithError,
  isCloseQueuedOrInFlight,
  startErroring,
  updateBackpressure,
  WritableState,
} from './writable_state.js';

const { FunctionPrototypeCall, PromisePrototypeThen, Symbol } = primordials;

/** @typedef {import('../abort.js').AbortSignal} AbortSignal */

/** "Close sentinel": the last entry of a queue. */
const kClose = Symbol('close');

const done = () => kDone;

/**
 * The sink's half of a stream. Algorithms return promises and never throw.
 * @typedef {object} SinkAlgorithms
 * @property {(chunk: any) => Promise<any>} write
 * @property {() => Promise<any>} close
 * @property {(reason: any) => Promise<any>} abort
 */

export class WritableControllerState {
  queue = new SizedQueue();
  started = false;
  /** @type {WritableState} */
  stream;
  /** @type {number} */
  highWaterMark;
  /** @type {((chunk: any) => number) | undefined} */
  sizeAlgorithm;
  /** undefined once the sink will not be called any more @type {SinkAlgorithms | undefined} */
  algorithms;
  /** @type {WritableStreamDefaultController | undefined} */
  #object = undefined;
  /** @type {AbortSignal | undefined} */
  #signal = undefined;
  #aborted = false;
  /** @type {any} */
  #abortReason = undefined;
  // Made once per stream, so that a write allocates no closures.
  #onWritten = () => this.#written();
  #onWriteFailed = (/** @type {any} */ error) => {
    if (this.stream.state === 'writable') this.clearAlgorithms();
    finishInFlightWriteWithError(this.stream, error);
  };

  /**
   * @param {WritableState} stream
   * @param {SinkAlgorithms} algorithms
   * @param {number} highWaterMark
   * @param {((chunk: any) => number) | undefined} sizeAlgorithm
   */
  constructor(stream, algorithms, highWaterMark, sizeAlgorithm) {
    this.stream = stream;
    this.algorithms = algorithms;
    this.highWaterMark = highWaterMark;
    this.sizeAlgorithm = sizeAlgorithm;
    stream.backpressure = this.hasBackpressure;
  }

  /** @returns {WritableStreamDefaultController} */
  get object() {
    return (this.#object ??= new WritableStreamDefaultController(kConstruct, this));
  }

  /** "[[abortController]]"'s signal, made when somebody asks. @returns {AbortSignal} */
  get signal() {
    let signal = this.#signal;
    if (signal === undefined) {
      signal = this.#signal = createAbortSignal();
      if (this.#aborted) signalAbort(signal, this.#abortReason);
    }
    return signal;
  }

  /** @param {any} reason */
  signalAbort(reason) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#abortReason = reason;
    if (this.#signal !== undefined) signalAbort(this.#signal, reason);
  }

  /** "WritableStreamDefaultControllerGetDesiredSize" @returns {number} */
  get desiredSize() {
    return this.highWaterMark - this.queue.totalSize;
  }

  /** "WritableStreamDefaultControllerGetBackpressure" @returns {boolean} */
  get hasBackpressure() {
    return this.highWaterMark - this.queue.totalSize <= 0;
  }

  /** "[[AbortSteps]]" @param {any} reason @returns {Promise<any>} */
  abortSteps(reason) {
    const result = /** @type {SinkAlgorithms} */ (this.algorithms).abort(reason);
    this.clearAlgorithms();
    return result;
  }

  /** "[[ErrorSteps]]" */
  errorSteps() {
    this.queue.reset();
  }

  /** Lets go of the underlying sink once it cannot be called any more. */
  clearAlgorithms() {
    this.algorithms = undefined;
    this.sizeAlgorithm = undefined;
  }

  /** "WritableStreamDefaultControllerClose" */
  close() {
    this.queue.enqueue(kClose, 0);
    this.#advanceQueue();
  }

  /** "WritableStreamDefaultControllerGetChunkSize" @param {any} chunk @returns {number} */
  chunkSize(chunk) {
    const { sizeAlgorithm } = this;
    if (sizeAlgorithm === undefined) return 1;
    try {
      return sizeAlgorithm(chunk);
    } catch (error) {
      errorIfNeeded(this, error);
      return 1;
    }
  }

  /**
   * "WritableStreamDefaultControllerWrite"
   * @param {any} chunk
   * @param {number} size
   */
  write(chunk, size) {
    const { stream } = this;
    try {
      this.queue.enqueue(chunk, size);
    } catch (error) {
      errorIfNeeded(this, error);
      return;
    }
    if (!isCloseQueuedOrInFlight(stream) && stream.state === 'writable') updateBackpressure(stream, this.hasBackpressure);
    this.#advanceQueue();
  }

  /** "WritableStreamDefaultControllerAdvanceQueueIfNeeded" */
  #advanceQueue() {
    const { stream } = this;
    if (!this.started || stream.inFlightWriteRequest !== undefined) return;
    if (stream.state === 'erroring') {
      finishErroring(stream);
      return;
    }
    if (this.queue.isEmpty) return;
    const value = this.queue.peek();
    if (value === kClose) this.#processClose();
    else this.#processWrite(value);
  }

  /** "WritableStreamDefaultControllerProcessClose" */
  #processClose() {
    const { stream } = this;
    stream.inFlightCloseRequest = stream.closeRequest;
    stream.closeRequest = undefined;
    this.queue.dequeue();
    const result = /** @type {SinkAlgorithms} */ (this.algorithms).close();
    this.clearAlgorithms();
    PromisePrototypeThen(
      result,
      () => finishInFlightClose(stream),
      (/** @type {any} */ error) => finishInFlightCloseWithError(stream, error),
    );
  }

  /** "WritableStreamDefaultControllerProcessWrite" @param {any} chunk */
  #processWrite(chunk) {
    const { stream } = this;
    stream.inFlightWriteRequest = stream.writeRequests.shift();
    PromisePrototypeThen(/** @type {SinkAlgorithms} */ (this.algorithms).write(chunk), this.#onWritten, this.#onWriteFailed);
  }

  #written() {
    const { stream } = this;
    finishInFlightWrite(stream);
    this.queue.dequeue();
    if (!isCloseQueuedOrInFlight(stream) && stream.state === 'writable') updateBackpressure(stream, this.hasBackpressure);
    this.#advanceQueue();
  }

  /** The last steps of "SetUpWritableStreamDefaultController" @param {any} startResult */
  start(startResult) {
    PromisePrototypeThen(
      resolvedWith(startResult),
      () => {
        this.started = true;
        this.#advanceQueue();
      },
      (/** @type {any} */ error) => {
        this.started = true;
        dealWithRejection(this.stream, error);
      },
    );
  }
}

/**
 * "WritableStreamDefaultControllerError"
 * @param {WritableControllerState} controller
 * @param {any} error
 */
function errorController(controller, error) {
  controller.clearAlgorithms();
  startErroring(controller.stream, error);
}

/**
 * "WritableStreamDefaultControllerErrorIfNeeded"
 * @param {WritableControllerState} controller
 * @param {any} error
 */
export function errorIfNeeded(controller, error) {
  if (controller.stream.state === 'writable') errorController(controller, error);
}

/**
 * "CreateWritableStream"; `startPromise` holds the first write back until it is fulfilled.
 * @param {SinkAlgorithms} algorithms
 * @param {number} highWaterMark
 * @param {((chunk: any) => number) | undefined} sizeAlgorithm
 * @param {Promise<any> | undefined} [startPromise]
 * @returns {WritableState}
 */
export function createWritable(algorithms, highWaterMark, sizeAlgorithm, startPromise = undefined) {
  const stream = new WritableState();
  stream.controller = new WritableControllerState(stream, algorithms, highWaterMark, sizeAlgorithm);
  stream.controller.start(startPromise);
  return stream;
}

/**
 * "SetUpWritableStreamDefaultControllerFromUnderlyingSink"
 * @param {WritableState} stream
 * @param {any} sink
 * @param {any} dictionary
 * @param {number} highWaterMark
 * @param {((chunk: any) => number) | undefined} sizeAlgorithm
 */
export function setUpWritableController(stream, sink, dictionary, highWaterMark, sizeAlgorithm) {
  const { abort, close, start, write } = dictionary;
  /** @type {any} */
  const algorithms = {
    __proto__: null,
    write: write === undefined ? done : (/** @type {any} */ chunk) => invoke2(write, sink, chunk, controller.object),
    close: close === undefined ? done : () => invoke0(close, sink),
    abort: abort === undefined ? done : (/** @type {any} */ reason) => invoke1(abort, sink, reason),
  };
  /** @type {WritableControllerState} */
  const controller = new WritableControllerState(stream, algorithms, highWaterMark, sizeAlgorithm);
  stream.controller = controller;
  controller.start(start === undefined ? undefined : FunctionPrototypeCall(start, sink, controller.object));
}

export class WritableStreamDefaultController {
  /** @type {WritableControllerState} */
  #state;

  /**
   * @param {symbol} token
   * @param {WritableControllerState} state
   */
  constructor(token, state) {
    if (token !== kConstruct) illegalConstructor();
    this.#state = state;
  }

  /** @returns {AbortSignal} */
  get signal() {
    return this.#state.signal;
  }

  /** @param {any} [error] */
  error(error = undefined) {
    errorIfNeeded(this.#state, error);
  }
}
configureInterface(WritableStreamDefaultController, { constructible: false });
