// @ts-check
// The language's own constructors, by name. The start-up snapshot takes them down before any other global is defined.

import { primordials } from '../primordials.js';

const { globalThis, ObjectGetOwnPropertyNames, RegExpPrototypeExec, SafeSet } = primordials;

const constructorName = /^[A-Z][a-zA-Z0-9]+$/;

const builtIns = new SafeSet();
for (const name of ObjectGetOwnPropertyNames(globalThis)) {
  if (RegExpPrototypeExec(constructorName, name) !== null) builtIns.add(name);
}

/**
 * Whether the language itself has a constructor of this name. `showHidden` does not list what the prototypes of those hold.
 * @param {unknown} name
 * @returns {boolean}
 */
export function isBuiltInName(name) {
  return builtIns.has(name);
}
