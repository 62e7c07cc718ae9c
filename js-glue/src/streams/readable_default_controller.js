// @ts-check
// Streams §4.6 and §4.9.4: the controller of readable streams whose chunks are any values.

import { primordials } from '../primordials.js';
import { configureInterface, illegalConstructor, kConstruct } from '../webidl.js';
import { invoke1, kDone, resolvedWith } from './promises.js';
import { SizedQueue } from './queue.js';
import { addRequest, closeReadable, errorReadable, fulfillRequest, ReadableState } from './readable_state.js';

const { FunctionPrototypeCall, PromisePrototypeThen, TypeError } = primordials;

/** @typedef {import('./readable_state.js').ReadRequest} ReadRequest */

const done = () => kDone;

export class DefaultControllerState {
  isByteController = false;
  queue = new SizedQueue();
  started = false;
  closeRequested = false;
  pullAgain = false;
  pulling = false;
  /** @type {ReadableState} */
  stream;
  /** @type {number} */
  highWaterMark;
  /** @type {((chunk: any) => number) | undefined} */
  sizeAlgorithm;
  /** Returns a promise and never throws; undefined when not needed any more. @type {(() => Promise<any>) | undefined} */
  pullAlgorithm;
  /** @type {((reason: any) => Promise<any>) | undefined} */
  cancelAlgorithm;
  /** @type {ReadableStreamDefaultController | undefined} */
  #object = undefined;
  // Made once per stream, so that a pull allocates no closures.
  #onPulled = () => {
    this.pulling = false;
    if (this.pullAgain) {
      this.pullAgain = false;
      callPullIfNeeded(this);
    }
  };
  #onPullFailed = (/** @type {any} */ error) => errorController(this, error);

  /**
   * @param {ReadableState} stream
   * @param {() => Promise<any>} pullAlgorithm
   * @param {(reason: any) => Promise<any>} cancelAlgorithm
   * @param {number} highWaterMark
   * @param {((chunk: any) => number) | undefined} sizeAlgorithm
   */
  constructor(stream, pullAlgorithm, cancelAlgorithm, highWaterMark, sizeAlgorithm) {
    this.stream = stream;
    this.pullAlgorithm = pullAlgorithm;
    this.cancelAlgorithm = cancelAlgorithm;
    this.highWaterMark = highWaterMark;
    this.sizeAlgorithm = sizeAlgorithm;
  }

  /** @returns {ReadableStreamDefaultController} */
  get object() {
    return (this.#object ??= new ReadableStreamDefaultController(kConstruct, this));
  }

  /** @param {any} reason @returns {Promise<any>} */
  cancelSteps(reason) {
    this.queue.reset();
    const result = /** @type {(reason: any) => Promise<any>} */ (this.cancelAlgorithm)(reason);
    this.clearAlgorithms();
    return result;
  }

  /** @param {ReadRequest} request */
  pullSteps(request) {
    if (this.queue.isEmpty) {
      addRequest(this.stream, request);
      callPullIfNeeded(this);
      return;
    }
    const chunk = this.queue.dequeue();
    if (this.closeRequested && this.queue.isEmpty) {
      this.clearAlgorithms();
      closeReadable(this.stream);
    } else {
      callPullIfNeeded(this);
    }
    request.chunkSteps(chunk);
  }

  releaseSteps() {}

  pull() {
    this.pulling = true;
    PromisePrototypeThen(/** @type {() => Promise<any>} */ (this.pullAlgorithm)(), this.#onPulled, this.#onPullFailed);
  }

  /** Lets go of the underlying source once it cannot be called any more. */
  clearAlgorithms() {
    this.pullAlgorithm = undefined;
    this.cancelAlgorithm = undefined;
    this.sizeAlgorithm = undefined;
  }

  /** "ReadableStreamDefaultControllerGetDesiredSize" @returns {number | null} */
  get desiredSize() {
    const { state } = this.stream;
    if (state === 'errored') return null;
    if (state === 'closed') return 0;
    return this.highWaterMark - this.queue.totalSize;
  }

  /** "ReadableStreamDefaultControllerCanCloseOrEnqueue" @returns {boolean} */
  get canCloseOrEnqueue() {
    return !this.closeRequested && this.stream.state === 'readable';
  }
}

/** "ReadableStreamDefaultControllerShouldCallPull" @param {DefaultControllerState} controller @returns {boolean} */
function shouldCallPull(controller) {
  if (!controller.canCloseOrEnqueue || !controller.started) return false;
  const { reader } = controller.stream;
  if (reader !== undefined && reader.requests.length > 0) return true;
  return controller.highWaterMark - controller.queue.totalSize > 0;
}

/** "ReadableStreamDefaultControllerCallPullIfNeeded" @param {DefaultControllerState} controller */
function callPullIfNeeded(controller) {
  if (!shouldCallPull(controller)) return;
  if (controller.pulling) controller.pullAgain = true;
  else controller.pull();
}

/** "ReadableStreamDefaultControllerHasBackpressure" @param {DefaultControllerState} controller @returns {boolean} */
export function hasBackpressure(controller) {
  return !shouldCallPull(controller);
}

/** "ReadableStreamDefaultControllerClose" @param {DefaultControllerState} controller */
export function closeController(controller) {
  if (!controller.canCloseOrEnqueue) return;
  controller.closeRequested = true;
  if (controller.queue.isEmpty) {
    controller.clearAlgorithms();
    closeReadable(controller.stream);
  }
}

/**
 * "ReadableStreamDefaultControllerEnqueue"
 * @param {DefaultControllerState} controller
 * @param {any} chunk
 */
export function enqueueChunk(controller, chunk) {
  if (!controller.canCloseOrEnqueue) return;
  const { stream } = controller;
  if (stream.reader !== undefined && stream.reader.requests.length > 0) {
    fulfillRequest(stream, chunk, false);
  } else {
    try {
      const { sizeAlgorithm } = controller;
      controller.queue.enqueue(chunk, sizeAlgorithm === undefined ? 1 : sizeAlgorithm(chunk));
    } catch (error) {
      errorController(controller, error);
      throw error;
    }
  }
  callPullIfNeeded(controller);
}

/**
 * "ReadableStreamDefaultControllerError"
 * @param {DefaultControllerState} controller
 * @param {any} error
 */
export function errorController(controller, error) {
  if (controller.stream.state !== 'readable') return;
  controller.queue.reset();
  controller.clearAlgorithms();
  errorReadable(controller.stream, error);
}

/**
 * "SetUpReadableStreamDefaultController", its last steps
 * @param {DefaultControllerState} controller
 * @param {any} startResult
 */
function start(controller, startResult) {
  PromisePrototypeThen(
    resolvedWith(startResult),
    () => {
      controller.started = true;
      callPullIfNeeded(controller);
    },
    (/** @type {any} */ error) => errorController(controller, error),
  );
}

/**
 * "CreateReadableStream". The algorithms return promises and never throw; `startPromise` holds pulling back until it is fulfilled.
 * @param {() => Promise<any>} pullAlgorithm
 * @param {(reason: any) => Promise<any>} cancelAlgorithm
 * @param {number} [highWaterMark]
 * @param {((chunk: any) => number) | undefined} [sizeAlgorithm]
 * @param {Promise<any> | undefined} [startPromise]
 * @returns {ReadableState}
 */
export function createReadable(pullAlgorithm, cancelAlgorithm, highWaterMark = 1, sizeAlgorithm = undefined, startPromise = undefined) {
  const stream = new ReadableState();
  stream.controller = new DefaultControllerState(stream, pullAlgorithm, cancelAlgorithm, highWaterMark, sizeAlgorithm);
  start(stream.controller, startPromise);
  return stream;
}

/**
 * "SetUpReadableStreamDefaultControllerFromUnderlyingSource"
 * @param {ReadableState} stream
 * @param {any} source
 * @param {any} dictionary
 * @param {number} highWaterMark
 * @param {((chunk: any) => number) | undefined} sizeAlgorithm
 */
export function setUpDefaultController(stream, source, dictionary, highWaterMark, sizeAlgorithm) {
  const { pull, cancel } = dictionary;
  /** @type {DefaultControllerState} */
  const controller = new DefaultControllerState(
    stream,
    pull === undefined ? done : () => invoke1(pull, source, controller.object),
    cancel === undefined ? done : (reason) => invoke1(cancel, source, reason),
    highWaterMark,
    sizeAlgorithm,
  );
  stream.controller = controller;
  start(controller, dictionary.start === undefined ? undefined : FunctionPrototypeCall(dictionary.start, source, controller.object));
}

export class ReadableStreamDefaultController {
  /** @type {DefaultControllerState} */
  #state;

  /**
   * @param {symbol} token
   * @param {DefaultControllerState} state
   */
  constructor(token, state) {
    if (token !== kConstruct) illegalConstructor();
    this.#state = state;
  }

  /** @returns {number | null} */
  get desiredSize() {
    return this.#state.desiredSize;
  }

  close() {
    const state = this.#state;
    if (!state.canCloseOrEnqueue) throw new TypeError('The stream is not in a state that permits close');
    closeController(state);
  }

  /** @param {any} [chunk] */
  enqueue(chunk = undefined) {
    const state = this.#state;
    if (!state.canCloseOrEnqueue) throw new TypeError('The stream is not in a state that permits enqueue');
    enqueueChunk(state, chunk);
  }

  /** @param {any} [error] */
  error(error = undefined) {
    errorController(this.#state, error);
  }
}
configureInterface(ReadableStreamDefaultController, { constructible: false });
