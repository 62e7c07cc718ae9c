// @ts-check
// Columns that text takes on a terminal.

import { primordials } from '../primordials.js';

const {
  RegExpPrototypeExec,
  StringPrototypeCharCodeAt,
  StringPrototypeCodePointAt,
  StringPrototypeIndexOf,
  StringPrototypeNormalize,
  StringPrototypeSlice,
} = primordials;

// In order: a command string of the operating system (ECMA-48 §8.3.89: links, titles) up to BEL or ST; a control
// sequence with parameter, intermediate and final bytes (§5.4); any other escape sequence (ECMA-35 §13.1).
const escapeSequence = new RegExp(
  '(?:\\u001b\\]|\\u009d)[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)'
    + '|(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]'
    + '|\\u001b[ -/]*[0-~]',
  'g',
);

// General categories without a column of their own; variation selectors are marks.
const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const emojiPresentation = /\p{Emoji_Presentation}/u;

// Unicode UAX #11: East Asian Wide and Fullwidth, as [first, last] pairs.
const wideRanges = [
  0x1100, 0x115f, 0x2329, 0x232a, 0x2e80, 0x2e99, 0x2e9b, 0x2ef3, 0x2f00, 0x2fd5, 0x2ff0, 0x303e, 0x3041, 0x3096,
  0x3099, 0x30ff, 0x3105, 0x312f, 0x3131, 0x318e, 0x3190, 0x31e5, 0x31ef, 0x321e, 0x3220, 0x3247, 0x3250, 0xa48c,
  0xa490, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe52, 0xfe54, 0xfe66,
  0xfe68, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x16fe4, 0x16ff0, 0x16ff6, 0x17000, 0x18cd5, 0x18cff,
  0x18d1e, 0x18d80, 0x18df2, 0x1aff0, 0x1affe, 0x1b000, 0x1b122, 0x1b132, 0x1b132, 0x1b150, 0x1b152, 0x1b155, 0x1b155,
  0x1b164, 0x1b167, 0x1b170, 0x1b2fb, 0x1d300, 0x1d356, 0x1d360, 0x1d376, 0x1f200, 0x1f202, 0x1f210, 0x1f23b, 0x1f240,
  0x1f248, 0x1f250, 0x1f251, 0x1f260, 0x1f265, 0x20000, 0x2fffd, 0x30000, 0x3fffd,
];

/**
 * @param {number} point
 * @returns {boolean}
 */
function isWide(point) {
  if (point < wideRanges[0]) return false;
  let low = 0;
  let high = wideRanges.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (point < wideRanges[middle * 2]) high = middle - 1;
    else if (point > wideRanges[middle * 2 + 1]) low = middle + 1;
    else return true;
  }
  return false;
}

/**
 * @param {string} text
 * @returns {string} the text without ANSI escape sequences
 */
export function stripVTControlCharacters(text) {
  if (StringPrototypeIndexOf(text, '\u001b') === -1 && StringPrototypeIndexOf(text, '\u009b') === -1
    && StringPrototypeIndexOf(text, '\u009d') === -1) return text;
  let result = '';
  let copied = 0;
  escapeSequence.lastIndex = 0;
  for (;;) {
    const match = RegExpPrototypeExec(escapeSequence, text);
    if (match === null) break;
    result += StringPrototypeSlice(text, copied, match.index);
    copied = escapeSequence.lastIndex;
  }
  return result + StringPrototypeSlice(text, copied);
}

/**
 * @param {string} text
 * @param {boolean} coloured the text may hold escape sequences
 * @returns {number} code units that are shown: the measure of the layout, as in Node
 */
export function displayedLength(text, coloured) {
  return coloured ? stripVTControlCharacters(text).length : text.length;
}

/**
 * @param {string} text
 * @param {boolean} [strip] leave escape sequences out first
 * @returns {number} terminal columns
 */
export function stringWidth(text, strip = true) {
  const visible = strip ? stripVTControlCharacters(text) : text;
  let width = 0;
  for (let i = 0; i < visible.length; i++) {
    const code = StringPrototypeCharCodeAt(visible, i);
    if (code >= 0x7f) return width + wideTextWidth(StringPrototypeNormalize(StringPrototypeSlice(visible, i), 'NFC'));
    if (code >= 0x20) width++;
  }
  return width;
}

/**
 * @param {string} text
 * @returns {number}
 */
function wideTextWidth(text) {
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const point = StringPrototypeCodePointAt(text, i);
    const character = StringPrototypeSlice(text, i, point > 0xffff ? i + 2 : i + 1);
    if (point > 0xffff) i++;
    // U+00AD is a format character that terminals do show.
    if (point !== 0xad && RegExpPrototypeExec(zeroWidth, character) !== null) continue;
    width += isWide(point) || RegExpPrototypeExec(emojiPresentation, character) !== null ? 2 : 1;
  }
  return width;
}
