// @ts-check
//# allFunctionsCalledOnLoad
// Strings in a ring's words: one-byte units, four in a word, or two-byte units, two in a word; low bytes first. The ring may begin again between any two words.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { HEADER_WORDS, MAX_RECORD_WORDS } from './segment.js';

const { ArrayPrototypePush, Int32Array, MathImul, StringFromCharCodeApply, StringPrototypeCharCodeAt, Uint8Array } = primordials;

/** @import { Segment } from './segment.js' */

// Known to the compiler as a constant, which what a module imports is not.
const firstWord = HEADER_WORDS;

/**
 * Strings from here on are copied by the host, with V8's own writer: a call costs as much as so many units (measured with `make bench-peers
 * CELLS=messages`, strings of 4 to 64).
 */
const LEAST_BULK_WRITE = 24;
/** Strings up to here are made here, and known again. */
const MOST_SHORT = 12;

/** What `writeText` answers if the words do not suffice. */
export const NO_ROOM = -1;

/**
 * Writes a string to free slots.
 * @param {Segment} segment
 * @param {number} at Word of the ring, which may be counted beyond its end.
 * @param {number} room Words that may be written.
 * @param {string} value
 * @returns {number} Twice the words that it takes, and 1 more if they hold two-byte units; or NO_ROOM.
 */
export function writeText(segment, at, room, value) {
  const { length } = value;
  if (length > 4 * room) return -1;
  const { i32, wordMask } = segment;
  const twoByteWords = (length + 1) >> 1;
  if (length >= LEAST_BULK_WRITE && twoByteWords <= room && (at & wordMask) + twoByteWords <= wordMask + 1) {
    const oneByte = ops.laneWriteText(segment.u8, (firstWord + (at & wordMask)) << 2, value);
    return oneByte ? ((length + 3) >> 2) << 1 : (twoByteWords << 1) | 1;
  }
  let all = 0;
  let next = at;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const a = StringPrototypeCharCodeAt(value, i);
    const b = StringPrototypeCharCodeAt(value, i + 1);
    const c = StringPrototypeCharCodeAt(value, i + 2);
    const d = StringPrototypeCharCodeAt(value, i + 3);
    all |= a | b | c | d;
    i32[firstWord + (next++ & wordMask)] = a | (b << 8) | (c << 16) | (d << 24);
  }
  if (i < length) {
    let last = 0;
    for (let shift = 0; i < length; i++, shift += 8) {
      const unit = StringPrototypeCharCodeAt(value, i);
      all |= unit;
      last |= unit << shift;
    }
    i32[firstWord + (next++ & wordMask)] = last;
  }
  if (all <= 0xff) return (next - at) << 1;
  if (twoByteWords > room) return -1;
  next = at;
  for (i = 0; i < length; i += 2) {
    const low = StringPrototypeCharCodeAt(value, i);
    const high = i + 1 < length ? StringPrototypeCharCodeAt(value, i + 1) : 0;
    i32[firstWord + (next++ & wordMask)] = low | (high << 16);
  }
  return (twoByteWords << 1) | 1;
}

/**
 * Units of short strings, by their number. Arrays of the length that is needed: an assignment to an element that is missing would call a setter that a
 * script put on `Array.prototype`.
 * @type {number[][]}
 */
const unitsOf = [];
for (let length = 0; length <= MOST_SHORT; length++) {
  /** @type {number[]} */
  const units = [];
  for (let i = 0; i < length; i++) ArrayPrototypePush(units, 0);
  ArrayPrototypePush(unitsOf, units);
}
/** Where a string is put together whose ring begins again within it. */
const scratch = new Uint8Array(4 * MAX_RECORD_WORDS);
const scratchWords = new Int32Array(scratch.buffer);

/**
 * Reads a string.
 * @param {Segment} segment
 * @param {number} at Word of the ring, which may be counted beyond its end.
 * @param {number} length
 * @param {boolean} twoByte
 * @returns {string}
 */
export function readText(segment, at, length, twoByte) {
  if (length <= MOST_SHORT) return twoByte ? readShortTwoByte(segment, at, length) : readShort(segment, at, length);
  const { i32, wordMask } = segment;
  const first = at & wordMask;
  const words = twoByte ? (length + 1) >> 1 : (length + 3) >> 2;
  if (first + words <= wordMask + 1) return ops.laneReadText(segment.u8, (firstWord + first) << 2, length, twoByte);
  for (let i = 0; i < words; i++) scratchWords[i] = i32[firstWord + ((at + i) & wordMask)];
  return ops.laneReadText(scratch, 0, length, twoByte);
}

// The short strings of messages are for the most part the same few over and over: names of actions, states, units. What was made last is found again by its
// words, which takes a fraction of the time that making it takes, and gives the engine fewer strings to compare and collect.
const PLACES = 256;
/** Of each place: three words, and the length. */
const knownWords = new Int32Array(4 * PLACES);
/** @type {string[]} */
const knownTexts = [];
for (let i = 0; i < PLACES; i++) ArrayPrototypePush(knownTexts, '');

/** @param {Segment} segment @param {number} at @param {number} length */
function readShort({ i32, wordMask }, at, length) {
  const word0 = length > 0 ? i32[firstWord + (at & wordMask)] : 0;
  const word1 = length > 4 ? i32[firstWord + ((at + 1) & wordMask)] : 0;
  const word2 = length > 8 ? i32[firstWord + ((at + 2) & wordMask)] : 0;
  // Fibonacci hashing: the top bits of a product by 2^32 over the golden ratio.
  const place = MathImul(word0 ^ MathImul(word1 ^ MathImul(word2, 0x9e3779b1), 0x9e3779b1), 0x9e3779b1) >>> 24;
  const known = place << 2;
  if (knownWords[known] === word0 && knownWords[known + 1] === word1 && knownWords[known + 2] === word2 && knownWords[known + 3] === length) {
    return knownTexts[place];
  }
  const units = unitsOf[length];
  for (let i = 0; i < length; i++) units[i] = ((i < 4 ? word0 : i < 8 ? word1 : word2) >>> ((i & 3) << 3)) & 0xff;
  const text = StringFromCharCodeApply(units);
  knownWords[known] = word0;
  knownWords[known + 1] = word1;
  knownWords[known + 2] = word2;
  knownWords[known + 3] = length;
  knownTexts[place] = text;
  return text;
}

/** @param {Segment} segment @param {number} at @param {number} length */
function readShortTwoByte({ i32, wordMask }, at, length) {
  const units = unitsOf[length];
  for (let i = 0; i < length; i++) units[i] = (i32[firstWord + ((at + (i >> 1)) & wordMask)] >>> ((i & 1) << 4)) & 0xffff;
  return StringFromCharCodeApply(units);
}
