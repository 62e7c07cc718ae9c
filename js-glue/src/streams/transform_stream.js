// @ts-check
// Streams §6.2 and §6.3: TransformStream and TransformStreamDefaultController.

import { primordials } from '../primordials.js';
import { configureInterface, illegalConstructor, kConstruct, toAny, toCallbackFunction, toDictionary, toObject } from '../webidl.js';
import { invoke1, invoke2, kDone } from './promises.js';
import { readableObject } from './readable_stream.js';
import { extractHighWaterMark, extractSizeAlgorithm, toQueuingStrategy } from './strategies.js';
import { TransformState } from './transform_state.js';
import { writableObject } from './writable_stream.js';

const { FunctionPrototypeCall, newPromise, ObjectHasOwn, PromiseReject, RangeError } = primordials;

const transformerMembers = [
  { key: 'cancel', converter: toCallbackFunction },
  { key: 'flush', converter: toCallbackFunction },
  { key: 'readableType', converter: toAny },
  { key: 'start', converter: toCallbackFunction },
  { key: 'transform', converter: toCallbackFunction },
  { key: 'writableType', converter: toAny },
];

const done = () => kDone;

export class TransformStream {
  /** @type {TransformState} */
  #state;

  /**
   * @param {any} [transformer]
   * @param {any} [writableStrategy]
   * @param {any} [readableStrategy]
   */
  constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
    const prefix = "Failed to construct 'TransformStream'";
    const object = transformer === undefined ? null : toObject(transformer, prefix, 'Argument 1');
    const writableDictionary = toQueuingStrategy(writableStrategy, prefix, 'Argument 2');
    const readableDictionary = toQueuingStrategy(readableStrategy, prefix, 'Argument 3');
    const dictionary = toDictionary(object, transformerMembers, prefix, 'Argument 1');
    if (ObjectHasOwn(dictionary, 'readableType')) throw new RangeError(`${prefix}: 'readableType' of Argument 1 is reserved`);
    if (ObjectHasOwn(dictionary, 'writableType')) throw new RangeError(`${prefix}: 'writableType' of Argument 1 is reserved`);
    const readableHighWaterMark = extractHighWaterMark(readableDictionary, 0);
    const readableSize = extractSizeAlgorithm(readableDictionary);
    const writableHighWaterMark = extractHighWaterMark(writableDictionary, 1);
    const writableSize = extractSizeAlgorithm(writableDictionary);

    const { cancel, flush, start, transform } = dictionary;
    /** @type {import('./transform_state.js').TransformAlgorithms} */
    const algorithms = /** @type {any} */ ({
      __proto__: null,
      transform:
        transform === undefined
          ? (/** @type {any} */ chunk) => passOn(state, chunk)
          : (/** @type {any} */ chunk) => invoke2(transform, object, chunk, controller),
      flush: flush === undefined ? done : () => invoke1(flush, object, controller),
      cancel: cancel === undefined ? done : (/** @type {any} */ reason) => invoke1(cancel, object, reason),
    });
    const started = newPromise();
    const state = new TransformState(algorithms, writableHighWaterMark, writableSize, readableHighWaterMark, readableSize, started.promise);
    this.#state = state;
    const controller = new TransformStreamDefaultController(kConstruct, state);
    started.resolve(start === undefined ? undefined : FunctionPrototypeCall(start, object, controller));
  }

  /** @returns {import('./readable_stream.js').ReadableStream} */
  get readable() {
    return readableObject(this.#state.readable);
  }

  /** @returns {import('./writable_stream.js').WritableStream} */
  get writable() {
    return writableObject(this.#state.writable);
  }
}
configureInterface(TransformStream);

/**
 * The transformer without a `transform`.
 * @param {TransformState} state
 * @param {any} chunk
 * @returns {Promise<any>}
 */
function passOn(state, chunk) {
  try {
    state.enqueue(chunk);
    return kDone;
  } catch (error) {
    return PromiseReject(error);
  }
}

export class TransformStreamDefaultController {
  /** @type {TransformState} */
  #state;

  /**
   * @param {symbol} token
   * @param {TransformState} state
   */
  constructor(token, state) {
    if (token !== kConstruct) illegalConstructor();
    this.#state = state;
  }

  /** @returns {number | null} */
  get desiredSize() {
    return this.#state.readable.controller.desiredSize;
  }

  /** @param {any} [chunk] */
  enqueue(chunk = undefined) {
    this.#state.enqueue(chunk);
  }

  /** @param {any} [reason] */
  error(reason = undefined) {
    this.#state.error(reason);
  }

  terminate() {
    this.#state.terminate();
  }
}
configureInterface(TransformStreamDefaultController, { constructible: false });

/**
 * A transform stream for the other interfaces that are one ("generic transform stream", §9.3.1). `transform` and `flush` are the glue's: what they
 * throw errors the stream.
 * @param {(chunk: any, state: TransformState) => void | Promise<any>} transform
 * @param {(state: TransformState) => void | Promise<any>} flush
 * @param {() => void} [dispose] called when the stream ends otherwise than by `flush`
 * @returns {{ readable: import('./readable_stream.js').ReadableStream, writable: import('./writable_stream.js').WritableStream }}
 */
export function createTransform(transform, flush, dispose) {
  /** @type {TransformState} */
  const state = new TransformState(
    {
      transform: (chunk) => settle(() => transform(chunk, state)),
      flush: () => settle(() => flush(state)),
      cancel: () => {
        if (dispose !== undefined) dispose();
        return kDone;
      },
    },
    1,
    undefined,
    0,
    undefined,
    undefined,
  );
  return { readable: readableObject(state.readable), writable: writableObject(state.writable) };
}

/**
 * @param {() => void | Promise<any>} steps
 * @returns {Promise<any>}
 */
function settle(steps) {
  try {
    return steps() ?? kDone;
  } catch (error) {
    return PromiseReject(error);
  }
}
