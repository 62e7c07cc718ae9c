// @ts-check
// `process.env`: the worker's own environment variables, asked of the host one by one.
//
// Nothing is copied here, so a script sees exactly what its permissions let it read: the host throws, naming the flag,
// when a variable is read that was not granted. Writing changes the worker's environment, never the process's.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { nodeError } from './errors.js';

const {
  ArrayPrototypePush,
  ObjectGetOwnPropertyNames,
  ObjectPrototype,
  Proxy,
  ReflectGet,
  SafeSet,
  String,
  TypeError,
} = primordials;

/**
 * Names that every object has. They are not variables: `process.env.hasOwnProperty(…)` needs no permission.
 */
const inherited = new SafeSet();
const inheritedNames = ObjectGetOwnPropertyNames(ObjectPrototype);
for (let i = 0; i < inheritedNames.length; i++) {
  inherited.add(inheritedNames[i]);
}

/**
 * @param {any} value
 * @returns {string} Throws for a symbol, which has no text.
 */
function textOf(value) {
  return typeof value === 'symbol' ? `${/** @type {any} */ (value)}` : String(value);
}

/** @param {any} key */
function isVariable(key) {
  return typeof key === 'string' && !inherited.has(key);
}

const handler = {
  __proto__: null,
  /**
   * @param {any} target
   * @param {string | symbol} key
   */
  get(target, key) {
    return isVariable(key) ? ops.envGet(key) : ReflectGet(target, key);
  },
  /**
   * @param {any} _target
   * @param {string | symbol} key
   * @param {any} value
   */
  set(_target, key, value) {
    ops.envSet(textOf(key), textOf(value));
    return true;
  },
  /**
   * @param {any} target
   * @param {string | symbol} key
   */
  has(target, key) {
    return isVariable(key) ? ops.envGet(key) !== undefined : key in target;
  },
  /**
   * @param {any} _target
   * @param {string | symbol} key
   */
  deleteProperty(_target, key) {
    if (typeof key === 'string') {
      ops.envDelete(key);
    }
    return true;
  },
  ownKeys() {
    const names = ops.envKeys();
    /** @type {string[]} */
    const keys = [];
    for (let i = 0; i < names.length; i++) {
      ArrayPrototypePush(keys, names[i]);
    }
    return keys;
  },
  /**
   * @param {any} _target
   * @param {string | symbol} key
   */
  getOwnPropertyDescriptor(_target, key) {
    const value = isVariable(key) ? ops.envGet(key) : undefined;
    return value === undefined
      ? undefined
      : { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  },
  /**
   * @param {any} _target
   * @param {string | symbol} key
   * @param {any} descriptor
   */
  defineProperty(_target, key, descriptor) {
    if ('get' in descriptor || 'set' in descriptor) {
      throw nodeError(
        TypeError,
        'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
        "'process.env' does not accept an accessor(getter/setter) descriptor",
      );
    }
    if (!('value' in descriptor) || !descriptor.configurable || !descriptor.writable || !descriptor.enumerable) {
      throw nodeError(
        TypeError,
        'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
        "'process.env' only accepts a configurable, writable, and enumerable data descriptor",
      );
    }
    ops.envSet(textOf(key), textOf(descriptor.value));
    return true;
  },
  preventExtensions() {
    return false;
  },
};

/** @type {any} */
export const env = new Proxy({}, handler);
