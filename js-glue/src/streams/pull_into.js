// @ts-check
// Streams §4.9.5: the pull-into descriptors of a readable byte stream, that is, the buffers that wait to be filled for a read.

import { primordials } from '../primordials.js';
import { bufferOf } from '../webidl.js';
import { byteLengthOf, byteOffsetOf, copyBytes, transferBuffer, viewType } from './buffers.js';
import { Queue } from './queue.js';
import { callPullIfNeeded, enqueueClone, errorByteController, handleQueueDrain } from './readable_byte_controller.js';
import { invalidateByobRequest, newByobRequest } from './readable_byte_interfaces.js';
import { addRequest, fulfillRequest, hasByobReader, pendingRequestCount, ReadableState } from './readable_state.js';

const { ArrayBufferPrototypeGetByteLength, MathMin, RangeError, TypeError, Uint8Array } = primordials;

/** @typedef {import('./readable_byte_controller.js').ByteControllerState} ByteControllerState */
/** @typedef {import('./readable_byte_controller.js').QueueEntry} QueueEntry */
/** @typedef {import('./readable_state.js').ReadRequest} ReadRequest */

/** "Pull-into descriptor" */
class PullInto {
  bytesFilled = 0;
  /** @type {ArrayBuffer} */
  buffer;
  /** @type {number} */
  bufferByteLength;
  /** @type {number} */
  byteOffset;
  /** @type {number} */
  byteLength;
  /** @type {number} */
  minimumFill;
  /** @type {number} */
  elementSize;
  /** @type {any} */
  View;
  /** `none`: its reader has been released. @type {'default' | 'byob' | 'none'} */
  readerType;

  /**
   * @param {ArrayBuffer} buffer
   * @param {number} byteOffset
   * @param {number} byteLength
   * @param {number} minimumFill
   * @param {{ View: any, elementSize: number }} type
   * @param {'default' | 'byob'} readerType
   */
  constructor(buffer, byteOffset, byteLength, minimumFill, type, readerType) {
    this.buffer = buffer;
    this.bufferByteLength = ArrayBufferPrototypeGetByteLength(buffer);
    this.byteOffset = byteOffset;
    this.byteLength = byteLength;
    this.minimumFill = minimumFill;
    this.elementSize = type.elementSize;
    this.View = type.View;
    this.readerType = readerType;
  }
}

const bytes = { View: Uint8Array, elementSize: 1 };

/**
 * The descriptor of a default reader's read, when the source asked for buffers.
 * @param {ArrayBuffer} buffer
 */
export function newAutoAllocated(buffer) {
  return new PullInto(buffer, 0, ArrayBufferPrototypeGetByteLength(buffer), 1, bytes, 'default');
}

/**
 * "ReadableByteStreamControllerCommitPullIntoDescriptor"
 * @param {ReadableState} stream
 * @param {PullInto} descriptor
 */
function commitPullInto(stream, descriptor) {
  fulfillRequest(stream, filledView(descriptor), stream.state === 'closed');
}

/** @param {ReadableState} stream @param {Queue} descriptors */
export function commitPullIntos(stream, descriptors) {
  while (descriptors.length > 0) commitPullInto(stream, descriptors.shift());
}

/** "ReadableByteStreamControllerConvertPullIntoDescriptor" @param {PullInto} descriptor */
function filledView(descriptor) {
  const { bytesFilled, byteOffset, elementSize, View } = descriptor;
  return new View(transferBuffer(descriptor.buffer), byteOffset, bytesFilled / elementSize);
}

/**
 * "ReadableByteStreamControllerEnqueueDetachedPullIntoToQueue"
 * @param {ByteControllerState} controller
 * @param {PullInto} descriptor the first of the pending ones
 */
export function enqueueDetachedPullInto(controller, descriptor) {
  if (descriptor.bytesFilled > 0) enqueueClone(controller, descriptor.buffer, descriptor.byteOffset, descriptor.bytesFilled);
  controller.pendingPullIntos.shift();
}

/**
 * "ReadableByteStreamControllerFillPullIntoDescriptorFromQueue"
 * @param {ByteControllerState} controller
 * @param {PullInto} descriptor
 * @returns {boolean} whether the descriptor holds enough to be handed out
 */
