// @ts-check
// Streams §5.5: what a writable stream and its writer are, apart from the objects that scripts hold (see readable_state.js for why).

import { primordials } from '../primordials.js';
import { kDone, LazyPromise } from './promises.js';
import { Queue } from './queue.js';

const { newPromise, PromisePrototypeThen, PromiseReject, TypeError } = primordials;

/**
 * Who waits for a write, a close or an abort: mostly a promise's capability; pipes only count.
 * @typedef {object} Settler
 * @property {(value?: any) => void} resolve
 * @property {(reason: any) => void} reject
 */

export class WritableState {
  /** @type {'writable' | 'erroring' | 'errored' | 'closed'} */
  state = 'writable';
  /** @type {any} */
  storedError = undefined;
  /** @type {WriterState | undefined} */
  writer = undefined;
  /** Set during construction. @type {any} */
  controller = undefined;
  /** Of `Settler`. */
  writeRequests = new Queue();
  /** @type {Settler | undefined} */
  inFlightWriteRequest = undefined;
  /** @type {Settler | undefined} */
  closeRequest = undefined;
  /** @type {Settler | undefined} */
  inFlightCloseRequest = undefined;
  /** @type {{ capability: any, reason: any, wasAlreadyErroring: boolean } | undefined} */
  pendingAbortRequest = undefined;
  backpressure = false;
  /** The WritableStream, once a script may see it. @type {any} */
  object = undefined;
}

export class WriterState {
  /** @type {WritableState | undefined} */
  stream = undefined;
  closed = new LazyPromise();
  ready = new LazyPromise();
}

/** @param {WritableState} stream */
export function isWritableLocked(stream) {
  return stream.writer !== undefined;
}

/** "WritableStreamCloseQueuedOrInFlight" @param {WritableState} stream */
export function isCloseQueuedOrInFlight(stream) {
  return stream.closeRequest !== undefined || stream.inFlightCloseRequest !== undefined;
}

/** "WritableStreamHasOperationMarkedInFlight" @param {WritableState} stream */
function hasOperationInFlight(stream) {
  return stream.inFlightWriteRequest !== undefined || stream.inFlightCloseRequest !== undefined;
}

/**
 * "WritableStreamAbort"
 * @param {WritableState} stream
 * @param {any} reason
 * @returns {Promise<undefined>}
 */
export function abortWritable(stream, reason) {
  if (stream.state === 'closed' || stream.state === 'errored') return kDone;
  stream.controller.signalAbort(reason);
  // Listeners of the signal may have changed things.
  const { state } = /** @type {WritableState} */ (stream);
  if (state === 'closed' || state === 'errored') return kDone;
  if (stream.pendingAbortRequest !== undefined) return stream.pendingAbortRequest.capability.promise;
  const wasAlreadyErroring = state === 'erroring';
  const capability = newPromise();
  stream.pendingAbortRequest = { capability, reason: wasAlreadyErroring ? undefined : reason, wasAlreadyErroring };
  if (!wasAlreadyErroring) startErroring(stream, reason);
  return capability.promise;
}

/**
 * "WritableStreamClose"
 * @param {WritableState} stream
 * @returns {Promise<undefined>}
 */
export function closeWritable(stream) {
  const { state, writer } = stream;
  if (state === 'closed' || state === 'errored') return PromiseReject(new TypeError(`Cannot close a stream that is ${state}`));
  const capability = newPromise();
  stream.closeRequest = capability;
  if (writer !== undefined && stream.backpressure && state === 'writable') writer.ready.resolve();
  stream.controller.close();
  return capability.promise;
}

/**
 * "WritableStreamDealWithRejection"
 * @param {WritableState} stream
 * @param {any} error
 */
export function dealWithRejection(stream, error) {
  if (stream.state === 'writable') startErroring(stream, error);
  else finishErroring(stream);
}

/**
 * "WritableStreamStartErroring"
 * @param {WritableState} stream
 * @param {any} reason
 */
export function startErroring(stream, reason) {
  stream.state = 'erroring';
  stream.storedError = reason;
  if (stream.writer !== undefined) stream.writer.ready.ensureRejected(reason);
  if (!hasOperationInFlight(stream) && stream.controller.started) finishErroring(stream);
}

/** "WritableStreamFinishErroring" @param {WritableState} stream */
export function finishErroring(stream) {
  stream.state = 'errored';
  stream.controller.errorSteps();
  const { storedError, writeRequests } = stream;
  stream.writeRequests = new Queue();
  while (writeRequests.length > 0) writeRequests.shift().reject(storedError);
  const { pendingAbortRequest } = stream;
  if (pendingAbortRequest === undefined) {
    rejectCloseAndClosed(stream);
    return;
  }
  stream.pendingAbortRequest = undefined;
  const { capability, reason, wasAlreadyErroring } = pendingAbortRequest;
  if (wasAlreadyErroring) {
    capability.reject(storedError);
    rejectCloseAndClosed(stream);
    return;
  }
  PromisePrototypeThen(
    stream.controller.abortSteps(reason),
    () => {
      capability.resolve(undefined);
      rejectCloseAndClosed(stream);
    },
    (/** @type {any} */ error) => {
      capability.reject(error);
      rejectCloseAndClosed(stream);
    },
  );
}

/** "WritableStreamRejectCloseAndClosedPromiseIfNeeded" @param {WritableState} stream */
function rejectCloseAndClosed(stream) {
  const { closeRequest, storedError, writer } = stream;
  if (closeRequest !== undefined) {
    closeRequest.reject(storedError);
    stream.closeRequest = undefined;
  }
  if (writer !== undefined) writer.closed.reject(storedError);
}

