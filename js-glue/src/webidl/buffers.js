// @ts-check
// Web IDL §3.2.25: ArrayBuffer, ArrayBufferView and BufferSource arguments. Brands are read through captured getters, so neither
// a patched `Symbol.toStringTag` nor a changed prototype can pass one object off as another.

import { primordials } from '../primordials.js';
import { sharedByteLength } from '../shared_buffer.js';
import { throwConversionError } from './errors.js';

const {
  ArrayBufferIsView,
  ArrayBufferPrototypeGetByteLength,
  ArrayBufferPrototypeGetResizable,
  DataViewPrototypeGetBuffer,
  SharedArrayBufferPrototypeGetGrowable,
  TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetSymbolToStringTag,
} = primordials;

/**
 * @typedef {object} BufferOptions
 * @property {boolean} [allowShared] `[AllowShared]`: memory shared with other threads is accepted.
 * @property {boolean} [allowResizable] `[AllowResizable]`: buffers that may change their length are accepted.
 */

/**
 * @param {any} value
 * @returns {value is ArrayBuffer}
 */
export function isArrayBuffer(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    ArrayBufferPrototypeGetByteLength(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {any} value
 * @returns {value is SharedArrayBuffer}
 */
export function isSharedArrayBuffer(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    sharedByteLength(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @param {BufferOptions} [options]
 * @returns {ArrayBuffer | SharedArrayBuffer}
 */
export function toArrayBuffer(value, prefix = '', context = 'Value', options = undefined) {
  if (isArrayBuffer(value) || isSharedArrayBuffer(value)) return checkMemory(value, value, prefix, context, options);
  return throwConversionError(prefix, `${context} is not an ArrayBuffer`);
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @param {BufferOptions} [options]
 * @returns {ArrayBufferView}
 */
export function toArrayBufferView(value, prefix = '', context = 'Value', options = undefined) {
  if (ArrayBufferIsView(value)) return checkMemory(value, bufferOf(value), prefix, context, options);
  return throwConversionError(prefix, `${context} is not an ArrayBuffer view`);
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @param {BufferOptions} [options]
 * @returns {ArrayBuffer | SharedArrayBuffer | ArrayBufferView}
 */
export function toBufferSource(value, prefix = '', context = 'Value', options = undefined) {
  if (ArrayBufferIsView(value)) return checkMemory(value, bufferOf(value), prefix, context, options);
  if (isArrayBuffer(value) || isSharedArrayBuffer(value)) return checkMemory(value, value, prefix, context, options);
  return throwConversionError(prefix, `${context} is not an ArrayBuffer or a view on one`);
}

/**
 * The buffer behind a view, whatever its prototype chain says.
 * @param {any} view
 * @returns {ArrayBuffer | SharedArrayBuffer}
 */
export function bufferOf(view) {
  return TypedArrayPrototypeGetSymbolToStringTag(view) === undefined
    ? DataViewPrototypeGetBuffer(view)
    : TypedArrayPrototypeGetBuffer(view);
}

/**
 * @template T
 * @param {T} value
 * @param {ArrayBuffer | SharedArrayBuffer} buffer
 * @param {string} prefix
 * @param {string} context
 * @param {BufferOptions | undefined} options
 * @returns {T}
 */
function checkMemory(value, buffer, prefix, context, options) {
  const shared = isSharedArrayBuffer(buffer);
  if (shared && options?.allowShared !== true) throwConversionError(prefix, `${context} is backed by a SharedArrayBuffer, which is not allowed`);
  if (options?.allowResizable !== true) {
    const resizable = shared ? SharedArrayBufferPrototypeGetGrowable(buffer) : ArrayBufferPrototypeGetResizable(buffer);
    if (resizable) throwConversionError(prefix, `${context} is backed by a resizable buffer, which is not allowed`);
  }
  return value;
}
