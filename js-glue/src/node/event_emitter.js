// @ts-check
// The EventEmitter of `node:events`; what the module attaches to it is in `events.js`.

import { primordials } from '../primordials.js';
import { deferred } from '../deferred.js';
import { nodeError } from './errors.js';
import { validateBoolean, validateFunction, validateNumber } from './validators.js';
import { captureRejection } from './events_rejections.js';
import { emitLeakWarning } from './warnings.js';

const {
  ArrayPrototypePop,
  ArrayPrototypePush,
  ArrayPrototypeUnshift,
  Error,
  ObjectAssign,
  ObjectDefineProperty,
  ObjectPrototypeHasOwnProperty,
  ReflectApply,
  SafeMap,
  String,
  Symbol,
} = primordials;

/** @type {() => typeof import('../inspect.js')} */
const inspection = deferred('inspect.js');

/**
 * What an emitter holds: `listeners` maps an event's name to its functions, in order; a listener added by `once` is a
 * function whose `listener` is the one that was given. Kept under a symbol, not in a private field, because programs
 * inherit from EventEmitter the old way too, with `EventEmitter.call(this)` or without any call.
 *
 * @typedef {{
 *   listeners: any,
 *   maxListeners: number | undefined,
 *   captureRejections: boolean | undefined,
 *   warned: any,
 * }} State
 */

const kState = Symbol('state');
export const errorMonitor = Symbol('events.errorMonitor');

/** What holds for emitters that say nothing else. */
export const defaults = { __proto__: null, maxListeners: 10, captureRejections: false };

/**
 * @param {any} emitter
 * @returns {State}
 */
function stateOf(emitter) {
  if (!ObjectPrototypeHasOwnProperty(emitter, kState)) {
    ObjectDefineProperty(emitter, kState, {
      __proto__: null,
      value: {
        __proto__: null,
        listeners: new SafeMap(),
        maxListeners: undefined,
        captureRejections: undefined,
        warned: undefined,
      },
    });
  }
  return emitter[kState];
}

/**
 * Names are property keys, so `1` and `'1'` are one event.
 *
 * @param {any} name
 * @returns {string | symbol}
 */
function keyOf(name) {
  return typeof name === 'symbol' ? name : `${name}`;
}

/**
 * @param {any} options
 * @this {any}
 */
export function EventEmitter(options) {
  const state = stateOf(this);
  if (options?.captureRejections) {
    validateBoolean(options.captureRejections, 'options.captureRejections');
    state.captureRejections = true;
  }
}

/**
 * @param {any} emitter
 * @returns {number}
 */
function maxListenersOf(emitter) {
  return stateOf(emitter).maxListeners ?? defaults.maxListeners;
}

/**
 * @param {any} listener
 */
function validateListener(listener) {
  validateFunction(listener, 'listener');
}

/**
 * @param {any} emitter
 * @param {any} name
 * @param {any} listener
 * @param {boolean} first
 * @returns {any} The emitter.
 */
function addListener(emitter, name, listener, first) {
  validateListener(listener);
  const state = stateOf(emitter);
  const key = keyOf(name);
  // Before the listener is in its place: one that hears of itself being added would recurse.
  if (state.listeners.has('newListener')) {
    emitter.emit('newListener', name, listener.listener ?? listener);
  }
  const list = state.listeners.get(key);
  if (list === undefined) {
    state.listeners.set(key, [listener]);
    return emitter;
  }
  if (first) {
    ArrayPrototypeUnshift(list, listener);
  } else {
    ArrayPrototypePush(list, listener);
  }
  const limit = maxListenersOf(emitter);
  if (limit > 0 && list.length > limit && !state.warned?.has(key)) {
    state.warned ??= new SafeMap();
    state.warned.set(key, true);
    emitLeakWarning(
      `Possible EventEmitter memory leak detected. ${list.length} ${String(name)} listeners added to ` +
        `${inspection().inspect(emitter, /** @type {any} */ ({ __proto__: null, depth: -1 }))}. MaxListeners is ${limit}. ` +
        'Use emitter.setMaxListeners() to increase limit',
      emitter,
      name,
      list.length,
    );
  }
  return emitter;
}

/**
 * @param {any} emitter
 * @param {any} name
 * @param {any} listener
 * @returns {any} A function that takes itself off before it calls `listener`.
 */
function onceWrapper(emitter, name, listener) {
  validateListener(listener);
  let fired = false;
  /** @type {any} */
  const wrapper = (/** @type {any[]} */ ...args) => {
    if (fired) {
      return undefined;
    }
    emitter.removeListener(name, wrapper);
    fired = true;
    return ReflectApply(listener, emitter, args);
  };
  wrapper.listener = listener;
  return wrapper;
}

/**
 * @param {any[]} list
 * @returns {any[]} A copy: listeners may come and go while they are being called.
 */
function copyOf(list) {
  /** @type {any[]} */
  const copy = [];
  for (let i = 0; i < list.length; i++) {
    ArrayPrototypePush(copy, list[i]);
  }
  return copy;
}

/**
 * Not `splice`, which would ask the array's constructor for its species.
 *
 * @param {any[]} list
 * @param {number} index
 */
function removeAt(list, index) {
  for (let i = index + 1; i < list.length; i++) {
    list[i - 1] = list[i];
  }
  ArrayPrototypePop(list);
}

/**
 * @param {any[]} args
 */