function fillPullInto(controller, descriptor) {
  const { queue } = controller;
  const available = MathMin(controller.queueTotalSize, descriptor.byteLength - descriptor.bytesFilled);
  const maxBytesFilled = descriptor.bytesFilled + available;
  const maxAlignedBytes = maxBytesFilled - (maxBytesFilled % descriptor.elementSize);
  const ready = maxAlignedBytes >= descriptor.minimumFill;
  let remaining = ready ? maxAlignedBytes - descriptor.bytesFilled : available;
  while (remaining > 0) {
    /** @type {QueueEntry} */
    const head = queue.peek();
    const length = MathMin(remaining, head.byteLength);
    copyBytes(descriptor.buffer, descriptor.byteOffset + descriptor.bytesFilled, head.buffer, head.byteOffset, length);
    if (head.byteLength === length) {
      queue.shift();
    } else {
      head.byteOffset += length;
      head.byteLength -= length;
    }
    controller.queueTotalSize -= length;
    descriptor.bytesFilled += length;
    remaining -= length;
  }
  return ready;
}

/**
 * "ReadableByteStreamControllerGetBYOBRequest"
 * @param {ByteControllerState} controller
 * @returns {any}
 */
export function getByobRequest(controller) {
  if (controller.byobRequest === null && controller.pendingPullIntos.length > 0) {
    const first = controller.pendingPullIntos.peek();
    const view = new Uint8Array(first.buffer, first.byteOffset + first.bytesFilled, first.byteLength - first.bytesFilled);
    controller.byobRequest = newByobRequest(controller, view);
  }
  return controller.byobRequest;
}

/**
 * "ReadableByteStreamControllerProcessPullIntoDescriptorsUsingQueue": fills what can be filled. Handing out comes after, when the queue is in order
 * again, as it may run a script.
 * @param {ByteControllerState} controller
 * @returns {Queue} the descriptors that are ready
 */
export function fillPullIntos(controller) {
  const filled = new Queue();
  const { pendingPullIntos } = controller;
  while (pendingPullIntos.length > 0 && controller.queueTotalSize > 0) {
    if (fillPullInto(controller, pendingPullIntos.peek())) filled.push(pendingPullIntos.shift());
  }
  return filled;
}

/**
 * "ReadableByteStreamControllerPullInto"
 * @param {ByteControllerState} controller
 * @param {ArrayBufferView} view
 * @param {number} min in elements
 * @param {ReadRequest} request
 */
function pullInto(controller, view, min, request) {
  const { pendingPullIntos, stream } = controller;
  const type = viewType(view);
  const byteOffset = byteOffsetOf(view);
  const byteLength = byteLengthOf(view);
  let buffer;
  try {
    buffer = transferBuffer(/** @type {ArrayBuffer} */ (bufferOf(view)));
  } catch (error) {
    request.errorSteps(error);
    return;
  }
  const descriptor = new PullInto(buffer, byteOffset, byteLength, min * type.elementSize, type, 'byob');
  if (pendingPullIntos.length > 0) {
    pendingPullIntos.push(descriptor);
    addRequest(stream, request);
    return;
  }
  if (stream.state === 'closed') {
    request.closeSteps(new type.View(buffer, byteOffset, 0));
    return;
  }
  if (controller.queueTotalSize > 0) {
    if (fillPullInto(controller, descriptor)) {
      const filled = filledView(descriptor);
      handleQueueDrain(controller);
      request.chunkSteps(filled);
      return;
    }
    if (controller.closeRequested) {
      const error = new TypeError('The stream was closed in the middle of an element');
      errorByteController(controller, error);
      request.errorSteps(error);
      return;
    }
  }
  pendingPullIntos.push(descriptor);
  addRequest(stream, request);
  callPullIfNeeded(controller);
}

/**
 * "ReadableStreamBYOBReaderRead"
 * @param {import('./readable_state.js').ReaderState} reader
 * @param {ArrayBufferView} view
 * @param {number} min
 * @param {ReadRequest} request
 */
export function readByob(reader, view, min, request) {
  const stream = /** @type {ReadableState} */ (reader.stream);
  stream.disturbed = true;
  if (stream.state === 'errored') request.errorSteps(stream.storedError);
  else pullInto(stream.controller, view, min, request);
}

