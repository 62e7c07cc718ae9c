// @ts-check
// Structured clone of what most messages are, within one thread: plain objects and arrays of primitive values, nested in one another. The host tells by an
// object's hidden class that it is plain and has no accessors (`host/src/clone/shapes.rs`); the engine then copies it as fast as it makes a literal. Whatever
// else is met, an object that occurs twice included, ends the attempt, which nobody can have noticed, and the value is V8's to serialise.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';

const { ArrayBufferPrototypeGetByteLength, ArrayIsArray, Uint8Array } = primordials;

/** Answers of `ops.shapeOf`. */
const UNKNOWN = -1;
const REFUSED = -2;
/** Shapes: an array of numbers alone, and of anything. Greater ones are of objects. */
const NUMBERS = 0;
const ARRAY = 1;
const MOST_DEEP = 64;
const MOST_KEYS = 100;
/** How many objects are looked at closely before that has to have been of use. */
const FIRST_LESSONS = 64;

/** What `plainCopy` answers for a value that is not as simple. */
export const NOT_PLAIN = Symbol('not plain');
const notPlain = NOT_PLAIN;

/** Keys of each shape. */
const keyCounts = new Uint8Array(512);
let lessons = 0;
/** Objects whose shape was known, for each lesson that they pay for. */
let known = 0;
let bytes = 0;

/**
 * Takes a close look at an object that is like none before.
 * @param {any} object
 * @returns {number} Its shape, or REFUSED.
 */
function learn(object) {
  if (lessons > FIRST_LESSONS + known / 16) return REFUSED;
  lessons++;
  if (ArrayIsArray(object)) {
    ops.shapeLearnArrays([[0], [0.5], ['']]);
    // It may be one of those; but also one with holes, or a subclass's. The next like it will tell.
    return REFUSED;
  }
  const count = ops.shapeKeys(object);
  if (count < 0 || count > MOST_KEYS) return REFUSED;
  const shape = ops.shapeLearn(object, { ...object }, { ...object });
  if (shape >= 0) keyCounts[shape] = count;
  return shape;
}

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
  if (shape <= ARRAY) {
    const copy = ops.shallowCopy(object);
    const { length } = copy;
    bytes += 16 + 8 * length;
    if (shape === NUMBERS) return copy;
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
  let shape = ops.shapeOf(object, false);
  if (shape === UNKNOWN) shape = learn(object);
  if (shape < 0) return notPlain;
  known++;
  return copyOf(object, shape, depth + 1);
}

/**
 * A structured clone of a plain object, or of a buffer by itself; or NOT_PLAIN, and then nothing has happened.
 * @param {any} object
 */
export function plainCopy(object) {
  bytes = 0;
  let shape = ops.shapeOf(object, true);
  if (shape === UNKNOWN) {
    const buffer = ops.copyBuffer(object);
    if (buffer !== undefined) {
      bytes = ArrayBufferPrototypeGetByteLength(buffer);
      return buffer;
    }
    shape = learn(object);
  }
  if (shape < 0) return notPlain;
  known++;
  return copyOf(object, shape, 0);
}

/** What the last copy counts for while it waits. */
export function plainBytes() {
  return bytes;
}
