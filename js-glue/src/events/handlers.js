// @ts-check
//# allFunctionsCalledOnLoad
// Event handler IDL attributes: `onmessage`, `onerror`, … (HTML §8.1.8.1). Their state is the target's; see event_target.js.

import { primordials } from '../primordials.js';
import { illegalInvocation, isObject } from '../webidl.js';
import { getHandler, receiver, setHandler } from './event_target.js';

const { ObjectDefineProperty, ObjectGetOwnPropertyDescriptor, ObjectPrototypeIsPrototypeOf } = primordials;

/**
 * @typedef {object} HandlerOptions
 * @property {(target: any, value: any) => void} [onSet] Runs after each assignment (a MessagePort starts so); `value` may be null.
 * @property {(target: any) => boolean} [check] The brand; without it, any target whose prototype chain holds `proto`, or `proto` itself.
 */

/**
 * Defines `on${name}` on an interface's prototype, or on the global object.
 * @param {any} proto
 * @param {string} name The event's type.
 * @param {HandlerOptions} [options]
 */
export function defineEventHandler(proto, name, options = undefined) {
  const onSet = options?.onSet;
  const check = options?.check ?? ((target) => target === proto || ObjectPrototypeIsPrototypeOf(proto, target));
  const key = `on${name}`;
  // A computed accessor of a literal has the name that Web IDL wants ("get onmessage"), and is no constructor.
  const { get, set } = ObjectGetOwnPropertyDescriptor(
    {
      /**
       * @this {any}
       * @returns {any}
       */
      get [key]() {
        const target = receiver(this);
        if (!check(target)) illegalInvocation();
        return getHandler(target, name);
      },
      /**
       * @this {any}
       * @param {any} value
       */
      set [key](value) {
        const target = receiver(this);
        if (!check(target)) illegalInvocation();
        const handler = isObject(value) ? value : null;
        setHandler(target, name, handler);
        onSet?.(target, handler);
      },
    },
    key,
  );
  ObjectDefineProperty(proto, key, { __proto__: null, get, set, enumerable: true, configurable: true });
}
