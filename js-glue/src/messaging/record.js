// @ts-check
// Records: plain objects and arrays of primitive values, nested in one another, in a lane's slots.
//
// A record is a stream of 32-bit words. Each value begins with a word whose low four bits say what it is, and whose others are its argument:
//
//   1 undefined, 2 null, 3 false, 4 true
//   5 INT32      the number is the next word
//   6 FLOAT64    the number is the next two words, low one first
//   7 SMALL      the argument is the number, signed
//   8 LATIN1     the argument is the length; four units in a word, low bytes first, the rest of the last word 0
//   9 UTF16      the argument is the length; two units in a word
//  10 ARRAY      the argument is the length; the elements follow
//  11 OBJECT     the argument is the number of a shape; the values follow, in the order of the shape's keys
//
// A shape is the names of an object's keys. It is made known to the lane once, through the host, and numbered there; the receiving end asks for the names when
// it first meets the number, and makes a function of them that builds such an object as fast as a literal. `host/src/clone/wire/record.rs` reads the same
// words where the receiver is no isolate.
//
// A value that is anything else, or too long, is given up half-way. That shows in nothing: what it goes through runs no script's code, and what was written lies
// in slots that are still free.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { NO_ROOM, readText, writeText } from './lane_text.js';
import { HEADER_WORDS, MAX_RECORD_WORDS } from './segment.js';
import { hasHoles, HOLEY, keyCounts as countsOfKeys, lessonOf as lessonOfShape, MOST_SHAPES, NUMBERS, shapeOf } from './shapes.js';

/** @import { Segment } from './segment.js' */

const { ArrayPrototypePush, Float64Array, Int16Array, Int32Array, JSONStringify, SafeMap } = primordials;

// Known to the compiler as constants, which what a module imports is not.
const keyCounts = countsOfKeys;
const lessonOf = lessonOfShape;
const numbersShape = NUMBERS;
const holeyShape = HOLEY;
const firstWord = HEADER_WORDS;
const maxRecordWords = MAX_RECORD_WORDS;
const noRoom = NO_ROOM;

const UNDEFINED = 1;
const NULL = 2;
const FALSE = 3;
const TRUE = 4;
const INT32 = 5;
const FLOAT64 = 6;
const SMALL = 7;
const LATIN1 = 8;
const UTF16 = 9;
const ARRAY = 10;
const OBJECT = 11;

/** Objects of a lane before shapes are defined: a reader's function costs as much as some dozens of parcels. */
const FIRST_OBJECTS = 16;

/** A double and its two words. */
const double = new Float64Array(1);
const doubleWords = new Int32Array(double.buffer);

// ---- Writing

/** The number of a shape that the lane does not take. */
const REFUSED = -1;

/** The numbers that shapes have in one lane, at its sending end. */
export class SentShapes {
  #key;
  #objects = 0;
  #numbers = new Int16Array(MOST_SHAPES);
  /** The lesson that the number was given for. */
  #lessons = new Int32Array(MOST_SHAPES);

  /** @param {number} key The port's. */
  constructor(key) {
    this.#key = key;
  }

  /** Whether the lane is worth defining shapes for. */
  isWorthwhile() {
    return this.#objects === FIRST_OBJECTS || ++this.#objects === FIRST_OBJECTS;
  }

  /**
   * The number of an object's shape, or a negative one.
   * @param {any} object
   * @param {number} shape
   */
  numberOf(object, shape) {
    return this.#lessons[shape] === lessonOf[shape] ? this.#numbers[shape] : this.#define(object, shape);
  }

  /** @param {any} object @param {number} shape */
  #define(object, shape) {
    this.#lessons[shape] = lessonOf[shape];
    return (this.#numbers[shape] = ops.laneDefineShape(this.#key, object, keyCounts[shape]) ?? REFUSED);
  }
}

// Where the record that is being written goes.
/** @type {Segment} */
let segment;
/** @type {Int32Array} */
let words;
let mask = 0;
/** The first word that is not to be written, counted from the ring's start; the ring may begin again before it. */
let end = 0;
/** @type {SentShapes} */
let sentShapes;

