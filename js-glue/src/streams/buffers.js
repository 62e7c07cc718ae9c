// @ts-check
// Streams §8.3 "Miscellaneous" and the ECMAScript operations on buffers that byte streams need. Everything goes through captured accessors, and
// nothing looks up a species: a script's subclass or patched prototype is not consulted.

import { primordials } from '../primordials.js';
import { bufferOf } from '../webidl.js';

const {
  ArrayBuffer,
  ArrayBufferPrototypeTransfer,
  BigInt64Array,
  BigUint64Array,
  DataView,
  DataViewPrototypeGetByteLength,
  DataViewPrototypeGetByteOffset,
  Float16Array,
  Float32Array,
  Float64Array,
  Int16Array,
  Int32Array,
  Int8Array,
  TypedArrayPrototypeGetByteLength,
  TypedArrayPrototypeGetByteOffset,
  TypedArrayPrototypeGetSymbolToStringTag,
  TypedArrayPrototypeSet,
  Uint16Array,
  Uint32Array,
  Uint8Array,
  Uint8ClampedArray,
} = primordials;

/** ECMAScript table "The TypedArray Constructors". @type {Record<string, { View: any, elementSize: number }>} */
const typedArrays = /** @type {any} */ ({
  __proto__: null,
  BigInt64Array: { View: BigInt64Array, elementSize: 8 },
  BigUint64Array: { View: BigUint64Array, elementSize: 8 },
  Float16Array: { View: Float16Array, elementSize: 2 },
  Float32Array: { View: Float32Array, elementSize: 4 },
  Float64Array: { View: Float64Array, elementSize: 8 },
  Int16Array: { View: Int16Array, elementSize: 2 },
  Int32Array: { View: Int32Array, elementSize: 4 },
  Int8Array: { View: Int8Array, elementSize: 1 },
  Uint16Array: { View: Uint16Array, elementSize: 2 },
  Uint32Array: { View: Uint32Array, elementSize: 4 },
  Uint8Array: { View: Uint8Array, elementSize: 1 },
  Uint8ClampedArray: { View: Uint8ClampedArray, elementSize: 1 },
});
const dataView = { View: DataView, elementSize: 1 };

/**
 * The constructor of a view's type, and the size of its elements.
 * @param {any} view
 * @returns {{ View: any, elementSize: number }}
 */
export function viewType(view) {
  const tag = TypedArrayPrototypeGetSymbolToStringTag(view);
  return tag === undefined ? dataView : typedArrays[tag];
}

/** @param {any} view @returns {number} */
export function byteLengthOf(view) {
  return TypedArrayPrototypeGetSymbolToStringTag(view) === undefined
    ? DataViewPrototypeGetByteLength(view)
    : TypedArrayPrototypeGetByteLength(view);
}

/** @param {any} view @returns {number} */
export function byteOffsetOf(view) {
  return TypedArrayPrototypeGetSymbolToStringTag(view) === undefined
    ? DataViewPrototypeGetByteOffset(view)
    : TypedArrayPrototypeGetByteOffset(view);
}

/**
 * "TransferArrayBuffer": throws for detached buffers and those that cannot be detached, such as a WebAssembly memory's.
 * @param {ArrayBuffer} buffer
 * @returns {ArrayBuffer}
 */
export function transferBuffer(buffer) {
  return ArrayBufferPrototypeTransfer(buffer);
}

/**
 * "CopyDataBlockBytes"
 * @param {ArrayBuffer} target
 * @param {number} targetOffset
 * @param {ArrayBuffer} source
 * @param {number} sourceOffset
 * @param {number} length
 */
export function copyBytes(target, targetOffset, source, sourceOffset, length) {
  TypedArrayPrototypeSet(new Uint8Array(target, targetOffset, length), new Uint8Array(source, sourceOffset, length));
}

/**
 * "CloneArrayBuffer"
 * @param {ArrayBuffer} buffer
 * @param {number} byteOffset
 * @param {number} byteLength
 * @returns {ArrayBuffer}
 */
export function cloneBuffer(buffer, byteOffset, byteLength) {
  const clone = new ArrayBuffer(byteLength);
  copyBytes(clone, 0, buffer, byteOffset, byteLength);
  return clone;
}

/**
 * "CloneAsUint8Array"
 * @param {any} view
 * @returns {Uint8Array}
 */
export function cloneAsUint8Array(view) {
  return new Uint8Array(cloneBuffer(/** @type {ArrayBuffer} */ (bufferOf(view)), byteOffsetOf(view), byteLengthOf(view)));
}
