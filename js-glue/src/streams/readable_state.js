// @ts-check
// Streams §4.9: what a readable stream and its reader are, apart from the objects that scripts hold. The interface classes keep one of these in a
// private field; algorithms of this folder work on them alone, so no script-visible property ever steers a stream, and streams that only the glue
// uses (pipes, tees, the ends of a transform) need no script-visible objects.

import { primordials } from '../primordials.js';
import { kDone, LazyPromise } from './promises.js';
import { Queue } from './queue.js';

const { PromisePrototypeThen, PromiseReject, TypeError } = primordials;

/**
 * "Read request" and "read-into request": `closeSteps` gets a view, or undefined, when it is a read-into request.
 * @typedef {object} ReadRequest
 * @property {(chunk: any) => void} chunkSteps
 * @property {(chunk?: any) => void} closeSteps
 * @property {(error: any) => void} errorSteps
 */

/**
 * The methods that both kinds of controller have (§4.9.3), and what the interface classes ask them.
 * @typedef {object} ReadableController
 * @property {boolean} isByteController
 * @property {(reason: any) => Promise<any>} cancelSteps
 * @property {(request: ReadRequest) => void} pullSteps
 * @property {() => void} releaseSteps
 */

export class ReadableState {
  /** @type {'readable' | 'closed' | 'errored'} */
  state = 'readable';
  /** @type {ReaderState | undefined} */
  reader = undefined;
  /** @type {any} */
  storedError = undefined;
  disturbed = false;
  /** Set during construction. @type {any} */
  controller = undefined;
  /** The ReadableStream, once a script may see it. @type {any} */
  object = undefined;
}

export class ReaderState {
  /** @type {ReadableState | undefined} */
  stream = undefined;
  closed = new LazyPromise();
  /** "[[readRequests]]" or "[[readIntoRequests]]" @type {Queue} */
  requests = new Queue();
  /** @type {boolean} */
  isByob;

  /** @param {boolean} isByob */
  constructor(isByob) {
    this.isByob = isByob;
  }
}

/** @param {ReadableState} stream */
export function isReadableLocked(stream) {
  return stream.reader !== undefined;
}

/** @param {ReadableState} stream */
export function hasDefaultReader(stream) {
  return stream.reader !== undefined && !stream.reader.isByob;
}

/** @param {ReadableState} stream */
export function hasByobReader(stream) {
  return stream.reader !== undefined && stream.reader.isByob;
}

/** "ReadableStreamGetNumReadRequests" and its read-into twin. @param {ReadableState} stream */
export function pendingRequestCount(stream) {
  return /** @type {ReaderState} */ (stream.reader).requests.length;
}

/**
 * "ReadableStreamCancel"
 * @param {ReadableState} stream
 * @param {any} reason
 * @returns {Promise<undefined>}
 */
export function cancelReadable(stream, reason) {
  stream.disturbed = true;
  if (stream.state === 'closed') return kDone;
  if (stream.state === 'errored') return PromiseReject(stream.storedError);
  closeReadable(stream);
  const { reader } = stream;
  if (reader !== undefined && reader.isByob) {
    const { requests } = reader;
    reader.requests = new Queue();
    while (requests.length > 0) requests.shift().closeSteps(undefined);
  }
  return PromisePrototypeThen(stream.controller.cancelSteps(reason), () => undefined);
}

/** "ReadableStreamClose" @param {ReadableState} stream */
export function closeReadable(stream) {
  stream.state = 'closed';
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed.resolve();
  if (reader.isByob) return;
  const { requests } = reader;
  reader.requests = new Queue();
  while (requests.length > 0) requests.shift().closeSteps();
}

/**
 * "ReadableStreamError"
 * @param {ReadableState} stream
 * @param {any} error
 */
export function errorReadable(stream, error) {
  stream.state = 'errored';
  stream.storedError = error;
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed.reject(error);
  errorRequests(reader, error);
}

/**
 * "ReadableStreamDefaultReaderErrorReadRequests" and its read-into twin
 * @param {ReaderState} reader
 * @param {any} error
 */
function errorRequests(reader, error) {
  const { requests } = reader;
  if (requests.length === 0) return;
  reader.requests = new Queue();
  while (requests.length > 0) requests.shift().errorSteps(error);
}

/**
 * "ReadableStreamAddReadRequest" and its read-into twin
 * @param {ReadableState} stream
 * @param {ReadRequest} request
 */
export function addRequest(stream, request) {
  /** @type {ReaderState} */ (stream.reader).requests.push(request);
}

/**
 * "ReadableStreamFulfillReadRequest" and its read-into twin
 * @param {ReadableState} stream
 * @param {any} chunk
 * @param {boolean} done
 */
export function fulfillRequest(stream, chunk, done) {
  const request = /** @type {ReaderState} */ (stream.reader).requests.shift();
  if (done) request.closeSteps(chunk);
  else request.chunkSteps(chunk);
}

/**
 * "SetUpReadableStreamDefaultReader" and "SetUpReadableStreamBYOBReader"
 * @param {ReaderState} reader
 * @param {ReadableState} stream
 */
export function setUpReader(reader, stream) {
  if (stream.reader !== undefined) throw new TypeError('The stream is locked to a reader');
  if (reader.isByob && !stream.controller.isByteController) throw new TypeError('A BYOB reader needs a readable byte stream');
  reader.stream = stream;
  stream.reader = reader;
  if (stream.state === 'closed') reader.closed.resolve();
  else if (stream.state === 'errored') reader.closed.reject(stream.storedError);
}

/**
 * "AcquireReadableStreamDefaultReader" and "AcquireReadableStreamBYOBReader", for the glue's own use
 * @param {ReadableState} stream
 * @param {boolean} [isByob]
 * @returns {ReaderState}
 */
export function acquireReader(stream, isByob = false) {
  const reader = new ReaderState(isByob);
  setUpReader(reader, stream);
  return reader;
}

/**
 * "ReadableStreamDefaultReaderRelease" and "ReadableStreamBYOBReaderRelease"
 * @param {ReaderState} reader
 */
export function releaseReader(reader) {
  const stream = /** @type {ReadableState} */ (reader.stream);
  reader.closed.ensureRejected(new TypeError('The reader was released'));
  stream.controller.releaseSteps();
  stream.reader = undefined;
  reader.stream = undefined;
  if (reader.requests.length > 0) errorRequests(reader, new TypeError('The reader was released'));
}

/**
 * "ReadableStreamDefaultReaderRead"
 * @param {ReaderState} reader
 * @param {ReadRequest} request
 */
export function readDefault(reader, request) {
  const stream = /** @type {ReadableState} */ (reader.stream);
  stream.disturbed = true;
  if (stream.state === 'closed') request.closeSteps();
  else if (stream.state === 'errored') request.errorSteps(stream.storedError);
  else stream.controller.pullSteps(request);
}
