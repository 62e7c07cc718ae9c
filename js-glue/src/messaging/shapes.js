// @ts-check
// What kind of plain object or array a value is. The host tells by an object's hidden class (`host/src/clone/shapes.rs`): those that it knows hold no
// accessors, and reading them runs nobody's code.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';

const { ArrayIsArray, Int32Array, ObjectPrototypeHasOwnProperty, Uint8Array } = primordials;

/**
 * Shapes: an array of numbers alone, one of anything, both without holes, and one of anything that may have holes; those are what V8's deserialiser and
 * `new Array(length)` make. Greater ones are of objects.
 */
export const NUMBERS = 0;
export const ARRAY = 1;
export const HOLEY = 2;
/** Shapes are less than this. */
export const MOST_SHAPES = 512;
/** Answers of `ops.shapeOf`. */
const UNKNOWN = -1;
const REFUSED = -2;

/**
 * Whether an array of that last shape has one. Reading it would go on to the prototypes, where a script may have put a getter.
 * @param {any[]} array
 */
export function hasHoles(array) {
  const { length } = array;
  for (let i = 0; i < length; i++) {
    if (!ObjectPrototypeHasOwnProperty(array, i)) return true;
  }
  return false;
}

const MOST_KEYS = 100;
/** How many objects are looked at closely before that has to have been of use. */
const FIRST_LESSONS = 64;

/**
 * Properties of each shape of objects. An object of that shape may have elements besides, so whoever goes through its keys counts them, and gives up when
 * there are more.
 */
export const keyCounts = new Uint8Array(MOST_SHAPES);
/** When each shape was learned. The host forgets shapes when they are too many, and gives their numbers to others. */
export const lessonOf = new Int32Array(MOST_SHAPES);
let lessons = 0;
/** Objects whose shape was known, for each lesson that they pay for. */
let known = 0;

/**
 * Takes a close look at an object that is like none before.
 * @param {any} object
 * @returns {number} Its shape, or REFUSED.
 */
function learn(object) {
  if (lessons > FIRST_LESSONS + known / 16) return REFUSED;
  lessons++;
  if (ArrayIsArray(object)) {
    ops.shapeLearnArrays([[0], [0.5], [''], [, 0], [, 0.5], [, '']]);
    // It may be one of those; but also a subclass's. The next like it will tell.
    return REFUSED;
  }
  const count = ops.shapeKeys(object);
  if (count < 0 || count > MOST_KEYS) return REFUSED;
  const shape = ops.shapeLearn(object, { ...object }, { ...object });
  if (shape < 0 || shape >= MOST_SHAPES) return REFUSED;
  keyCounts[shape] = count;
  lessonOf[shape] = lessons;
  return shape;
}

/**
 * The shape of an object, or a negative number if it has to be V8's to serialise: it is none that is known, or the same walk was there before.
 * @param {any} object
 * @param {boolean} first A new walk begins. What it goes through must run no script's code.
 * @returns {number}
 */
export function shapeOf(object, first) {
  let shape = ops.shapeOf(object, first);
  if (shape === UNKNOWN) {
    shape = learn(object);
    if (shape < 0) return shape;
  }
  known++;
  return shape;
}
