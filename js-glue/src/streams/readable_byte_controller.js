// @ts-check
// Streams §4.9.5: the controller of readable byte streams. What concerns the buffers that readers bring along is in pull_into.js, the two
// interface classes that scripts see in readable_byte_interfaces.js.

import { primordials } from '../primordials.js';
import { bufferOf } from '../webidl.js';
import { byteLengthOf, byteOffsetOf, cloneBuffer, transferBuffer } from './buffers.js';
import { invoke1, kDone, resolvedWith } from './promises.js';
import { commitPullIntos, enqueueDetachedPullInto, fillPullIntos, newAutoAllocated } from './pull_into.js';
import { Queue } from './queue.js';
import { invalidateByobRequest, newByteController } from './readable_byte_interfaces.js';
import {
  addRequest,
  closeReadable,
  errorReadable,
  fulfillRequest,
  hasByobReader,
  hasDefaultReader,
  pendingRequestCount,
  ReadableState,
} from './readable_state.js';

const { ArrayBuffer, ArrayBufferPrototypeGetDetached, FunctionPrototypeCall, PromisePrototypeThen, TypeError, Uint8Array } = primordials;

/** @typedef {import('./readable_state.js').ReadRequest} ReadRequest */

/**
 * "Readable byte stream queue entry"
 * @typedef {object} QueueEntry
 * @property {ArrayBuffer} buffer
 * @property {number} byteOffset
 * @property {number} byteLength
 */

const done = () => kDone;

