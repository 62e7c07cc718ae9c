// @ts-check
/** `atob` and `btoa` (HTML §8.3 "Base64 utility methods"). */
import { DOMException } from './dom_exception.js';
import { ops } from './ops.js';
import { requiredArguments, toDOMString } from './webidl.js';

/**
 * Decodes base64, forgivingly: ASCII whitespace is skipped, padding may be absent.
 * @param {string} data
 * @returns {string} one character per byte
 */
export function atob(data) {
  const prefix = "Failed to execute 'atob'";
  requiredArguments(arguments.length, 1, prefix);
  const decoded = ops.base64Decode(toDOMString(data, prefix, 'Argument 1'));
  if (decoded === undefined) throw new DOMException(`${prefix}: the input is not valid base64`, 'InvalidCharacterError');
  return decoded;
}

/**
 * Encodes a string of bytes, one per character, to base64.
 * @param {string} data
 * @returns {string}
 */
export function btoa(data) {
  const prefix = "Failed to execute 'btoa'";
  requiredArguments(arguments.length, 1, prefix);
  const encoded = ops.base64Encode(toDOMString(data, prefix, 'Argument 1'));
  if (encoded === undefined) throw new DOMException(`${prefix}: the input has a character above U+00FF`, 'InvalidCharacterError');
  return encoded;
}
