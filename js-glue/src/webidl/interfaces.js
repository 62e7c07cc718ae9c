// @ts-check
// The shape of interface objects (Web IDL §3.7).

import { primordials } from '../primordials.js';

const {
  ObjectDefineProperty,
  ObjectGetPrototypeOf,
  ObjectKeys,
  ReflectGetOwnPropertyDescriptor,
  ReflectOwnKeys,
  SafeMap,
  Symbol,
  SymbolToStringTag,
} = primordials;

/**
 * The token without which a constructor that users may not call refuses to run. No script can reach it.
 * @type {symbol}
 */
export const kConstruct = Symbol('construct');

/** Names of interfaces by their prototype objects. */
const interfaces = new SafeMap();

/**
 * The interface of a platform object (§2.12); undefined for other objects.
 * @param {object} value
 * @returns {string | undefined}
 */
export function interfaceOf(value) {
  for (let object = ObjectGetPrototypeOf(value); object !== null; object = ObjectGetPrototypeOf(object)) {
    const name = interfaces.get(object);
    if (name !== undefined) return name;
  }
  return undefined;
}

/**
 * Gives a class the property attributes of a Web IDL interface: enumerable operations and attributes (§3.7.6, §3.7.7) and the
 * string tag. Class syntax already gives the rest. `constructible: false` is for classes guarded by `kConstruct`: the
 * token is no argument of theirs, so `length` is 0 (§3.7.1).
 * @param {Function & { prototype: any }} Class
 * @param {{ constructible?: boolean }} [options]
 */
export function configureInterface(Class, options) {
  interfaces.set(Class.prototype, Class.name);
  makeEnumerable(Class.prototype, 'constructor');
  makeEnumerable(Class, 'prototype');
  ObjectDefineProperty(Class.prototype, SymbolToStringTag, {
    __proto__: null,
    value: Class.name,
    writable: false,
    enumerable: false,
    configurable: true,
  });
  if (options !== undefined && options.constructible === false) {
    ObjectDefineProperty(Class, 'length', {
      __proto__: null,
      value: 0,
      writable: false,
      enumerable: false,
      configurable: true,
    });
  }
}

/**
 * @param {any} object
 * @param {string} except
 */
function makeEnumerable(object, except) {
  const keys = ReflectOwnKeys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (typeof key !== 'string' || key === except) continue;
    // `length` and `name` of an interface object are the function's own; on a prototype they are attributes.
    if (typeof object === 'function' && (key === 'length' || key === 'name')) continue;
    const descriptor = ReflectGetOwnPropertyDescriptor(object, key);
    if (!descriptor.configurable || descriptor.enumerable) continue;
    ObjectDefineProperty(object, key, { __proto__: null, enumerable: true });
  }
}

/**
 * Constants of an interface, on the interface object and on its prototype (§3.7.5).
 * @param {Function & { prototype: any }} Class
 * @param {Record<string, number>} constants
 */
export function defineConstants(Class, constants) {
  const names = ObjectKeys(constants);
  for (let i = 0; i < names.length; i++) {
    const descriptor = {
      __proto__: null,
      value: constants[names[i]],
      writable: false,
      enumerable: true,
      configurable: false,
    };
    ObjectDefineProperty(Class, names[i], descriptor);
    ObjectDefineProperty(Class.prototype, names[i], descriptor);
  }
}