export class ByteControllerState {
  isByteController = true;
  /** Of `QueueEntry`. */
  queue = new Queue();
  queueTotalSize = 0;
  started = false;
  closeRequested = false;
  pullAgain = false;
  pulling = false;
  /** The ReadableStreamBYOBRequest that a script may hold. @type {any} */
  byobRequest = null;
  /** Of `PullInto`. */
  pendingPullIntos = new Queue();
  /** @type {ReadableState} */
  stream;
  /** @type {number} */
  highWaterMark;
  /** @type {number | undefined} */
  autoAllocateChunkSize;
  /** @type {(() => Promise<any>) | undefined} */
  pullAlgorithm;
  /** @type {((reason: any) => Promise<any>) | undefined} */
  cancelAlgorithm;
  /** @type {any} */
  #object = undefined;
  #onPulled = () => {
    this.pulling = false;
    if (this.pullAgain) {
      this.pullAgain = false;
      callPullIfNeeded(this);
    }
  };
  #onPullFailed = (/** @type {any} */ error) => errorByteController(this, error);

  /**
   * @param {ReadableState} stream
   * @param {() => Promise<any>} pullAlgorithm
   * @param {(reason: any) => Promise<any>} cancelAlgorithm
   * @param {number} highWaterMark
   * @param {number | undefined} autoAllocateChunkSize
   */
  constructor(stream, pullAlgorithm, cancelAlgorithm, highWaterMark, autoAllocateChunkSize) {
    this.stream = stream;
    this.pullAlgorithm = pullAlgorithm;
    this.cancelAlgorithm = cancelAlgorithm;
    this.highWaterMark = highWaterMark;
    this.autoAllocateChunkSize = autoAllocateChunkSize;
  }

  /** @returns {import('./readable_byte_interfaces.js').ReadableByteStreamController} */
  get object() {
    return (this.#object ??= newByteController(this));
  }

  /** @param {any} reason @returns {Promise<any>} */
  cancelSteps(reason) {
    clearPendingPullIntos(this);
    resetQueue(this);
    const result = /** @type {(reason: any) => Promise<any>} */ (this.cancelAlgorithm)(reason);
    this.clearAlgorithms();
    return result;
  }

  /** @param {ReadRequest} request */
  pullSteps(request) {
    if (this.queueTotalSize > 0) {
      fillReadRequestFromQueue(this, request);
      return;
    }
    const { autoAllocateChunkSize } = this;
    if (autoAllocateChunkSize !== undefined) {
      let buffer;
      try {
        buffer = new ArrayBuffer(autoAllocateChunkSize);
      } catch (error) {
        request.errorSteps(error);
        return;
      }
      this.pendingPullIntos.push(newAutoAllocated(buffer));
    }
    addRequest(this.stream, request);
    callPullIfNeeded(this);
  }

  releaseSteps() {
    if (this.pendingPullIntos.length === 0) return;
    const first = this.pendingPullIntos.shift();
    first.readerType = 'none';
    this.pendingPullIntos.clear();
    this.pendingPullIntos.push(first);
  }

  pull() {
    this.pulling = true;
    PromisePrototypeThen(/** @type {() => Promise<any>} */ (this.pullAlgorithm)(), this.#onPulled, this.#onPullFailed);
  }

  clearAlgorithms() {
    this.pullAlgorithm = undefined;
    this.cancelAlgorithm = undefined;
  }

  /** "ReadableByteStreamControllerGetDesiredSize" @returns {number | null} */
  get desiredSize() {
    const { state } = this.stream;
    if (state === 'errored') return null;
    if (state === 'closed') return 0;
    return this.highWaterMark - this.queueTotalSize;
  }
}

/** @param {ByteControllerState} controller */
function resetQueue(controller) {
  controller.queue.clear();
  controller.queueTotalSize = 0;
}

/** @param {ByteControllerState} controller @returns {boolean} */
function shouldCallPull(controller) {
  const { stream } = controller;
  if (stream.state !== 'readable' || controller.closeRequested || !controller.started) return false;
  if (stream.reader !== undefined && stream.reader.requests.length > 0) return true;
  return controller.highWaterMark - controller.queueTotalSize > 0;
}

/** "ReadableByteStreamControllerCallPullIfNeeded" @param {ByteControllerState} controller */
export function callPullIfNeeded(controller) {
  if (!shouldCallPull(controller)) return;
  if (controller.pulling) controller.pullAgain = true;
  else controller.pull();
}

/** @param {ByteControllerState} controller */
function clearPendingPullIntos(controller) {
  invalidateByobRequest(controller);
  controller.pendingPullIntos.clear();
}

/** "ReadableByteStreamControllerClose" @param {ByteControllerState} controller */
export function closeByteController(controller) {
  const { pendingPullIntos, stream } = controller;
  if (controller.closeRequested || stream.state !== 'readable') return;
  if (controller.queueTotalSize > 0) {
    controller.closeRequested = true;
    return;
  }
  if (pendingPullIntos.length > 0) {
    const first = pendingPullIntos.peek();
    if (first.bytesFilled % first.elementSize !== 0) {
      const error = new TypeError('The stream was closed in the middle of an element');
      errorByteController(controller, error);
      throw error;
    }
  }
  controller.clearAlgorithms();
  closeReadable(stream);
}

/**
 * "ReadableByteStreamControllerEnqueue"
 * @param {ByteControllerState} controller
 * @param {ArrayBufferView} chunk
 */
export function enqueueBytes(controller, chunk) {
  const { pendingPullIntos, stream } = controller;
  if (controller.closeRequested || stream.state !== 'readable') return;
  const buffer = /** @type {ArrayBuffer} */ (bufferOf(chunk));
  const byteOffset = byteOffsetOf(chunk);
  const byteLength = byteLengthOf(chunk);
  if (ArrayBufferPrototypeGetDetached(buffer)) throw new TypeError('The chunk is backed by a detached buffer');
  const transferred = transferBuffer(buffer);
  if (pendingPullIntos.length > 0) {
    const first = pendingPullIntos.peek();
    if (ArrayBufferPrototypeGetDetached(first.buffer)) throw new TypeError('The buffer of the BYOB request has been detached');
    invalidateByobRequest(controller);
    first.buffer = transferBuffer(first.buffer);
    if (first.readerType === 'none') enqueueDetachedPullInto(controller, first);
  }
  if (hasDefaultReader(stream)) {
    processReadRequests(controller);
    if (pendingRequestCount(stream) === 0) {
      enqueueToQueue(controller, transferred, byteOffset, byteLength);
    } else {
      if (pendingPullIntos.length > 0) pendingPullIntos.shift();
      fulfillRequest(stream, new Uint8Array(transferred, byteOffset, byteLength), false);
    }
  } else if (hasByobReader(stream)) {
    enqueueToQueue(controller, transferred, byteOffset, byteLength);
    commitPullIntos(stream, fillPullIntos(controller));
  } else {
    enqueueToQueue(controller, transferred, byteOffset, byteLength);
  }
  callPullIfNeeded(controller);
}

/**
 * "ReadableByteStreamControllerEnqueueChunkToQueue"
 * @param {ByteControllerState} controller
 * @param {ArrayBuffer} buffer
 * @param {number} byteOffset
 * @param {number} byteLength
 */
function enqueueToQueue(controller, buffer, byteOffset, byteLength) {
  controller.queue.push({ buffer, byteOffset, byteLength });
  controller.queueTotalSize += byteLength;
}

/**
 * "ReadableByteStreamControllerEnqueueClonedChunkToQueue"
 * @param {ByteControllerState} controller
 * @param {ArrayBuffer} buffer
 * @param {number} byteOffset
 * @param {number} byteLength
 */
export function enqueueClone(controller, buffer, byteOffset, byteLength) {
  let clone;
  try {
    clone = cloneBuffer(buffer, byteOffset, byteLength);
  } catch (error) {
    errorByteController(controller, error);
    throw error;
  }
  enqueueToQueue(controller, clone, 0, byteLength);
}

/**
 * "ReadableByteStreamControllerError"
 * @param {ByteControllerState} controller
 * @param {any} error
 */
export function errorByteController(controller, error) {
  if (controller.stream.state !== 'readable') return;
  clearPendingPullIntos(controller);
  resetQueue(controller);
  controller.clearAlgorithms();
  errorReadable(controller.stream, error);
}

/**
 * "ReadableByteStreamControllerFillReadRequestFromQueue"
 * @param {ByteControllerState} controller
 * @param {ReadRequest} request
 */
function fillReadRequestFromQueue(controller, request) {
  /** @type {QueueEntry} */
  const entry = controller.queue.shift();
  controller.queueTotalSize -= entry.byteLength;
  handleQueueDrain(controller);
  request.chunkSteps(new Uint8Array(entry.buffer, entry.byteOffset, entry.byteLength));
}

/** "ReadableByteStreamControllerHandleQueueDrain" @param {ByteControllerState} controller */
export function handleQueueDrain(controller) {
  if (controller.queueTotalSize === 0 && controller.closeRequested) {
    controller.clearAlgorithms();
    closeReadable(controller.stream);
  } else {
    callPullIfNeeded(controller);
  }
}

/** "ReadableByteStreamControllerProcessReadRequestsUsingQueue" @param {ByteControllerState} controller */
function processReadRequests(controller) {
  const { requests } = /** @type {import('./readable_state.js').ReaderState} */ (controller.stream.reader);
  while (requests.length > 0 && controller.queueTotalSize > 0) fillReadRequestFromQueue(controller, requests.shift());
}

/**
 * "SetUpReadableByteStreamController", its last steps
 * @param {ByteControllerState} controller
 * @param {any} startResult
 */
function start(controller, startResult) {
  PromisePrototypeThen(
    resolvedWith(startResult),
    () => {
      controller.started = true;
      callPullIfNeeded(controller);
    },
    (/** @type {any} */ error) => errorByteController(controller, error),
  );
}

/**
 * "CreateReadableByteStream". The algorithms return promises and never throw.
 * @param {() => Promise<any>} pullAlgorithm
 * @param {(reason: any) => Promise<any>} cancelAlgorithm
 * @returns {ReadableState}
 */
export function createReadableBytes(pullAlgorithm, cancelAlgorithm) {
  const stream = new ReadableState();
  stream.controller = new ByteControllerState(stream, pullAlgorithm, cancelAlgorithm, 0, undefined);
  start(stream.controller, undefined);
  return stream;
}

/**
 * "SetUpReadableByteStreamControllerFromUnderlyingSource"
 * @param {ReadableState} stream
 * @param {any} source
 * @param {any} dictionary
 * @param {number} highWaterMark
 */
export function setUpByteController(stream, source, dictionary, highWaterMark) {
  const { autoAllocateChunkSize, cancel, pull } = dictionary;
  if (autoAllocateChunkSize === 0) throw new TypeError('autoAllocateChunkSize must not be 0');
  /** @type {ByteControllerState} */
  const controller = new ByteControllerState(
    stream,
    pull === undefined ? done : () => invoke1(pull, source, controller.object),
    cancel === undefined ? done : (reason) => invoke1(cancel, source, reason),
    highWaterMark,
    autoAllocateChunkSize,
  );
  stream.controller = controller;
  start(controller, dictionary.start === undefined ? undefined : FunctionPrototypeCall(dictionary.start, source, controller.object));
}
