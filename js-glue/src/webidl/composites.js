// @ts-check
//# allFunctionsCalledOnLoad
// Objects, interface types, callbacks, nullable types, dictionaries and sequences (Web IDL §3.2.15 to §3.2.21).

import { primordials } from '../primordials.js';
import { throwConversionError } from './errors.js';

const { ArrayPrototypePush, FunctionPrototypeCall, ObjectCreate, ObjectHasOwn, SymbolIterator } = primordials;

/**
 * Web IDL's notion of "is an Object".
 * @param {any} value
 * @returns {boolean}
 */
export function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {any}
 */
export function toObject(value, prefix = '', context = 'Value') {
  if (!isObject(value)) throwConversionError(prefix, `${context} is not an object`);
  return value;
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {Function}
 */
export function toCallbackFunction(value, prefix = '', context = 'Value') {
  if (typeof value !== 'function') throwConversionError(prefix, `${context} is not a function`);
  return value;
}

/**
 * A converter for an interface type.
 * @param {(value: any) => boolean} isInstance
 * @param {string} name
 * @returns {(value: any, prefix?: string, context?: string) => any}
 */
export function createInterfaceConverter(isInstance, name) {
  return (value, prefix = '', context = 'Value') => {
    if (!isInstance(value)) throwConversionError(prefix, `${context} is not of type '${name}'`);
    return value;
  };
}

/**
 * A converter for `T?`.
 * @template T
 * @param {(value: any, prefix?: string, context?: string) => T} converter
 * @returns {(value: any, prefix?: string, context?: string) => T | null}
 */
export function createNullableConverter(converter) {
  return (value, prefix, context) => (value === null || value === undefined ? null : converter(value, prefix, context));
}

/**
 * A converter for `sequence<T>`.
 * @template T
 * @param {(value: any, prefix?: string, context?: string) => T} converter
 * @returns {(value: any, prefix?: string, context?: string) => T[]}
 */
export function createSequenceConverter(converter) {
  return (value, prefix, context) => toSequence(value, converter, prefix, context);
}

/**
 * @typedef {object} DictionaryMember
 * @property {string} key
 * @property {(value: any, prefix?: string, context?: string) => any} converter
 * @property {any} [defaultValue] A function is called for a fresh value each time (`[]`, `{}`).
 * @property {boolean} [required]
 */

/**
 * Converts to a dictionary (§3.2.17). The result has a null prototype and holds only members that are present or have a
 * default. `members` are in the standard's order: inherited dictionaries first, each in lexicographic order of its keys.
 * @param {any} value
 * @param {readonly DictionaryMember[]} members
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {any}
 */
export function toDictionary(value, members, prefix = '', context = 'Value') {
  const empty = value === undefined || value === null;
  if (!empty && !isObject(value)) throwConversionError(prefix, `${context} is not an object`);
  const dictionary = ObjectCreate(null);
  for (let i = 0; i < members.length; i++) {
    const description = members[i];
    const { key } = description;
    const member = empty ? undefined : value[key];
    if (member !== undefined) {
      const { converter } = description;
      dictionary[key] = converter(member, prefix, `'${key}' of ${context}`);
    } else if (ObjectHasOwn(description, 'defaultValue')) {
      // Own properties only: a script may have put `defaultValue` or `required` on Object.prototype.
      const { defaultValue } = description;
      dictionary[key] = typeof defaultValue === 'function' ? defaultValue() : defaultValue;
    } else if (ObjectHasOwn(description, 'required') && description.required) {
      throwConversionError(prefix, `required member '${key}' of ${context} is undefined`);
    }
  }
  return dictionary;
}

/**
 * Converts an iterable to a list (§3.2.21). The iterator is the script's, patched or not, and is not closed on failure.
 * @template T
 * @param {any} value
 * @param {(value: any, prefix?: string, context?: string) => T} elementConverter
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {T[]}
 */
export function toSequence(value, elementConverter, prefix = '', context = 'Value') {
  if (!isObject(value)) throwConversionError(prefix, `${context} cannot be converted to a sequence`);
  const method = value[SymbolIterator];
  if (typeof method !== 'function') throwConversionError(prefix, `${context} is not iterable`);
  return iterableToList(value, method, elementConverter, prefix, context);
}

/**
 * "Create a sequence from an iterable", for overloads that have fetched the method themselves.
 * @template T
 * @param {any} value
 * @param {Function} method
 * @param {(value: any, prefix?: string, context?: string) => T} elementConverter
 * @param {string} prefix
 * @param {string} context
 * @returns {T[]}
 */
export function iterableToList(value, method, elementConverter, prefix, context) {
  const iterator = FunctionPrototypeCall(method, value);
  if (!isObject(iterator)) throwConversionError(prefix, `the iterator of ${context} is not an object`);
  const next = iterator.next;
  /** @type {T[]} */
  const list = [];
  for (;;) {
    const result = FunctionPrototypeCall(next, iterator);
    if (!isObject(result)) throwConversionError(prefix, `the iterator of ${context} returned a value that is not an object`);
    if (result.done) return list;
    ArrayPrototypePush(list, elementConverter(result.value, prefix, `${context}[${list.length}]`));
  }
}
