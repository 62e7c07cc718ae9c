// @ts-check
// Streams §4.2: ReadableStream.

import { isAbortSignal } from '../abort.js';
import { primordials } from '../primordials.js';
import {
  configureInterface,
  createInterfaceConverter,
  kConstruct,
  requiredArguments,
  throwConversionError,
  toBoolean,
  toCallbackFunction,
  toDictionary,
  toEnforceRangeUnsignedLongLong,
  toEnum,
  toObject,
} from '../webidl.js';
import { createIterator } from './async_iterator.js';
import { teeBytes } from './byte_tee.js';
import { readableFromIterable } from './from.js';
import { pipeTo } from './pipe_to.js';
import { setUpByteController } from './readable_byte_controller.js';
import { setUpDefaultController } from './readable_default_controller.js';
import { cancelReadable, isReadableLocked, ReadableState } from './readable_state.js';
import { ReadableStreamBYOBReader, ReadableStreamDefaultReader } from './readers.js';
import { extractHighWaterMark, extractSizeAlgorithm, toQueuingStrategy } from './strategies.js';
import { teeDefault } from './tee.js';
import { isWritableLocked } from './writable_state.js';
import { toWritableState } from './writable_stream.js';

const { markPromiseAsHandled, ObjectDefineProperty, PromiseReject, RangeError, SymbolAsyncIterator, TypeError } = primordials;

const sourceMembers = [
  { key: 'autoAllocateChunkSize', converter: toEnforceRangeUnsignedLongLong },
  { key: 'cancel', converter: toCallbackFunction },
  { key: 'pull', converter: toCallbackFunction },
  { key: 'start', converter: toCallbackFunction },
  {
    key: 'type',
    converter: (/** @type {any} */ value, /** @type {any} */ prefix, /** @type {any} */ context) =>
      toEnum(value, ['bytes'], 'ReadableStreamType', prefix, context),
  },
];
const readerOptions = [
  {
    key: 'mode',
    converter: (/** @type {any} */ value, /** @type {any} */ prefix, /** @type {any} */ context) =>
      toEnum(value, ['byob'], 'ReadableStreamReaderMode', prefix, context),
  },
];
const iteratorOptions = [{ key: 'preventCancel', converter: toBoolean, defaultValue: false }];
const pipeOptions = [
  { key: 'preventAbort', converter: toBoolean, defaultValue: false },
  { key: 'preventCancel', converter: toBoolean, defaultValue: false },
  { key: 'preventClose', converter: toBoolean, defaultValue: false },
  { key: 'signal', converter: createInterfaceConverter((value) => isAbortSignal(value), 'AbortSignal') },
];

/** @type {(value: any) => ReadableState | undefined} */
let stateOf;

export class ReadableStream {
  /** @type {ReadableState} */
  #state;