/**
 * "ReadableByteStreamControllerRespond"
 * @param {ByteControllerState} controller
 * @param {number} bytesWritten
 */
export function respond(controller, bytesWritten) {
  const first = controller.pendingPullIntos.peek();
  checkResponse(controller, first, bytesWritten);
  first.buffer = transferBuffer(first.buffer);
  respondInternal(controller, first, bytesWritten);
}

/**
 * "ReadableByteStreamControllerRespondWithNewView"
 * @param {ByteControllerState} controller
 * @param {ArrayBufferView} view
 */
export function respondWithNewView(controller, view) {
  const first = controller.pendingPullIntos.peek();
  const buffer = /** @type {ArrayBuffer} */ (bufferOf(view));
  const byteLength = byteLengthOf(view);
  checkState(controller, byteLength);
  if (first.byteOffset + first.bytesFilled !== byteOffsetOf(view)) throw new RangeError('The view starts elsewhere than the view of the BYOB request');
  if (first.bufferByteLength !== ArrayBufferPrototypeGetByteLength(buffer)) {
    throw new RangeError('The buffer of the view has another length than that of the BYOB request');
  }
  checkRoom(first, byteLength);
  first.buffer = transferBuffer(buffer);
  respondInternal(controller, first, byteLength);
}

/** @param {ByteControllerState} controller @param {PullInto} first @param {number} bytesWritten */
function checkResponse(controller, first, bytesWritten) {
  checkState(controller, bytesWritten);
  if (controller.stream.state !== 'closed') checkRoom(first, bytesWritten);
}

/** @param {ByteControllerState} controller @param {number} bytesWritten */
function checkState(controller, bytesWritten) {
  if (controller.stream.state === 'closed') {
    if (bytesWritten !== 0) throw new TypeError('No bytes may be written once the stream is closed');
  } else if (bytesWritten === 0) {
    throw new TypeError('At least one byte must be written while the stream is not closed');
  }
}

/** @param {PullInto} first @param {number} bytesWritten */
function checkRoom(first, bytesWritten) {
  if (first.bytesFilled + bytesWritten > first.byteLength) throw new RangeError('More bytes were written than the BYOB request has room for');
}

/**
 * "ReadableByteStreamControllerRespondInternal"
 * @param {ByteControllerState} controller
 * @param {PullInto} first
 * @param {number} bytesWritten
 */
function respondInternal(controller, first, bytesWritten) {
  invalidateByobRequest(controller);
  if (controller.stream.state === 'closed') respondInClosedState(controller, first);
  else respondInReadableState(controller, first, bytesWritten);
  callPullIfNeeded(controller);
}

/** "ReadableByteStreamControllerRespondInClosedState" @param {ByteControllerState} controller @param {PullInto} first */
function respondInClosedState(controller, first) {
  const { pendingPullIntos, stream } = controller;
  if (first.readerType === 'none') pendingPullIntos.shift();
  if (!hasByobReader(stream)) return;
  const filled = new Queue();
  while (filled.length < pendingRequestCount(stream)) filled.push(pendingPullIntos.shift());
  commitPullIntos(stream, filled);
}

/**
 * "ReadableByteStreamControllerRespondInReadableState"
 * @param {ByteControllerState} controller
 * @param {PullInto} descriptor
 * @param {number} bytesWritten
 */
function respondInReadableState(controller, descriptor, bytesWritten) {
  const { stream } = controller;
  descriptor.bytesFilled += bytesWritten;
  if (descriptor.readerType === 'none') {
    enqueueDetachedPullInto(controller, descriptor);
    commitPullIntos(stream, fillPullIntos(controller));
    return;
  }
  if (descriptor.bytesFilled < descriptor.minimumFill) return;
  controller.pendingPullIntos.shift();
  // Part of an element: it goes to the front of the next read.
  const remainder = descriptor.bytesFilled % descriptor.elementSize;
  if (remainder > 0) {
    enqueueClone(controller, descriptor.buffer, descriptor.byteOffset + descriptor.bytesFilled - remainder, remainder);
    descriptor.bytesFilled -= remainder;
  }
  const filled = fillPullIntos(controller);
  commitPullInto(stream, descriptor);
  commitPullIntos(stream, filled);
}
