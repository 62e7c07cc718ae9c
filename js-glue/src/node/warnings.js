// @ts-check
// `process.emitWarning`, apart from `process` itself so that modules `process` is made of can warn too.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { nextTick } from './next_tick.js';
import { invalidArgType } from './errors.js';
import { validateString } from './validators.js';

const { ArrayIsArray, Error, ErrorCaptureStackTrace, ErrorPrototypeToString, ObjectDefineProperty } = primordials;

/**
 * The `process` object, which carries the switches (`noDeprecation`, …) and hears the 'warning' event.
 *
 * @type {any}
 */
let process;

/** @param {any} object */
export function setWarningProcess(object) {
  process = object;
}

/**
 * @param {any} text
 * @param {string} name
 * @param {string | undefined} code
 * @param {string | undefined} detail
 * @param {Function} caller Left out of the stack, with what it called.
 * @returns {any}
 */
function createWarning(text, name, code, detail, caller) {
  const warning = new Error(text);
  ObjectDefineProperty(warning, 'name', {
    __proto__: null, value: `${name}`, enumerable: false, configurable: true, writable: true,
  });
  if (code !== undefined) {
    warning.code = code;
  }
  if (detail !== undefined) {
    warning.detail = detail;
  }
  ErrorCaptureStackTrace(warning, caller);
  return warning;
}

/**
 * @param {string | Error} warning
 * @param {string | Function | { type?: string, code?: string, detail?: string, ctor?: Function }} [type]
 * @param {string | Function} [code]
 * @param {Function} [ctor]
 */
export function emitWarning(warning, type, code, ctor) {
  /** @type {any} */
  let name = type;
  /** @type {any} */
  let label = code;
  /** @type {any} */
  let caller = ctor;
  let detail;
  if (type !== null && typeof type === 'object' && !ArrayIsArray(type)) {
    ({ type: name, code: label, ctor: caller } = type);
    detail = typeof type.detail === 'string' ? type.detail : undefined;
  } else if (typeof type === 'function') {
    caller = type;
    name = undefined;
    label = undefined;
  }
  if (name !== undefined) {
    validateString(name, 'type');
  }
  if (typeof label === 'function') {
    caller = label;
    label = undefined;
  } else if (label !== undefined) {
    validateString(label, 'code');
  }
  /** @type {any} */
  let error = warning;
  if (typeof warning === 'string') {
    error = createWarning(warning, name || 'Warning', label, detail, caller || emitWarning);
  } else if (!(warning instanceof Error)) {
    throw invalidArgType('warning', ['string', 'Error'], warning);
  }
  if (error.name === 'DeprecationWarning') {
    if (process.noDeprecation) {
      return;
    }
    if (process.throwDeprecation) {
      // Thrown as a task of its own: the code that is deprecated goes on, as with a warning.
      nextTick(() => {
        throw error;
      });
      return;
    }
  }
  nextTick(deliver, error);
}

/** @param {any} warning */
function deliver(warning) {
  process.emit('warning', warning);
  printWarning(warning);
}

/**
 * "(isolane:123) [CODE] Name: text", with the stack if a switch asks for it.
 *
 * @param {any} warning
 */
function printWarning(warning) {
  const deprecation = warning.name === 'DeprecationWarning';
  if (deprecation && process.noDeprecation) {
    return;
  }
  const traced = process.traceProcessWarnings || (deprecation && process.traceDeprecation);
  const code = warning.code ? `[${warning.code}] ` : '';
  const text = traced && warning.stack ? `${warning.stack}` : ErrorPrototypeToString(warning);
  const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
  ops.print(`(isolane:${process.pid}) ${code}${text}${detail}\n`, true);
}

/**
 * MaxListenersExceededWarning: more listeners than the emitter's owner thought likely.
 *
 * @param {string} text
 * @param {any} emitter
 * @param {string | symbol} type
 * @param {number} count
 */
export function emitLeakWarning(text, emitter, type, count) {
  const warning = createWarning(text, 'MaxListenersExceededWarning', undefined, undefined, emitLeakWarning);
  warning.emitter = emitter;
  warning.type = type;
  warning.count = count;
  emitWarning(warning);
}
