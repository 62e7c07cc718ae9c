// @ts-check
// Streams §4.7 and §4.8: ReadableByteStreamController and ReadableStreamBYOBRequest.

import { primordials } from '../primordials.js';
import {
  bufferOf,
  configureInterface,
  illegalConstructor,
  kConstruct,
  requiredArguments,
  toArrayBufferView,
  toEnforceRangeUnsignedLongLong,
} from '../webidl.js';
import { byteLengthOf } from './buffers.js';
import { getByobRequest, respond, respondWithNewView } from './pull_into.js';
import { closeByteController, enqueueBytes, errorByteController } from './readable_byte_controller.js';

const { ArrayBufferPrototypeGetByteLength, ArrayBufferPrototypeGetDetached, TypeError } = primordials;

/** @typedef {import('./readable_byte_controller.js').ByteControllerState} ByteControllerState */

/** Cuts the request off its controller. @type {(request: ReadableStreamBYOBRequest) => void} */
let invalidate;

/** The view of a request that is still valid. @type {(request: ReadableStreamBYOBRequest) => Uint8Array} */
export let byobRequestView;

export class ReadableStreamBYOBRequest {
  /** @type {ByteControllerState | undefined} */
  #controller;
  /** @type {Uint8Array | null} */
  #view;

  static {
    invalidate = (request) => {
      request.#controller = undefined;
      request.#view = null;
    };
    byobRequestView = (request) => /** @type {Uint8Array} */ (request.#view);
  }

  /**
   * @param {symbol} token
   * @param {ByteControllerState} controller
   * @param {Uint8Array} view
   */
  constructor(token, controller, view) {
    if (token !== kConstruct) illegalConstructor();
    this.#controller = controller;
    this.#view = view;
  }

  /** @returns {Uint8Array | null} */
  get view() {
    return this.#view;
  }

  /** @param {number} bytesWritten */
  respond(bytesWritten) {
    this.#controller;
    const prefix = "Failed to execute 'respond' on 'ReadableStreamBYOBRequest'";
    requiredArguments(arguments.length, 1, prefix);
    const count = toEnforceRangeUnsignedLongLong(bytesWritten, prefix, 'Argument 1');
    const controller = this.#validController();
    if (ArrayBufferPrototypeGetDetached(bufferOf(this.#view))) throw new TypeError(`${prefix}: the buffer of the view has been detached`);
    respond(controller, count);
  }

  /** @param {ArrayBufferView} view */
  respondWithNewView(view) {
    this.#controller;
    const prefix = "Failed to execute 'respondWithNewView' on 'ReadableStreamBYOBRequest'";
    requiredArguments(arguments.length, 1, prefix);
    const chunk = toArrayBufferView(view, prefix, 'Argument 1');
    const controller = this.#validController();
    if (ArrayBufferPrototypeGetDetached(bufferOf(chunk))) throw new TypeError(`${prefix}: the buffer of the view has been detached`);
    respondWithNewView(controller, chunk);
  }

  #validController() {
    const controller = this.#controller;
    if (controller === undefined) throw new TypeError('The BYOB request has been invalidated');
    return controller;
  }
}
configureInterface(ReadableStreamBYOBRequest, { constructible: false });

/**
 * @param {ByteControllerState} controller
 * @param {Uint8Array} view
 */
export function newByobRequest(controller, view) {
  return new ReadableStreamBYOBRequest(kConstruct, controller, view);
}

/** "ReadableByteStreamControllerInvalidateBYOBRequest" @param {ByteControllerState} controller */
export function invalidateByobRequest(controller) {
  if (controller.byobRequest === null) return;
  invalidate(controller.byobRequest);
  controller.byobRequest = null;
}

export class ReadableByteStreamController {
  /** @type {ByteControllerState} */
  #state;

  /**
   * @param {symbol} token
   * @param {ByteControllerState} state
   */
  constructor(token, state) {
    if (token !== kConstruct) illegalConstructor();
    this.#state = state;
  }

  /** @returns {ReadableStreamBYOBRequest | null} */
  get byobRequest() {
    return getByobRequest(this.#state);
  }

  /** @returns {number | null} */
  get desiredSize() {
    return this.#state.desiredSize;
  }

  close() {
    const state = this.#state;
    if (state.closeRequested) throw new TypeError('The stream has already been asked to close');
    if (state.stream.state !== 'readable') throw new TypeError(`The stream is ${state.stream.state}`);
    closeByteController(state);
  }

  /** @param {ArrayBufferView} chunk */
  enqueue(chunk) {
    const state = this.#state;
    const prefix = "Failed to execute 'enqueue' on 'ReadableByteStreamController'";
    requiredArguments(arguments.length, 1, prefix);
    const view = toArrayBufferView(chunk, prefix, 'Argument 1');
    if (byteLengthOf(view) === 0) throw new TypeError(`${prefix}: the chunk is empty`);
    if (ArrayBufferPrototypeGetByteLength(bufferOf(view)) === 0) throw new TypeError(`${prefix}: the chunk's buffer is empty`);
    if (state.closeRequested) throw new TypeError(`${prefix}: the stream has already been asked to close`);
    if (state.stream.state !== 'readable') throw new TypeError(`${prefix}: the stream is ${state.stream.state}`);
    enqueueBytes(state, view);
  }

  /** @param {any} [error] */
  error(error = undefined) {
    errorByteController(this.#state, error);
  }
}
configureInterface(ReadableByteStreamController, { constructible: false });

/** @param {ByteControllerState} state */
export function newByteController(state) {
  return new ReadableByteStreamController(kConstruct, state);
}