/** "WritableStreamFinishInFlightWrite" @param {WritableState} stream */
export function finishInFlightWrite(stream) {
  const request = /** @type {Settler} */ (stream.inFlightWriteRequest);
  stream.inFlightWriteRequest = undefined;
  request.resolve(undefined);
}

/**
 * "WritableStreamFinishInFlightWriteWithError"
 * @param {WritableState} stream
 * @param {any} error
 */
export function finishInFlightWriteWithError(stream, error) {
  const request = /** @type {Settler} */ (stream.inFlightWriteRequest);
  stream.inFlightWriteRequest = undefined;
  request.reject(error);
  dealWithRejection(stream, error);
}

/** "WritableStreamFinishInFlightClose" @param {WritableState} stream */
export function finishInFlightClose(stream) {
  const request = /** @type {Settler} */ (stream.inFlightCloseRequest);
  stream.inFlightCloseRequest = undefined;
  request.resolve(undefined);
  if (stream.state === 'erroring') {
    // Too late to fail: the sink has closed.
    stream.storedError = undefined;
    if (stream.pendingAbortRequest !== undefined) {
      stream.pendingAbortRequest.capability.resolve(undefined);
      stream.pendingAbortRequest = undefined;
    }
  }
  stream.state = 'closed';
  if (stream.writer !== undefined) stream.writer.closed.resolve();
}

/**
 * "WritableStreamFinishInFlightCloseWithError"
 * @param {WritableState} stream
 * @param {any} error
 */
export function finishInFlightCloseWithError(stream, error) {
  const request = /** @type {Settler} */ (stream.inFlightCloseRequest);
  stream.inFlightCloseRequest = undefined;
  request.reject(error);
  if (stream.pendingAbortRequest !== undefined) {
    stream.pendingAbortRequest.capability.reject(error);
    stream.pendingAbortRequest = undefined;
  }
  dealWithRejection(stream, error);
}

/**
 * "WritableStreamUpdateBackpressure"
 * @param {WritableState} stream
 * @param {boolean} backpressure
 */
export function updateBackpressure(stream, backpressure) {
  const { writer } = stream;
  if (writer !== undefined && backpressure !== stream.backpressure) {
    if (backpressure) writer.ready.renew();
    else writer.ready.resolve();
  }
  stream.backpressure = backpressure;
}

/**
 * "SetUpWritableStreamDefaultWriter"
 * @param {WriterState} writer
 * @param {WritableState} stream
 */
export function setUpWriter(writer, stream) {
  if (stream.writer !== undefined) throw new TypeError('The stream is locked to a writer');
  writer.stream = stream;
  stream.writer = writer;
  const { closed, ready } = writer;
  switch (stream.state) {
    case 'writable':
      if (isCloseQueuedOrInFlight(stream) || !stream.backpressure) ready.resolve();
      break;
    case 'erroring':
      ready.reject(stream.storedError);
      break;
    case 'closed':
      ready.resolve();
      closed.resolve();
      break;
    case 'errored':
      ready.reject(stream.storedError);
      closed.reject(stream.storedError);
      break;
  }
}

/**
 * "AcquireWritableStreamDefaultWriter", for the glue's own use
 * @param {WritableState} stream
 * @returns {WriterState}
 */
export function acquireWriter(stream) {
  const writer = new WriterState();
  setUpWriter(writer, stream);
  return writer;
}

/**
 * "WritableStreamDefaultWriterCloseWithErrorPropagation"
 * @param {WriterState} writer
 * @returns {Promise<undefined>}
 */
export function closeWithErrorPropagation(writer) {
  const stream = /** @type {WritableState} */ (writer.stream);
  if (isCloseQueuedOrInFlight(stream) || stream.state === 'closed') return kDone;
  if (stream.state === 'errored') return PromiseReject(stream.storedError);
  return closeWritable(stream);
}

/**
 * "WritableStreamDefaultWriterGetDesiredSize"
 * @param {WriterState} writer
 * @returns {number | null}
 */
export function writerDesiredSize(writer) {
  const stream = /** @type {WritableState} */ (writer.stream);
  switch (stream.state) {
    case 'errored':
    case 'erroring':
      return null;
    case 'closed':
      return 0;
    default:
      return stream.controller.desiredSize;
  }
}

/** "WritableStreamDefaultWriterRelease" @param {WriterState} writer */
export function releaseWriter(writer) {
  const stream = /** @type {WritableState} */ (writer.stream);
  const error = new TypeError('The writer was released');
  writer.ready.ensureRejected(error);
  writer.closed.ensureRejected(error);
  stream.writer = undefined;
  writer.stream = undefined;
}

/**
 * "WritableStreamDefaultWriterWrite", whose promise is whatever the request stands for.
 * @param {WriterState} writer
 * @param {any} chunk
 * @param {Settler} request
 */
export function writeChunk(writer, chunk, request) {
  const stream = /** @type {WritableState} */ (writer.stream);
  const { controller } = stream;
  const size = controller.chunkSize(chunk);
  // The size function is the script's; it may have released the writer, or worse.
  if (stream !== writer.stream) return request.reject(new TypeError('The writer was released'));
  const { state } = stream;
  if (state === 'errored') return request.reject(stream.storedError);
  if (isCloseQueuedOrInFlight(stream) || state === 'closed') return request.reject(new TypeError('Cannot write to a stream that is closing or closed'));
  if (state === 'erroring') return request.reject(stream.storedError);
  stream.writeRequests.push(request);
  controller.write(chunk, size);
}
