// @ts-check
// Reading properties without running user code.

import { primordials } from '../primordials.js';

const { ObjectGetOwnPropertyDescriptor, ObjectPrototypeHasOwnProperty } = primordials;

/**
 * A descriptor inherits from Object.prototype, where a script may have put a `value`: only its own counts.
 *
 * @param {PropertyDescriptor} descriptor
 * @returns {boolean} of a data property
 */
export function isData(descriptor) {
  return ObjectPrototypeHasOwnProperty(descriptor, 'value');
}

/**
 * @param {any} object
 * @param {PropertyKey} key
 * @returns {any} the value of the object's own data property; undefined for an accessor, which is not called
 */
export function ownValue(object, key) {
  const descriptor = ObjectGetOwnPropertyDescriptor(object, key);
  return descriptor !== undefined && isData(descriptor) ? descriptor.value : undefined;
}
