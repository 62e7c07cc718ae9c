// @ts-check
// The second argument of every `postMessage`.

import { primordials } from '../primordials.js';
import { iterableToList, toObject } from '../webidl.js';

const { SymbolIterator, TypeError } = primordials;

/** @type {any[]} */
const empty = [];

/**
 * A sequence of objects, or a dictionary with one (Web IDL §3.6, overload resolution).
 * @param {any} argument
 * @param {string} prefix
 * @returns {any[]}
 */
export function toTransferList(argument, prefix) {
  if (argument === undefined || argument === null) return empty;
  if (typeof argument !== 'object' && typeof argument !== 'function') {
    throw new TypeError(`${prefix}: the second argument is neither a transfer list nor an options object`);
  }
  const method = argument[SymbolIterator];
  let list = argument;
  if (method === undefined || method === null) {
    list = argument.transfer;
    if (list === undefined) return empty;
    if ((typeof list !== 'object' && typeof list !== 'function') || list === null || typeof list[SymbolIterator] !== 'function') {
      throw new TypeError(`${prefix}: "transfer" is not a sequence`);
    }
  }
  return iterableToList(list, list[SymbolIterator], toObject, prefix, 'the transfer list');
}
