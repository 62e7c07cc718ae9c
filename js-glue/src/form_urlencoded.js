// @ts-check
/**
 * `application/x-www-form-urlencoded` (URL §5). Lists of pairs are flat arrays: name, value, name, value, …; every string is well-formed UTF-16.
 */
import { ops } from './ops.js';
import { primordials } from './primordials.js';

const {
  ArrayPrototypePush,
  StringPrototypeCharCodeAt,
  StringPrototypeIndexOf,
  StringPrototypeSlice,
  TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetLength,
  Uint8Array,
  decodeURIComponent,
  encodeURIComponent,
} = primordials;

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;

/** 1 for the ASCII characters that the serialiser leaves as they are: alphanumerics and `*-._`. */
const unescaped = new Uint8Array(128);
const unescapedText = '*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
for (let i = 0; i < unescapedText.length; i++) unescaped[StringPrototypeCharCodeAt(unescapedText, i)] = 1;

/**
 * The parser (§5.1).
 * @param {string} input without a leading `?`
 * @returns {string[]}
 */
export function parseUrlencoded(input) {
  /** @type {string[]} */
  const list = [];
  const { length } = input;
  let start = 0;
  let equals = -1;
  let escaped = false;
  let nameEscaped = false;
  for (let i = 0; i <= length; i++) {
    const code = i < length ? StringPrototypeCharCodeAt(input, i) : AMPERSAND;
    if (code === AMPERSAND) {
      if (i > start) {
        if (equals === -1) ArrayPrototypePush(list, decode(StringPrototypeSlice(input, start, i), escaped), '');
        else {
          ArrayPrototypePush(
            list,
            decode(StringPrototypeSlice(input, start, equals), nameEscaped),
            decode(StringPrototypeSlice(input, equals + 1, i), escaped),
          );
        }
      }
      start = i + 1;
      equals = -1;
      escaped = nameEscaped = false;
    } else if (code === EQUALS && equals === -1) {
      equals = i;
      nameEscaped = escaped;
      escaped = false;
    } else if (code === PERCENT || code === PLUS) escaped = true;
  }
  return list;
}

/**
 * @param {string} text
 * @param {boolean} escaped whether it holds `%` or `+`
 * @returns {string}
 */
function decode(text, escaped) {
  if (!escaped) return text;
  const spaced = plusToSpace(text);
  if (StringPrototypeIndexOf(spaced, '%') === -1) return spaced;
  try {
    // Agrees with "percent-decode, then UTF-8 decode without BOM" wherever it does not throw.
    return decodeURIComponent(spaced);
  } catch {
    return decodeMalformed(spaced);
  }
}

/**
 * @param {string} text
 * @returns {string}
 */
function plusToSpace(text) {
  let result = '';
  let start = 0;
  for (;;) {
    const plus = StringPrototypeIndexOf(text, '+', start);
    if (plus === -1) return start === 0 ? text : result + StringPrototypeSlice(text, start);
    result += `${StringPrototypeSlice(text, start, plus)} `;
    start = plus + 1;
  }
}

/**
 * Percent-decodes (§1.3) where an escape is incomplete or the bytes are not UTF-8.
 * @param {string} text
 * @returns {string}
 */
function decodeMalformed(text) {
  const bytes = ops.encodeUtf8(text);
  const length = TypedArrayPrototypeGetLength(bytes);
  let written = 0;
  for (let i = 0; i < length; i++) {
    let byte = bytes[i];
    if (byte === PERCENT && i + 2 < length) {
      const high = hexDigit(bytes[i + 1]);
      const low = hexDigit(bytes[i + 2]);
      if (high !== -1 && low !== -1) {
        byte = high * 16 + low;
        i += 2;
      }
    }
    bytes[written++] = byte;
  }
  return ops.decodeUtf8(new Uint8Array(TypedArrayPrototypeGetBuffer(bytes), 0, written), false, true);
}

/** @param {number} code */
function hexDigit(code) {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/**
 * The serialiser (§5.2).
 * @param {string[]} list
 * @returns {string}
 */
export function serializeUrlencoded(list) {
  let output = '';
  for (let i = 0; i < list.length; i += 2) {
    if (i > 0) output += '&';
    output += `${encode(list[i])}=${encode(list[i + 1])}`;
  }
  return output;
}

/**
 * @param {string} text
 * @returns {string}
 */
function encode(text) {
  const { length } = text;
  let i = 0;
  while (i < length && unescaped[StringPrototypeCharCodeAt(text, i)] === 1) i++;
  if (i === length) return text;

  // `encodeURIComponent` leaves `!'()~` too, and has %20 for a space.
  const encoded = encodeURIComponent(text);
  let result = StringPrototypeSlice(encoded, 0, i);
  let start = i;
  for (; i < encoded.length; i++) {
    const code = StringPrototypeCharCodeAt(encoded, i);
    let replacement;
    let width = 1;
    if (code === PERCENT) {
      if (StringPrototypeCharCodeAt(encoded, i + 1) !== 0x32 || StringPrototypeCharCodeAt(encoded, i + 2) !== 0x30) {
        i += 2;
        continue;
      }
      replacement = '+';
      width = 3;
    } else if (unescaped[code] === 1) continue;
    else if (code === 0x21) replacement = '%21';
    else if (code === 0x27) replacement = '%27';
    else if (code === 0x28) replacement = '%28';
    else if (code === 0x29) replacement = '%29';
    else replacement = '%7E';
    result += StringPrototypeSlice(encoded, start, i) + replacement;
    i += width - 1;
    start = i + 1;
  }
  return result + StringPrototypeSlice(encoded, start);
}
