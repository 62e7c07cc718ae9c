// @ts-check
//# allFunctionsCalledOnLoad
// What interfaces and conversions complain of.

import { primordials } from '../primordials.js';

const { TypeError } = primordials;

/**
 * @returns {never}
 */
export function illegalConstructor() {
  throw new TypeError('Illegal constructor');
}

/**
 * @returns {never}
 */
export function illegalInvocation() {
  throw new TypeError('Illegal invocation');
}

/**
 * Throws a TypeError with the usual "prefix: context …" message.
 * @param {string} prefix
 * @param {string} message
 * @returns {never}
 */
export function throwConversionError(prefix, message) {
  throw new TypeError(prefix === '' ? message : `${prefix}: ${message}`);
}

/**
 * @param {number} actualCount
 * @param {number} required
 * @param {string} prefix
 */
export function requiredArguments(actualCount, required, prefix) {
  if (actualCount >= required) return;
  throw new TypeError(
    `${prefix}: ${required} argument${required === 1 ? '' : 's'} required, but only ${actualCount} present`,
  );
}