  static {
    stateOf = (value) => (typeof value === 'object' && value !== null && #state in value ? value.#state : undefined);
  }

  /**
   * @param {any} [underlyingSource]
   * @param {any} [strategy]
   */
  constructor(underlyingSource = undefined, strategy = undefined) {
    if (underlyingSource === kConstruct) {
      this.#state = strategy;
      return;
    }
    const prefix = "Failed to construct 'ReadableStream'";
    const source = underlyingSource === undefined ? null : toObject(underlyingSource, prefix, 'Argument 1');
    const strategyDictionary = toQueuingStrategy(strategy, prefix, 'Argument 2');
    const dictionary = toDictionary(source, sourceMembers, prefix, 'Argument 1');
    const state = (this.#state = new ReadableState());
    state.object = this;
    if (dictionary.type === 'bytes') {
      if (strategyDictionary.size !== undefined) throw new RangeError(`${prefix}: the strategy of a byte stream cannot have a size function`);
      setUpByteController(state, source, dictionary, extractHighWaterMark(strategyDictionary, 0));
    } else {
      const sizeAlgorithm = extractSizeAlgorithm(strategyDictionary);
      setUpDefaultController(state, source, dictionary, extractHighWaterMark(strategyDictionary, 1), sizeAlgorithm);
    }
  }

  /**
   * @param {any} asyncIterable
   * @returns {ReadableStream}
   */
  static from(asyncIterable) {
    const prefix = "Failed to execute 'from' on 'ReadableStream'";
    requiredArguments(arguments.length, 1, prefix);
    return readableObject(readableFromIterable(asyncIterable, prefix));
  }

  /** @returns {boolean} */
  get locked() {
    return isReadableLocked(this.#state);
  }

  /**
   * @param {any} [reason]
   * @returns {Promise<undefined>}
   */
  cancel(reason = undefined) {
    try {
      const state = this.#state;
      if (isReadableLocked(state)) throw new TypeError('Cannot cancel a stream that is locked to a reader');
      return cancelReadable(state, reason);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /**
   * @param {{ mode?: 'byob' }} [options]
   * @returns {ReadableStreamDefaultReader | ReadableStreamBYOBReader}
   */
  getReader(options = undefined) {
    this.#state;
    const { mode } = toDictionary(options, readerOptions, "Failed to execute 'getReader' on 'ReadableStream'", 'Argument 1');
    return mode === undefined ? new ReadableStreamDefaultReader(this) : new ReadableStreamBYOBReader(this);
  }

  /**
   * @param {any} transform
   * @param {any} [options]
   * @returns {ReadableStream}
   */
  pipeThrough(transform, options = undefined) {
    const source = this.#state;
    const prefix = "Failed to execute 'pipeThrough' on 'ReadableStream'";
    requiredArguments(arguments.length, 1, prefix);
    const { readable, writable } = toDictionary(transform, pairMembers, prefix, 'Argument 1');
    const { preventAbort, preventCancel, preventClose, signal } = toDictionary(options, pipeOptions, prefix, 'Argument 2');
    const destination = toWritableState(writable, prefix, "'writable' of Argument 1");
    if (isReadableLocked(source)) throw new TypeError(`${prefix}: the stream is locked to a reader`);
    if (isWritableLocked(destination)) throw new TypeError(`${prefix}: the writable end is locked to a writer`);
    markPromiseAsHandled(pipeTo(source, destination, preventClose, preventAbort, preventCancel, signal));
    return readable;
  }

  /**
   * @param {any} destination
   * @param {any} [options]
   * @returns {Promise<undefined>}
   */
  pipeTo(destination, options = undefined) {
    try {
      const source = this.#state;
      const prefix = "Failed to execute 'pipeTo' on 'ReadableStream'";
      requiredArguments(arguments.length, 1, prefix);
      const target = toWritableState(destination, prefix, 'Argument 1');
      const { preventAbort, preventCancel, preventClose, signal } = toDictionary(options, pipeOptions, prefix, 'Argument 2');
      if (isReadableLocked(source)) throw new TypeError(`${prefix}: the stream is locked to a reader`);
      if (isWritableLocked(target)) throw new TypeError(`${prefix}: the destination is locked to a writer`);
      return pipeTo(source, target, preventClose, preventAbort, preventCancel, signal);
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {[ReadableStream, ReadableStream]} */
  tee() {
    const state = this.#state;
    const branches = state.controller.isByteController ? teeBytes(state) : teeDefault(state);
    return [readableObject(branches.branch1), readableObject(branches.branch2)];
  }

  /**
   * @param {{ preventCancel?: boolean }} [options]
   * @returns {AsyncIterableIterator<any>}
   */
  values(options = undefined) {
    const state = this.#state;
    const { preventCancel } = toDictionary(options, iteratorOptions, "Failed to execute 'values' on 'ReadableStream'", 'Argument 1');
    return createIterator(state, preventCancel);
  }
}
configureInterface(ReadableStream);
ObjectDefineProperty(ReadableStream.prototype, SymbolAsyncIterator, {
  __proto__: null,
  value: ReadableStream.prototype.values,
  writable: true,
  enumerable: false,
  configurable: true,
});

const pairMembers = [
  {
    key: 'readable',
    required: true,
    converter: createInterfaceConverter((value) => stateOf(value) !== undefined, 'ReadableStream'),
  },
  {
    key: 'writable',
    required: true,
    converter: (/** @type {any} */ value, /** @type {any} */ prefix, /** @type {any} */ context) => {
      toWritableState(value, prefix, context);
      return value;
    },
  },
];

/**
 * The state behind a ReadableStream, as a Web IDL conversion.
 * @param {any} value
 * @param {string} prefix
 * @param {string} context
 * @returns {ReadableState}
 */
export function toReadableState(value, prefix, context) {
  return stateOf(value) ?? throwConversionError(prefix, `${context} is not of type 'ReadableStream'`);
}

/**
 * The object by which scripts know a stream.
 * @param {ReadableState} state
 * @returns {ReadableStream}
 */
export function readableObject(state) {
  return (state.object ??= new ReadableStream(kConstruct, state));
}
