// @ts-check
// Streams §4.9.1 "ReadableStreamFromIterable", with the parts of ECMAScript §7.4 and §27.1.6 (iterators, %AsyncFromSyncIterator%) that it needs.

import { primordials } from '../primordials.js';
import { isObject, throwConversionError } from '../webidl.js';
import { kDone, resolvedWith } from './promises.js';
import { closeController, createReadable, enqueueChunk } from './readable_default_controller.js';

const { FunctionPrototypeCall, PromisePrototypeThen, PromiseReject, PromiseResolve, SymbolAsyncIterator, SymbolIterator, TypeError } = primordials;

/**
 * "GetMethod"
 * @param {any} object
 * @param {string | symbol} key
 * @returns {Function | undefined}
 */
function getMethod(object, key) {
  const method = object[key];
  if (method === undefined || method === null) return undefined;
  if (typeof method !== 'function') throw new TypeError('The iteration method is not a function');
  return method;
}

/**
 * "GetIterator(async)", and then an iterator of promises whatever was found.
 * @param {any} iterable
 * @param {string} prefix
 * @returns {AsyncSource}
 */
function getAsyncIterator(iterable, prefix) {
  if (iterable === undefined || iterable === null) throwConversionError(prefix, 'Argument 1 is not iterable');
  let isSync = false;
  let method = getMethod(iterable, SymbolAsyncIterator);
  if (method === undefined) {
    isSync = true;
    method = getMethod(iterable, SymbolIterator);
    if (method === undefined) throwConversionError(prefix, 'Argument 1 is not iterable');
  }
  const iterator = FunctionPrototypeCall(method, iterable);
  if (!isObject(iterator)) throwConversionError(prefix, 'the iterator of Argument 1 is not an object');
  return isSync ? new SyncSource(iterator) : new AsyncSource(iterator);
}

/** An iterator record. */
class AsyncSource {
  /** @type {any} */
  iterator;
  /** @type {any} */
  nextMethod;

  /** @param {any} iterator */
  constructor(iterator) {
    this.iterator = iterator;
    this.nextMethod = iterator.next;
  }

  /** What the iterator answers; may throw. @returns {any} */
  next() {
    const result = FunctionPrototypeCall(this.nextMethod, this.iterator);
    if (!isObject(result)) throw new TypeError('The iterator returned a value that is not an object');
    return result;
  }

  /** @param {any} reason @returns {any} undefined without a `return` method; may throw */
  return(reason) {
    const method = getMethod(this.iterator, 'return');
    // Wrapped: undefined as an answer is an error, undefined for lack of a method is not.
    return method === undefined ? undefined : { __proto__: null, result: FunctionPrototypeCall(method, this.iterator, reason) };
  }
}

/** A synchronous iterator whose results, and the values in them, are awaited. */
class SyncSource extends AsyncSource {
  next() {
    return continuation(super.next(), this.iterator, true);
  }

  /** @param {any} reason */
  return(reason) {
    const returned = super.return(reason);
    if (returned === undefined) return undefined;
    if (!isObject(returned.result)) throw new TypeError('The iterator returned a value that is not an object');
    return { __proto__: null, result: continuation(returned.result, this.iterator, false) };
  }
}

/**
 * "AsyncFromSyncIteratorContinuation"
 * @param {any} result
 * @param {any} iterator
 * @param {boolean} close whether a value that rejects ends the iteration of a source that knows nothing of promises
 * @returns {Promise<{ value: any, done: boolean }>}
 */
function continuation(result, iterator, close) {
  const done = !!result.done;
  const { value } = result;
  const closes = close && !done;
  let wrapper;
  try {
    wrapper = PromiseResolve(value);
  } catch (error) {
    if (closes) closeQuietly(iterator);
    throw error;
  }
  return PromisePrototypeThen(
    wrapper,
    (/** @type {any} */ settled) => ({ __proto__: null, value: settled, done }),
    !closes
      ? undefined
      : (/** @type {any} */ error) => {
          closeQuietly(iterator);
          throw error;
        },
  );
}

/** "IteratorClose" for a throw completion: the first error counts. @param {any} iterator */
function closeQuietly(iterator) {
  try {
    const method = getMethod(iterator, 'return');
    if (method !== undefined) FunctionPrototypeCall(method, iterator);
  } catch {
    // The error that led here is the one to report.
  }
}

/**
 * "ReadableStreamFromIterable"
 * @param {any} iterable
 * @param {string} prefix
 * @returns {import('./readable_state.js').ReadableState}
 */
export function readableFromIterable(iterable, prefix) {
  const source = getAsyncIterator(iterable, prefix);

  /** @param {any} result */
  const onResult = (result) => {
    if (!isObject(result)) throw new TypeError('The promise returned by next() was not fulfilled with an object');
    if (result.done) closeController(stream.controller);
    else enqueueChunk(stream.controller, result.value);
  };
  const pull = () => {
    let next;
    try {
      next = source.next();
    } catch (error) {
      return PromiseReject(error);
    }
    return PromisePrototypeThen(resolvedWith(next), onResult);
  };

  /** @param {any} reason */
  const cancel = (reason) => {
    let returned;
    try {
      returned = source.return(reason);
    } catch (error) {
      return PromiseReject(error);
    }
    if (returned === undefined) return kDone;
    return PromisePrototypeThen(resolvedWith(returned.result), (/** @type {any} */ result) => {
      if (!isObject(result)) throw new TypeError('The promise returned by return() was not fulfilled with an object');
    });
  };

  const stream = createReadable(pull, cancel, 0);
  return stream;
}
