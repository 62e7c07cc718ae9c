// @ts-check
// Streams §4.4 and §4.5: ReadableStreamDefaultReader and ReadableStreamBYOBReader.

import { primordials } from '../primordials.js';
import { bufferOf, configureInterface, requiredArguments, toArrayBufferView, toDictionary, toEnforceRangeUnsignedLongLong } from '../webidl.js';
import { byteLengthOf, viewType } from './buffers.js';
import { PromisedRead } from './promised_read.js';
import { readByob } from './pull_into.js';
import { cancelReadable, readDefault, ReaderState, releaseReader, setUpReader } from './readable_state.js';
import { toReadableState } from './readable_stream.js';

const { ArrayBufferPrototypeGetByteLength, ArrayBufferPrototypeGetDetached, PromiseReject, RangeError, TypeError } =
  primordials;

/** @typedef {import('./promised_read.js').ReadResult} ReadResult */

/** @returns {TypeError} */
const releasedError = () => new TypeError('The reader was released');

/**
 * "ReadableStreamReaderGenericCancel"
 * @param {ReaderState} state
 * @param {any} reason
 * @returns {Promise<undefined>}
 */
function cancel(state, reason) {
  return state.stream === undefined ? PromiseReject(releasedError()) : cancelReadable(state.stream, reason);
}

export class ReadableStreamDefaultReader {
  #state = new ReaderState(false);

  /** @param {any} stream */
  constructor(stream) {
    const prefix = "Failed to construct 'ReadableStreamDefaultReader'";
    requiredArguments(arguments.length, 1, prefix);
    setUpReader(this.#state, toReadableState(stream, prefix, 'Argument 1'));
  }

  // Operations and attributes whose type is a promise reject instead of throwing, whatever goes wrong (Web IDL §3.7.6, §3.7.7).

  /** @returns {Promise<undefined>} */
  get closed() {
    try {
      return this.#state.closed.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /**
   * @param {any} [reason]
   * @returns {Promise<undefined>}
   */
  cancel(reason = undefined) {
    try {
      return cancel(this.#state, reason);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {Promise<ReadResult>} */
  read() {
    try {
      const state = this.#state;
      if (state.stream === undefined) throw releasedError();
      const request = new PromisedRead();
      readDefault(state, request);
      return request.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }

  releaseLock() {
    if (this.#state.stream !== undefined) releaseReader(this.#state);
  }
}
configureInterface(ReadableStreamDefaultReader);

const readOptions = [{ key: 'min', converter: toEnforceRangeUnsignedLongLong, defaultValue: 1 }];

export class ReadableStreamBYOBReader {
  #state = new ReaderState(true);

  /** @param {any} stream */
  constructor(stream) {
    const prefix = "Failed to construct 'ReadableStreamBYOBReader'";
    requiredArguments(arguments.length, 1, prefix);
    setUpReader(this.#state, toReadableState(stream, prefix, 'Argument 1'));
  }

  /** @returns {Promise<undefined>} */
  get closed() {
    try {
      return this.#state.closed.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /**
   * @param {any} [reason]
   * @returns {Promise<undefined>}
   */
  cancel(reason = undefined) {
    try {
      return cancel(this.#state, reason);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /**
   * @param {ArrayBufferView} view
   * @param {{ min?: number }} [options]
   * @returns {Promise<ReadResult>}
   */
  read(view, options = undefined) {
    try {
      const state = this.#state;
      const prefix = "Failed to execute 'read' on 'ReadableStreamBYOBReader'";
      requiredArguments(arguments.length, 1, prefix);
      const target = toArrayBufferView(view, prefix, 'Argument 1');
      const { min } = toDictionary(options, readOptions, prefix, 'Argument 2');
      const byteLength = byteLengthOf(target);
      const buffer = bufferOf(target);
      if (byteLength === 0) throw new TypeError(`${prefix}: the view is empty`);
      if (ArrayBufferPrototypeGetByteLength(buffer) === 0) throw new TypeError(`${prefix}: the buffer of the view is empty`);
      if (ArrayBufferPrototypeGetDetached(buffer)) throw new TypeError(`${prefix}: the buffer of the view has been detached`);
      if (min === 0) throw new TypeError(`${prefix}: min must be greater than 0`);
      if (min > byteLength / viewType(target).elementSize) throw new RangeError(`${prefix}: min must not exceed the length of the view`);
      if (state.stream === undefined) throw releasedError();
      const request = new PromisedRead();
      readByob(state, target, min, request);
      return request.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }

  releaseLock() {
    if (this.#state.stream !== undefined) releaseReader(this.#state);
  }
}
configureInterface(ReadableStreamBYOBReader);
