// @ts-check
// Inspection of the host's own classes, whose state is private and whose prototypes carry the accessors.

import { primordials } from '../primordials.js';
import { createContext, inspectCustom } from './options.js';
import { formatValue } from './value.js';

const { ObjectDefineProperty, SafeWeakMap } = primordials;

/** Inspection method → names to show. */
const accessorNames = new SafeWeakMap();

/**
 * Makes an inspection method that shows the named accessors as if they were properties, in the order given, before the
 * object's own properties: `Event { type: 'message', … }`. It may be set on a prototype under
 * `Symbol.for('nodejs.util.inspect.custom')`; `inspect` recognises it and does not call it, so depth, cycles and
 * subclasses are treated as for any object. Called by a script, or by an inspector of its own, it does the same.
 *
 * @param {string[]} names
 * @returns {(this: any, depth?: number | null, options?: object) => string}
 */
export function createFilteredInspect(names) {
  const method = {
    /** @this {any} @param {any} depth @param {any} options */
    inspect(depth, options) {
      // Not by the caller's own `inspect`: it would call this again.
      return formatValue(createContext({ __proto__: null, ...options, depth }), this, 0);
    },
  }.inspect;
  accessorNames.set(method, names);
  return method;
}

/**
 * Sets such a method on a class, not enumerable.
 *
 * @param {Function} Class
 * @param {string[]} names
 */
export function defineFilteredInspect(Class, names) {
  ObjectDefineProperty(Class.prototype, inspectCustom, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    value: createFilteredInspect(names),
    writable: true,
  });
}

/**
 * @param {Function} method
 * @returns {string[] | undefined} names, if the method was made here
 */
export function accessorsOf(method) {
  return accessorNames.get(method);
}
