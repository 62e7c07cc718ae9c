// @ts-check
// Structured clone of what most messages are, within one thread: plain objects and arrays of primitive values, nested in one another. The host tells by an
// object's hidden class that it is plain and has no accessors (`host/src/clone/shapes.rs`); the engine then copies it as fast as it makes a literal. Whatever
// else is met, an object that occurs twice included, ends the attempt, which nobody can have noticed, and the value is V8's to serialise.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { hasHoles, HOLEY, keyCounts as countsOfKeys, NUMBERS, shapeOf } from './shapes.js';

const { ArrayBufferPrototypeGetByteLength } = primordials;

// Known to the compiler as constants, which what a module imports is not.
const keyCounts = countsOfKeys;
const numbers = NUMBERS;
const holey = HOLEY;
const MOST_DEEP = 64;

/** What `plainCopy` answers for a value that is not as simple. */
export const NOT_PLAIN = Symbol('not plain');
const notPlain = NOT_PLAIN;

let bytes = 0;

/**
 * A copy of an element or property, or NOT_PLAIN.
 * @param {any} value
 * @param {number} depth
 * @returns {any}
 */
function partOf(value, depth) {
  switch (typeof value) {
    case 'object':
      return value === null ? null : copyNested(value, depth);
    case 'string':
      bytes += value.length;
      return value;
    case 'function':
    case 'symbol':
      return notPlain;
    default:
      return value;
  }
}

/**
 * @param {any} object Visited by `shapeOf`.
 * @param {number} shape
 * @param {number} depth
 * @returns {any}
 */
function copyOf(object, shape, depth) {
  if (shape <= holey) {
    const copy = ops.shallowCopy(object);
    const { length } = copy;
    bytes += 16 + 8 * length;
    if (shape === numbers) return copy;
    if (shape === holey && hasHoles(copy)) return notPlain;
    for (let i = 0; i < length; i++) {
      const part = partOf(copy[i], depth);
      if (part === notPlain) return notPlain;
      copy[i] = part;
    }
    return copy;
  }
  // The properties that the shape has, which are no accessors; and elements, which are none either.
  const copy = { ...object };
  const count = keyCounts[shape];
  bytes += 16 + 16 * count;
  let seen = 0;
  for (const key in copy) {
    // An element, or what somebody put on `Object.prototype`.
    if (seen++ === count) return notPlain;
    const part = partOf(copy[key], depth);
    if (part === notPlain) return notPlain;
    copy[key] = part;
  }
  return copy;
}

/** @param {any} object @param {number} depth @returns {any} */
function copyNested(object, depth) {
  if (depth === MOST_DEEP) return notPlain;
  const shape = shapeOf(object, false);
  return shape < 0 ? notPlain : copyOf(object, shape, depth + 1);
}

/**
 * A structured clone of a plain object, or of a buffer by itself; or NOT_PLAIN, and then nothing has happened.
 * @param {any} object
 */
export function plainCopy(object) {
  bytes = 0;
  const shape = shapeOf(object, true);
  if (shape >= 0) return copyOf(object, shape, 0);
  const buffer = ops.copyBuffer(object);
  if (buffer === undefined) return notPlain;
  bytes = ArrayBufferPrototypeGetByteLength(buffer);
  return buffer;
}

/** What the last copy counts for while it waits. */
export function plainBytes() {
  return bytes;
}
