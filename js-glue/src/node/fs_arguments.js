// @ts-check
// What callers of `node:fs` hand in, checked and brought into the form that the host takes.

import { primordials } from '../primordials.js';
import { constants } from './fs_constants.js';
import { bytesOf, decodeBytes, encodeText, findEncoding, isUtf8 } from './encodings.js';
import { invalidArgType, invalidArgValue } from './errors.js';
import { fileURLToPath, isURL } from './url.js';
import { validateAbortSignal, validateInteger, validateUint32 } from './validators.js';

const {
  ArrayBufferIsView,
  ObjectAssign,
  RegExpPrototypeExec,
  StringPrototypeIncludes,
  TypedArrayPrototypeGetSymbolToStringTag,
  parseInt,
} = primordials;

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants;

/**
 * @param {any} path A string, a `file:` URL, or a Uint8Array of UTF-8.
 * @param {string} [name]
 * @returns {string}
 */
export function toPath(path, name = 'path') {
  let text;
  if (typeof path === 'string') {
    text = path;
  } else if (isURL(path)) {
    text = fileURLToPath(path);
  } else if (ArrayBufferIsView(path) && TypedArrayPrototypeGetSymbolToStringTag(path) === 'Uint8Array') {
    text = decodeBytes(path, 'utf8');
  } else {
    throw invalidArgType(name, ['string', 'Buffer', 'URL'], path);
  }
  if (StringPrototypeIncludes(text, '\u0000')) {
    throw invalidArgValue(name, text, 'must be a string, Uint8Array, or URL without null bytes');
  }
  return text;
}

/** @type {Record<string, number>} */
const flagsByName = /** @type {any} */ ({
  __proto__: null,
  r: O_RDONLY,
  rs: O_RDONLY | O_SYNC,
  sr: O_RDONLY | O_SYNC,
  'r+': O_RDWR,
  'rs+': O_RDWR | O_SYNC,
  'sr+': O_RDWR | O_SYNC,
  w: O_TRUNC | O_CREAT | O_WRONLY,
  wx: O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  xw: O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  'w+': O_TRUNC | O_CREAT | O_RDWR,
  'wx+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  'xw+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  a: O_APPEND | O_CREAT | O_WRONLY,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  xa: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  as: O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  sa: O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  'a+': O_APPEND | O_CREAT | O_RDWR,
  'ax+': O_APPEND | O_CREAT | O_RDWR | O_EXCL,
  'xa+': O_APPEND | O_CREAT | O_RDWR | O_EXCL,
  'as+': O_APPEND | O_CREAT | O_RDWR | O_SYNC,
  'sa+': O_APPEND | O_CREAT | O_RDWR | O_SYNC,
});

/**
 * @param {any} flags
 * @returns {number}
 */
function toFlags(flags) {
  if (typeof flags === 'number') {
    validateInteger(flags, 'flags', 0, 0x7fffffff);
    return flags;
  }
  const value = typeof flags === 'string' ? flagsByName[flags] : undefined;
  if (value === undefined) {
    throw invalidArgValue('flags', flags);
  }
  return value;
}

/**
 * @param {any} mode A number, or a string of octal digits.
 * @param {number} fallback
 * @returns {number}
 */
export function toMode(mode, fallback) {
  if (mode === undefined || mode === null) {
    return fallback;
  }
  if (typeof mode !== 'string') {
    validateUint32(mode, 'mode');
    return mode;
  }
  if (RegExpPrototypeExec(/^[0-7]+$/, mode) === null) {
    throw invalidArgValue('mode', mode, 'must be a 32-bit unsigned integer or an octal string');
  }
  return parseInt(mode, 8);
}

/**
 * @param {any} mode
 * @returns {number}
 */
export function toAccessMode(mode) {
  if (mode !== undefined && mode !== null) {
    validateInteger(mode, 'mode', 0, 7);
    return mode;
  }
  return constants.F_OK;
}

/**
 * @param {any} mode
 * @returns {number}
 */
export function toCopyMode(mode) {
  if (mode !== undefined && mode !== null) {
    validateInteger(mode, 'mode', 0, 7);
    return mode;
  }
  return 0;
}

/**
 * Options may be a bag or, where that makes sense, the encoding alone.
 *
 * @param {any} options
 * @returns {any}
 */
export function toOptions(options) {
  if (options === undefined || options === null || typeof options === 'function') {
    return { __proto__: null };
  }
  if (typeof options === 'string') {
    return { __proto__: null, encoding: options };
  }
  if (typeof options !== 'object') {
    throw invalidArgType('options', ['string', 'Object'], options);
  }
  const bag = ObjectAssign({ __proto__: null }, options);
  validateAbortSignal(bag.signal, 'options.signal');
  return bag;
}

/**
 * @param {any} encoding
 * @returns {import('./encodings.js').Encoding}
 */
function toEncoding(encoding) {
  const name = findEncoding(encoding);
  if (name === undefined) {
    throw invalidArgValue('encoding', encoding, 'is invalid encoding');
  }
  return name;
}

/**
 * @param {any} options From `toOptions`.
 * @returns {{ flags: number, asText: boolean, convert: (contents: any) => any }} Whether the host shall decode (UTF-8
 *   becomes a string without a copy of the bytes in between), and what is left to do with its answer.
 */
export function readOptions({ encoding, flag }) {
  const flags = toFlags(flag ?? 'r');
  if (encoding === undefined || encoding === null || encoding === 'buffer') {
    return { flags, asText: false, convert: (bytes) => bytes };
  }
  const name = toEncoding(encoding);
  return isUtf8(name)
    ? { flags, asText: true, convert: (text) => text }
    : { flags, asText: false, convert: (bytes) => decodeBytes(bytes, name) };
}

/**
 * @param {any} options From `toOptions`.
 * @param {string} flag The default.
 * @returns {{ flags: number, mode: number }}
 */
export function writeOptions(options, flag) {
  return { flags: toFlags(options.flag ?? flag), mode: toMode(options.mode, 0o666) };
}

/**
 * @param {any} data
 * @param {any} encoding
 * @returns {string | Uint8Array} A string is the host's to encode, as UTF-8.
 */
export function toData(data, encoding) {
  if (typeof data === 'string') {
    const name = encoding ? toEncoding(encoding) : 'utf8';
    return isUtf8(name) ? data : encodeText(data, name);
  }
  if (!ArrayBufferIsView(data)) {
    throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
  return bytesOf(data);
}
