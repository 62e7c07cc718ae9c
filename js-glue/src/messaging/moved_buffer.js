// @ts-check
// Structured clone of a buffer, or of a typed array of a buffer, that is itself all of the transfer list: the most common transfer within a thread. The
// engine moves the memory; nothing has to be written and read.

import { primordials } from '../primordials.js';

const {
  ArrayBufferPrototypeGetByteLength,
  ArrayBufferPrototypeGetResizable,
  ArrayBufferPrototypeTransfer,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
  Int16Array,
  Int32Array,
  Int8Array,
  TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetByteOffset,
  TypedArrayPrototypeGetLength,
  TypedArrayPrototypeGetSymbolToStringTag,
  Uint16Array,
  Uint32Array,
  Uint8Array,
  Uint8ClampedArray,
} = primordials;

/** Those that the snapshot has: V8 makes `Float16Array` when a worker starts. @type {any} */
const classes = {
  __proto__: null,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
  Int16Array,
  Int32Array,
  Int8Array,
  Uint16Array,
  Uint32Array,
  Uint8Array,
  Uint8ClampedArray,
};

/**
 * The clone; or undefined, and then nothing has happened: it is another value, a resizable buffer, one that is detached or cannot be.
 * @param {any} value
 * @param {any} buffer The only one of the transfer list.
 * @returns {any}
 */
export function movedBuffer(value, buffer) {
  // Of the array's internal slots, whatever it inherits; undefined for any other value.
  const name = TypedArrayPrototypeGetSymbolToStringTag(value);
  if ((name === undefined ? value : TypedArrayPrototypeGetBuffer(value)) !== buffer) return undefined;
  let offset = 0;
  let length = 0;
  let moved;
  try {
    // Throws for what is no ArrayBuffer. A detached one has no bytes, and neither has one that an empty array may have; both are left to the host.
    if (ArrayBufferPrototypeGetByteLength(buffer) === 0 || ArrayBufferPrototypeGetResizable(buffer)) return undefined;
    if (name !== undefined) {
      if (classes[name] === undefined) return undefined;
      offset = TypedArrayPrototypeGetByteOffset(value);
      length = TypedArrayPrototypeGetLength(value);
    }
    moved = ArrayBufferPrototypeTransfer(buffer);
  } catch {
    return undefined;
  }
  return name === undefined ? moved : new classes[name](moved, offset, length);
}