/**
 * Writes an object into free slots.
 * @param {Segment} into
 * @param {number} start Word of the ring.
 * @param {SentShapes} shapes
 * @param {any} object
 * @param {number} shape Its shape, of a walk that `shapeOf` began with it.
 * @returns {number} Words that were written; 0: it has to be a parcel.
 */
export function writeRecord(into, start, shapes, object, shape) {
  segment = into;
  words = into.i32;
  mask = into.wordMask;
  end = start + maxRecordWords;
  sentShapes = shapes;
  const stop = writeObject(object, shape, start);
  return stop < 0 ? 0 : stop - start;
}

/**
 * @param {any} object
 * @param {number} shape
 * @param {number} at
 * @returns {number} Where the next value goes, or a negative number.
 */
function writeObject(object, shape, at) {
  if (at === end) return -1;
  const word = firstWord + (at++ & mask);
  if (shape <= holeyShape) {
    const { length } = object;
    if (length > end - at) return -1;
    words[word] = (length << 4) | ARRAY;
    if (shape === numbersShape) {
      for (let i = 0; i < length && at >= 0; i++) at = writeNumber(object[i], at);
    } else {
      if (shape === holeyShape && hasHoles(object)) return -1;
      for (let i = 0; i < length && at >= 0; i++) at = writeValue(object[i], at);
    }
    return at;
  }
  const number = sentShapes.numberOf(object, shape);
  if (number < 0) return -1;
  words[word] = (number << 4) | OBJECT;
  let left = keyCounts[shape];
  for (const key in object) {
    // An element, or what somebody put on `Object.prototype`.
    if (left-- === 0) return -1;
    at = writeValue(object[key], at);
    if (at < 0) return -1;
  }
  return at;
}

/** @param {any} value @param {number} at @returns {number} */
function writeValue(value, at) {
  switch (typeof value) {
    case 'number':
      return writeNumber(value, at);
    case 'string':
      return writeString(value, at);
    case 'boolean':
      return writeWord(value ? TRUE : FALSE, at);
    case 'undefined':
      return writeWord(UNDEFINED, at);
    case 'object': {
      if (value === null) return writeWord(NULL, at);
      const shape = shapeOf(value, false);
      return shape < 0 ? -1 : writeObject(value, shape, at);
    }
    default:
      return -1;
  }
}

/** @param {number} word @param {number} at */
function writeWord(word, at) {
  if (at === end) return -1;
  words[firstWord + (at & mask)] = word;
  return at + 1;
}

/** @param {number} value @param {number} at */
function writeNumber(value, at) {
  const whole = value | 0;
  if (whole === value && (whole !== 0 || 1 / value > 0)) {
    if ((whole << 4) >> 4 === whole) return writeWord((whole << 4) | SMALL, at);
    if (end - at < 2) return -1;
    words[firstWord + (at & mask)] = INT32;
    words[firstWord + ((at + 1) & mask)] = whole;
    return at + 2;
  }
  if (end - at < 3) return -1;
  double[0] = value;
  words[firstWord + (at & mask)] = FLOAT64;
  words[firstWord + ((at + 1) & mask)] = doubleWords[0];
  words[firstWord + ((at + 2) & mask)] = doubleWords[1];
  return at + 3;
}

/** @param {string} value @param {number} at */
function writeString(value, at) {
  if (at === end) return -1;
  const written = writeText(segment, at + 1, end - at - 1, value);
  if (written === noRoom) return -1;
  words[firstWord + (at & mask)] = (value.length << 4) | ((written & 1) === 0 ? LATIN1 : UTF16);
  return at + 1 + (written >> 1);
}

// ---- Reading

/** Functions that make an object or an array of what comes next, by their source. */
const makers = new SafeMap();
const MOST_MAKERS = 1024;
/** Shapes that a lane has at most; as `lane/record_shapes.rs` has it. */
const MOST_LANE_SHAPES = 128;

