// @ts-check
// Streams §5.2 and §5.3: WritableStream and WritableStreamDefaultWriter.

import { primordials } from '../primordials.js';
import { configureInterface, kConstruct, requiredArguments, throwConversionError, toAny, toCallbackFunction, toDictionary, toObject } from '../webidl.js';
import { extractHighWaterMark, extractSizeAlgorithm, toQueuingStrategy } from './strategies.js';
import { setUpWritableController } from './writable_controller.js';
import {
  abortWritable,
  closeWritable,
  isCloseQueuedOrInFlight,
  isWritableLocked,
  releaseWriter,
  setUpWriter,
  WritableState,
  writeChunk,
  writerDesiredSize,
  WriterState,
} from './writable_state.js';

const { newPromise, ObjectHasOwn, PromiseReject, RangeError, TypeError } = primordials;

const sinkMembers = [
  { key: 'abort', converter: toCallbackFunction },
  { key: 'close', converter: toCallbackFunction },
  { key: 'start', converter: toCallbackFunction },
  { key: 'type', converter: toAny },
  { key: 'write', converter: toCallbackFunction },
];

/** @type {(value: any) => WritableState | undefined} */
let stateOf;

export class WritableStream {
  /** @type {WritableState} */
  #state;

  static {
    stateOf = (value) => (typeof value === 'object' && value !== null && #state in value ? value.#state : undefined);
  }

  /**
   * @param {any} [underlyingSink]
   * @param {any} [strategy]
   */
  constructor(underlyingSink = undefined, strategy = undefined) {
    if (underlyingSink === kConstruct) {
      this.#state = strategy;
      return;
    }
    const prefix = "Failed to construct 'WritableStream'";
    const sink = underlyingSink === undefined ? null : toObject(underlyingSink, prefix, 'Argument 1');
    const strategyDictionary = toQueuingStrategy(strategy, prefix, 'Argument 2');
    const dictionary = toDictionary(sink, sinkMembers, prefix, 'Argument 1');
    if (ObjectHasOwn(dictionary, 'type')) throw new RangeError(`${prefix}: 'type' of Argument 1 is reserved`);
    const state = (this.#state = new WritableState());
    state.object = this;
    const sizeAlgorithm = extractSizeAlgorithm(strategyDictionary);
    setUpWritableController(state, sink, dictionary, extractHighWaterMark(strategyDictionary, 1), sizeAlgorithm);
  }

  /** @returns {boolean} */
  get locked() {
    return isWritableLocked(this.#state);
  }

  // Operations and attributes whose type is a promise reject instead of throwing, whatever goes wrong (Web IDL §3.7.6, §3.7.7).

  /**
   * @param {any} [reason]
   * @returns {Promise<undefined>}
   */
  abort(reason = undefined) {
    try {
      const state = this.#state;
      if (isWritableLocked(state)) throw new TypeError('Cannot abort a stream that is locked to a writer');
      return abortWritable(state, reason);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {Promise<undefined>} */
  close() {
    try {
      const state = this.#state;
      if (isWritableLocked(state)) throw new TypeError('Cannot close a stream that is locked to a writer');
      if (isCloseQueuedOrInFlight(state)) throw new TypeError('The stream is being closed already');
      return closeWritable(state);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {WritableStreamDefaultWriter} */
  getWriter() {
    this.#state;
    return new WritableStreamDefaultWriter(this);
  }
}
configureInterface(WritableStream);

/**
 * The state behind a WritableStream, as a Web IDL conversion.
 * @param {any} value
 * @param {string} prefix
 * @param {string} context
 * @returns {WritableState}
 */
export function toWritableState(value, prefix, context) {
  return stateOf(value) ?? throwConversionError(prefix, `${context} is not of type 'WritableStream'`);
}

/**
 * The object by which scripts know a stream.
 * @param {WritableState} state
 * @returns {WritableStream}
 */
export function writableObject(state) {
  return (state.object ??= new WritableStream(kConstruct, state));
}

/** @returns {TypeError} */
const releasedError = () => new TypeError('The writer was released');

export class WritableStreamDefaultWriter {
  #state = new WriterState();

  /** @param {any} stream */
  constructor(stream) {
    const prefix = "Failed to construct 'WritableStreamDefaultWriter'";
    requiredArguments(arguments.length, 1, prefix);
    setUpWriter(this.#state, toWritableState(stream, prefix, 'Argument 1'));
  }

  /** @returns {Promise<undefined>} */
  get closed() {
    try {
      return this.#state.closed.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {number | null} */
  get desiredSize() {
    const state = this.#state;
    if (state.stream === undefined) throw releasedError();
    return writerDesiredSize(state);
  }

  /** @returns {Promise<undefined>} */
  get ready() {
    try {
      return this.#state.ready.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /**
   * @param {any} [reason]
   * @returns {Promise<undefined>}
   */
  abort(reason = undefined) {
    try {
      const { stream } = this.#state;
      if (stream === undefined) throw releasedError();
      return abortWritable(stream, reason);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {Promise<undefined>} */
  close() {
    try {
      const { stream } = this.#state;
      if (stream === undefined) throw releasedError();
      if (isCloseQueuedOrInFlight(stream)) throw new TypeError('The stream is being closed already');
      return closeWritable(stream);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  releaseLock() {
    const state = this.#state;
    if (state.stream !== undefined) releaseWriter(state);
  }

  /**
   * @param {any} [chunk]
   * @returns {Promise<undefined>}
   */
  write(chunk = undefined) {
    try {
      const state = this.#state;
      if (state.stream === undefined) throw releasedError();
      const capability = newPromise();
      writeChunk(state, chunk, capability);
      return capability.promise;
    } catch (error) {
      return PromiseReject(error);
    }
  }
}
configureInterface(WritableStreamDefaultWriter);