function throwUnhandled(args) {
  const error = args[0];
  if (error instanceof Error) {
    throw error;
  }
  let shown;
  try {
    shown = inspection().inspect(error);
  } catch {
    shown = error;
  }
  const unhandled = nodeError(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${shown})`);
  unhandled.context = error;
  throw unhandled;
}

/**
 * @param {any} emitter
 * @param {any} name
 * @param {boolean} unwrap
 * @returns {Function[]}
 */
function listenersOf(emitter, name, unwrap) {
  const copy = copyOf(stateOf(emitter).listeners.get(keyOf(name)) ?? []);
  for (let i = 0; unwrap && i < copy.length; i++) {
    copy[i] = copy[i].listener ?? copy[i];
  }
  return copy;
}

/** @type {any} */
const methods = {
  /**
   * @param {any} name
   * @param {...any} args
   * @this {any}
   */
  emit(name, ...args) {
    const state = stateOf(this);
    const { listeners } = state;
    const key = keyOf(name);
    if (key === 'error' && listeners.has(errorMonitor)) {
      const all = [errorMonitor];
      for (let i = 0; i < args.length; i++) {
        ArrayPrototypePush(all, args[i]);
      }
      ReflectApply(this.emit, this, all);
    }
    const list = listeners.get(key);
    if (list === undefined) {
      if (key === 'error') {
        throwUnhandled(args);
      }
      return false;
    }
    const capture = state.captureRejections ?? defaults.captureRejections;
    const called = list.length === 1 ? list : copyOf(list);
    for (let i = 0, count = called.length; i < count; i++) {
      const result = ReflectApply(called[i], this, args);
      if (capture && result !== undefined && result !== null) {
        captureRejection(this, state, result, name, args);
      }
    }
    return true;
  },
  /**
   * @param {any} name
   * @param {any} listener
   * @this {any}
   */
  addListener(name, listener) {
    return addListener(this, name, listener, false);
  },
  /**
   * @param {any} name
   * @param {any} listener
   * @this {any}
   */
  prependListener(name, listener) {
    return addListener(this, name, listener, true);
  },
  /**
   * @param {any} name
   * @param {any} listener
   * @this {any}
   */
  once(name, listener) {
    return this.on(name, onceWrapper(this, name, listener));
  },
  /**
   * @param {any} name
   * @param {any} listener
   * @this {any}
   */
  prependOnceListener(name, listener) {
    return this.prependListener(name, onceWrapper(this, name, listener));
  },
  /**
   * @param {any} name
   * @param {any} listener
   * @this {any}
   */
  removeListener(name, listener) {
    validateListener(listener);
    const { listeners } = stateOf(this);
    const key = keyOf(name);
    const list = listeners.get(key);
    if (list === undefined) {
      return this;
    }
    for (let i = list.length - 1; i >= 0; i--) {
      const entry = list[i];
      if (entry === listener || entry.listener === listener) {
        if (list.length === 1) {
          // Gone from the map, untouched itself: `emit` may be at this list's only entry.
          listeners.delete(key);
        } else {
          removeAt(list, i);
        }
        if (listeners.has('removeListener')) {
          this.emit('removeListener', name, entry.listener ?? entry);
        }
        break;
      }
    }
    return this;
  },
  /**
   * @param {any} name
   * @this {any}
   */
  removeAllListeners(name) {
    const { listeners } = stateOf(this);
    const all = arguments.length === 0;
    if (!listeners.has('removeListener')) {
      if (all) {
        listeners.clear();
      } else {
        listeners.delete(keyOf(name));
      }
      return this;
    }
    if (all) {
      const names = this.eventNames();
      for (let i = 0; i < names.length; i++) {
        if (names[i] !== 'removeListener') {
          this.removeAllListeners(names[i]);
        }
      }
      this.removeAllListeners('removeListener');
      listeners.clear();
      return this;
    }
    const entries = listenersOf(this, name, false);
    for (let i = entries.length - 1; i >= 0; i--) {
      this.removeListener(name, entries[i]);
    }
    return this;
  },
  /**
   * @param {any} name
   * @this {any}
   */
  listeners(name) {
    return listenersOf(this, name, true);
  },
  /**
   * @param {any} name
   * @this {any}
   */
  rawListeners(name) {
    return listenersOf(this, name, false);
  },
  /**
   * @param {any} name
   * @param {Function} [listener] Count only this one.
   * @this {any}
   */
  listenerCount(name, listener) {
    const list = stateOf(this).listeners.get(keyOf(name)) ?? [];
    if (listener === undefined || listener === null) {
      return list.length;
    }
    let count = 0;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === listener || list[i].listener === listener) {
        count++;
      }
    }
    return count;
  },
  /** @this {any} */
  eventNames() {
    /** @type {(string | symbol)[]} */
    const strings = [];
    /** @type {(string | symbol)[]} */
    const symbols = [];
    // Strings first, as the keys of an object would be listed.
    stateOf(this).listeners.forEach((/** @type {any} */ _, /** @type {string | symbol} */ key) => {
      ArrayPrototypePush(typeof key === 'symbol' ? symbols : strings, key);
    });
    for (let i = 0; i < symbols.length; i++) {
      ArrayPrototypePush(strings, symbols[i]);
    }
    return strings;
  },
  /**
   * @param {number} count 0 or Infinity for no limit.
   * @this {any}
   */
  setMaxListeners(count) {
    validateNumber(count, 'setMaxListeners', 0);
    stateOf(this).maxListeners = count;
    return this;
  },
  /** @this {any} */
  getMaxListeners() {
    return maxListenersOf(this);
  },
};

methods.on = methods.addListener;
methods.off = methods.removeListener;
ObjectAssign(EventEmitter.prototype, methods);