// Arrays of the length that is needed from the start: an assignment to an element that is missing would call a setter that a script put on
// `Array.prototype`.
/** @type {((() => any) | undefined)[]} */
const noMakers = [];
/** Makers of arrays, by the length. @type {((() => any[]) | undefined)[]} */
const arrayMakers = [];
for (let i = 0; i < MOST_LANE_SHAPES; i++) {
  ArrayPrototypePush(noMakers, undefined);
  ArrayPrototypePush(arrayMakers, undefined);
}

/**
 * A function that answers the value of an expression with calls of `read` in it.
 * @param {string} expression
 * @returns {() => any}
 */
function makerOf(expression) {
  let maker = makers.get(expression);
  if (maker === undefined) {
    if (makers.size === MOST_MAKERS) makers.clear();
    maker = ops.compileFunction('read', `return (() => (${expression}));`)(readValue);
    makers.set(expression, maker);
  }
  return maker;
}

/** The functions for the shapes of one lane, at its receiving end. */
export class ReceivedShapes {
  #key;
  /** By the shape's number. @type {((() => any) | undefined)[]} */
  #makers = ops.shallowCopy(noMakers);

  /** @param {number} key The port's. */
  constructor(key) {
    this.#key = key;
  }

  /** @param {number} number */
  makerOf(number) {
    return number < MOST_LANE_SHAPES ? (this.#makers[number] ?? this.#learn(number)) : undefined;
  }

  /** @param {number} number */
  #learn(number) {
    const names = ops.laneShape(this.#key, number);
    if (names === undefined) return undefined;
    let properties = '';
    for (let i = 0; i < names.length; i++) {
      const name = JSONStringify(names[i]);
      // Computed, `__proto__` is a name like any other.
      properties += names[i] === '__proto__' ? `[${name}]: read(), ` : `${name}: read(), `;
    }
    return (this.#makers[number] = makerOf(`{ ${properties}}`));
  }
}

// Where the record is that is being read.
/** @type {Segment} */
let source;
let position = 0;
/** The first word after the record. */
let readEnd = 0;
let readMask = 0;
/** @type {ReceivedShapes} */
let receivedShapes;
let isCorrupt = false;

/**
 * Reads a record out of slots; undefined, which is no record, if the words make no sense.
 * @param {Segment} from
 * @param {number} start Word of the ring.
 * @param {number} count Words of the record.
 * @param {ReceivedShapes} shapes
 */
export function readRecord(from, start, count, shapes) {
  source = from;
  position = start;
  readEnd = start + count;
  readMask = from.wordMask;
  receivedShapes = shapes;
  isCorrupt = false;
  const value = readValue();
  return isCorrupt || position !== readEnd ? undefined : value;
}

/** @returns {any} */
function readValue() {
  if (position >= readEnd) {
    isCorrupt = true;
    return undefined;
  }
  const { i32 } = source;
  const word = i32[firstWord + (position++ & readMask)];
  switch (word & 0xf) {
    case UNDEFINED:
      return undefined;
    case NULL:
      return null;
    case FALSE:
      return false;
    case TRUE:
      return true;
    case SMALL:
      return word >> 4;
    case INT32:
      return i32[firstWord + (position++ & readMask)];
    case FLOAT64:
      doubleWords[0] = i32[firstWord + (position++ & readMask)];
      doubleWords[1] = i32[firstWord + (position++ & readMask)];
      return double[0];
    case LATIN1: {
      const length = word >>> 4;
      const at = position;
      position += (length + 3) >> 2;
      if (position > readEnd) break;
      return readText(source, at, length, false);
    }
    case UTF16: {
      const length = word >>> 4;
      const at = position;
      position += (length + 1) >> 1;
      if (position > readEnd) break;
      return readText(source, at, length, true);
    }
    case ARRAY: {
      const length = word >>> 4;
      if (length >= maxRecordWords) break;
      const maker = arrayMakers[length] ?? learnArray(length);
      return maker();
    }
    case OBJECT: {
      const maker = receivedShapes.makerOf(word >>> 4);
      if (maker === undefined) break;
      return maker();
    }
  }
  isCorrupt = true;
  return undefined;
}

/** @param {number} length */
function learnArray(length) {
  let elements = '';
  for (let i = 0; i < length; i++) elements += 'read(), ';
  return (arrayMakers[length] = makerOf(`[${elements}]`));
}
