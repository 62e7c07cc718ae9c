// @ts-check
// Argument checks shared by the Node modules. Each throws the error that Node throws for the same mistake.

import { primordials } from '../primordials.js';
import { invalidArgType, invalidArgValue, outOfRange } from './errors.js';

const {
  ArrayIsArray,
  ArrayPrototypeIncludes,
  NumberIsInteger,
  NumberMAX_SAFE_INTEGER,
  NumberMIN_SAFE_INTEGER,
} = primordials;

/**
 * @param {any} value
 * @param {string} name
 */
export function validateString(value, name) {
  if (typeof value !== 'string') {
    throw invalidArgType(name, 'string', value);
  }
}

/**
 * @param {any} value
 * @param {string} name
 */
export function validateBoolean(value, name) {
  if (typeof value !== 'boolean') {
    throw invalidArgType(name, 'boolean', value);
  }
}

/**
 * @param {any} value
 * @param {string} name
 */
export function validateFunction(value, name) {
  if (typeof value !== 'function') {
    throw invalidArgType(name, 'function', value);
  }
}

/**
 * An object that is neither an array nor a function.
 *
 * @param {any} value
 * @param {string} name
 */
export function validateObject(value, name) {
  if (value === null || typeof value !== 'object' || ArrayIsArray(value)) {
    throw invalidArgType(name, 'Object', value);
  }
}

/**
 * @param {any} value
 * @param {string} name
 */
export function validateArray(value, name) {
  if (!ArrayIsArray(value)) {
    throw invalidArgType(name, 'Array', value);
  }
}

/**
 * Any number within the bounds; NaN is out of every bound.
 *
 * @param {any} value
 * @param {string} name
 * @param {number} [min]
 * @param {number} [max]
 */
export function validateNumber(value, name, min, max) {
  if (typeof value !== 'number') {
    throw invalidArgType(name, 'number', value);
  }
  const bounded = min !== undefined || max !== undefined;
  if ((min !== undefined && value < min) || (max !== undefined && value > max) || (bounded && value !== value)) {
    const low = min === undefined ? '' : `>= ${min}`;
    const high = max === undefined ? '' : `<= ${max}`;
    throw outOfRange(name, low && high ? `${low} && ${high}` : low || high, value);
  }
}

/**
 * @param {any} value
 * @param {string} name
 * @param {number} [min]
 * @param {number} [max]
 */
export function validateInteger(value, name, min = NumberMIN_SAFE_INTEGER, max = NumberMAX_SAFE_INTEGER) {
  if (typeof value !== 'number') {
    throw invalidArgType(name, 'number', value);
  }
  if (!NumberIsInteger(value)) {
    throw outOfRange(name, 'an integer', value);
  }
  if (value < min || value > max) {
    throw outOfRange(name, `>= ${min} && <= ${max}`, value);
  }
}

/**
 * @param {any} value
 * @param {string} name
 */
export function validateUint32(value, name) {
  validateInteger(value, name, 0, 0xffffffff);
}

/**
 * @param {any} value
 * @param {string} name
 * @param {any[]} choices
 */
export function validateOneOf(value, name, choices) {
  if (!ArrayPrototypeIncludes(choices, value)) {
    let shown = '';
    for (let i = 0; i < choices.length; i++) {
      const choice = choices[i];
      shown += `${i > 0 ? ', ' : ''}${typeof choice === 'string' ? `'${choice}'` : choice}`;
    }
    throw invalidArgValue(name, value, `must be one of: ${shown}`);
  }
}

/**
 * An AbortSignal, or undefined.
 *
 * @param {any} signal
 * @param {string} name
 */
export function validateAbortSignal(signal, name) {
  if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) {
    throw invalidArgType(name, 'AbortSignal', signal);
  }
}
