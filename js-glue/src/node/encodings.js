// @ts-check
// Node's names of text encodings, and the conversions behind the `encoding` options.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { nodeError } from './errors.js';

const {
  DataViewPrototypeGetBuffer,
  DataViewPrototypeGetByteLength,
  DataViewPrototypeGetByteOffset,
  MathFloor,
  MathMin,
  NumberPrototypeToString,
  StringFromCharCodeApply,
  StringPrototypeCharCodeAt,
  StringPrototypePadStart,
  StringPrototypeToLowerCase,
  TypeError,
  TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetByteLength,
  TypedArrayPrototypeGetByteOffset,
  TypedArrayPrototypeGetSymbolToStringTag,
  Uint8Array,
} = primordials;

/** @typedef {'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'hex' | 'base64' | 'base64url'} Encoding */

/** @type {Record<string, Encoding>} */
const names = /** @type {any} */ ({
  __proto__: null,
  utf8: 'utf8',
  'utf-8': 'utf8',
  utf16le: 'utf16le',
  'utf-16le': 'utf16le',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
  latin1: 'latin1',
  binary: 'latin1',
  ascii: 'ascii',
  hex: 'hex',
  base64: 'base64',
  base64url: 'base64url',
});

/**
 * @param {any} encoding
 * @returns {Encoding | undefined} undefined for a name that Node does not know.
 */
export function findEncoding(encoding) {
  return typeof encoding === 'string' ? names[StringPrototypeToLowerCase(encoding)] : undefined;
}

/**
 * @param {any} encoding undefined for UTF-8.
 * @returns {Encoding} Throws for a name that Node does not know.
 */
export function normalizeEncoding(encoding) {
  const name = encoding === undefined || encoding === '' ? 'utf8' : findEncoding(encoding);
  if (name === undefined) {
    throw nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  }
  return name;
}

/** @param {Encoding} encoding */
export function isUtf8(encoding) {
  return encoding === 'utf8';
}

/**
 * The bytes that a view shows.
 *
 * @param {any} view
 * @returns {Uint8Array}
 */
export function bytesOf(view) {
  if (TypedArrayPrototypeGetSymbolToStringTag(view) === undefined) {
    return new Uint8Array(
      DataViewPrototypeGetBuffer(view), DataViewPrototypeGetByteOffset(view), DataViewPrototypeGetByteLength(view),
    );
  }
  return new Uint8Array(
    TypedArrayPrototypeGetBuffer(view), TypedArrayPrototypeGetByteOffset(view), TypedArrayPrototypeGetByteLength(view),
  );
}

/**
 * Not `subarray`, which would ask the array's constructor for its species.
 *
 * @param {Uint8Array} bytes
 * @param {number} count
 * @returns {Uint8Array}
 */
function firstBytes(bytes, count) {
  return new Uint8Array(TypedArrayPrototypeGetBuffer(bytes), 0, count);
}

/** Arguments per call of `String.fromCharCode`, well under the engine's limit. */
const CHUNK = 8192;

/**
 * @param {Uint8Array} bytes
 * @param {number} mask
 * @returns {string}
 */
