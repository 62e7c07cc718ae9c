// @ts-check
// `node:events`. The module is the EventEmitter class itself, with everything else attached to it.

import { primordials } from '../primordials.js';
import { isEventTarget, listenerCount } from '../events/event_target.js';
import { invalidArgType } from './errors.js';
import { defaults, errorMonitor, EventEmitter } from './event_emitter.js';
import { addAbortListener, on, once } from './events_async.js';
import { captureRejectionSymbol } from './events_rejections.js';
import { validateBoolean, validateNumber } from './validators.js';

const { ObjectAssign, ObjectDefineProperties } = primordials;

/**
 * @param {any} value
 * @param {string} member
 * @param {string[]} [expected]
 */
function validateEmitter(value, member, expected = ['EventEmitter', 'EventTarget']) {
  if (typeof value?.[member] !== 'function') {
    throw invalidArgType('emitter', expected, value);
  }
}

ObjectAssign(EventEmitter, {
  once,
  on,
  addAbortListener,
  errorMonitor,
  captureRejectionSymbol,
  usingDomains: false,
  /**
   * Departure: an EventTarget's listeners are not handed out. Whoever holds a target cannot call what others put there.
   *
   * @param {any} emitter
   * @param {any} name
   * @returns {Function[]}
   */
  getEventListeners(emitter, name) {
    validateEmitter(emitter, 'listeners', ['EventEmitter']);
    return emitter.listeners(name);
  },
  /**
   * @param {any} emitter
   * @returns {number}
   */
  getMaxListeners(emitter) {
    // A target has no limit of its own.
    if (isEventTarget(emitter)) {
      return defaults.maxListeners;
    }
    validateEmitter(emitter, 'getMaxListeners');
    return emitter.getMaxListeners();
  },
  /**
   * @param {any} emitter
   * @param {any} name
   * @returns {number}
   */
  listenerCount(emitter, name) {
    if (isEventTarget(emitter)) {
      return listenerCount(emitter, `${name}`);
    }
    validateEmitter(emitter, 'listenerCount');
    return emitter.listenerCount(name);
  },
  /**
   * @param {number} [count]
   * @param {...any} targets None to set the default of all emitters. EventTargets are let through: they have no limit,
   *   but programs pass signals here to raise it.
   */
  setMaxListeners(count = defaults.maxListeners, ...targets) {
    validateNumber(count, 'setMaxListeners', 0);
    if (targets.length === 0) {
      defaults.maxListeners = count;
    }
    for (let i = 0; i < targets.length; i++) {
      const target = targets[i];
      if (!isEventTarget(target)) {
        validateEmitter(target, 'setMaxListeners');
        target.setMaxListeners(count);
      }
    }
  },
});

ObjectDefineProperties(EventEmitter, {
  __proto__: null,
  EventEmitter: { __proto__: null, value: EventEmitter, enumerable: true, configurable: true, writable: true },
  defaultMaxListeners: {
    __proto__: null,
    enumerable: true,
    get: () => defaults.maxListeners,
    set(/** @type {number} */ count) {
      validateNumber(count, 'defaultMaxListeners', 0);
      defaults.maxListeners = count;
    },
  },
  captureRejections: {
    __proto__: null,
    enumerable: true,
    get: () => defaults.captureRejections,
    set(/** @type {boolean} */ value) {
      validateBoolean(value, 'EventEmitter.captureRejections');
      defaults.captureRejections = value;
    },
  },
});

/** @type {any} */
export const events = EventEmitter;