function fromBytes(bytes, mask) {
  let text = '';
  const { length } = bytes;
  for (let start = 0; start < length; start += CHUNK) {
    /** @type {number[]} */
    const codes = [];
    const end = MathMin(start + CHUNK, length);
    for (let i = start; i < end; i++) {
      codes[i - start] = bytes[i] & mask;
    }
    text += StringFromCharCodeApply(codes);
  }
  return text;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Value of each character in either alphabet, 255 for the rest. */
const sextets = new Uint8Array(256);
for (let i = 0; i < 256; i++) {
  sextets[i] = 255;
}
for (let i = 0; i < 64; i++) {
  sextets[StringPrototypeCharCodeAt(ALPHABET, i)] = i;
  sextets[StringPrototypeCharCodeAt(URL_ALPHABET, i)] = i;
}

/**
 * @param {Uint8Array} bytes
 * @param {string} alphabet
 * @param {string} padding
 * @returns {string}
 */
function toBase64(bytes, alphabet, padding) {
  let text = '';
  const { length } = bytes;
  for (let i = 0; i < length; i += 3) {
    const rest = length - i;
    const group = (bytes[i] << 16) | ((rest > 1 ? bytes[i + 1] : 0) << 8) | (rest > 2 ? bytes[i + 2] : 0);
    text += alphabet[group >> 18];
    text += alphabet[(group >> 12) & 63];
    text += rest > 1 ? alphabet[(group >> 6) & 63] : padding;
    text += rest > 2 ? alphabet[group & 63] : padding;
  }
  return text;
}

/**
 * Either alphabet; characters outside both are skipped, and "=" ends the text, as Node has it.
 *
 * @param {string} text
 * @returns {Uint8Array}
 */
function fromBase64(text) {
  const bytes = new Uint8Array(MathFloor(text.length * 3 / 4));
  let count = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code === 61) {
      break;
    }
    const value = code < 256 ? sextets[code] : 255;
    if (value === 255) {
      continue;
    }
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[count++] = held >> bits;
    }
  }
  return firstBytes(bytes, count);
}

/** @param {number} code */
function hexDigit(code) {
  if (code >= 48 && code <= 57) {
    return code - 48;
  }
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/**
 * Whole pairs up to the first that is not hexadecimal.
 *
 * @param {string} text
 * @returns {Uint8Array}
 */
function fromHex(text) {
  const bytes = new Uint8Array(text.length >> 1);
  for (let i = 0; i < bytes.length; i++) {
    const high = hexDigit(StringPrototypeCharCodeAt(text, 2 * i));
    const low = hexDigit(StringPrototypeCharCodeAt(text, 2 * i + 1));
    if (high < 0 || low < 0) {
      return firstBytes(bytes, i);
    }
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @param {Encoding} encoding
 * @returns {string}
 */
export function decodeBytes(bytes, encoding) {
  switch (encoding) {
    case 'utf8':
      return ops.decodeUtf8(bytes, false, true);
    case 'utf16le':
      return toUtf16(bytes);
    case 'latin1':
      return fromBytes(bytes, 0xff);
    case 'ascii':
      return fromBytes(bytes, 0x7f);
    case 'base64':
      return toBase64(bytes, ALPHABET, '=');
    case 'base64url':
      return toBase64(bytes, URL_ALPHABET, '');
    default: {
      let text = '';
      for (let i = 0; i < bytes.length; i++) {
        text += StringPrototypePadStart(NumberPrototypeToString(bytes[i], 16), 2, '0');
      }
      return text;
    }
  }
}

/**
 * Unlike the web's decoder this keeps lone surrogates and drops an odd last byte.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
function toUtf16(bytes) {
  let text = '';
  const units = bytes.length >> 1;
  for (let start = 0; start < units; start += CHUNK) {
    /** @type {number[]} */
    const codes = [];
    const end = MathMin(start + CHUNK, units);
    for (let i = start; i < end; i++) {
      codes[i - start] = bytes[2 * i] | (bytes[2 * i + 1] << 8);
    }
    text += StringFromCharCodeApply(codes);
  }
  return text;
}

/**
 * @param {string} text
 * @param {Encoding} encoding
 * @returns {Uint8Array}
 */
export function encodeText(text, encoding) {
  const { length } = text;
  switch (encoding) {
    case 'utf8':
      return ops.encodeUtf8(text);
    case 'utf16le': {
      const bytes = new Uint8Array(2 * length);
      for (let i = 0; i < length; i++) {
        const code = StringPrototypeCharCodeAt(text, i);
        bytes[2 * i] = code;
        bytes[2 * i + 1] = code >> 8;
      }
      return bytes;
    }
    case 'base64':
    case 'base64url':
      return fromBase64(text);
    case 'hex':
      return fromHex(text);
    default: {
      const bytes = new Uint8Array(length);
      for (let i = 0; i < length; i++) {
        bytes[i] = StringPrototypeCharCodeAt(text, i);
      }
      return bytes;
    }
  }
}
