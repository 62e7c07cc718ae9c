// @ts-check
// ErrorEvent (HTML §8.1.4.6) and PromiseRejectionEvent (HTML §8.1.4.7).

import { primordials } from '../primordials.js';
import {
  configureInterface,
  kConstruct,
  requiredArguments,
  toAny,
  toDictionary,
  toDOMString,
  toObject,
  toUnsignedLong,
  toUSVString,
} from '../webidl.js';
import { Event, makeCancelable } from './event.js';

const { FunctionPrototypeCall } = primordials;

const errorEventInitMembers = [
  { key: 'colno', converter: toUnsignedLong, defaultValue: 0 },
  { key: 'error', converter: toAny },
  { key: 'filename', converter: toUSVString, defaultValue: '' },
  { key: 'lineno', converter: toUnsignedLong, defaultValue: 0 },
  { key: 'message', converter: toDOMString, defaultValue: '' },
];

/**
 * A trusted `error` event; cancelable, as the one of "report an exception" is.
 * @type {(message: string, filename: string, lineno: number, colno: number, error: any) => ErrorEvent}
 */
export let createErrorEvent;

/** @type {(value: any) => value is ErrorEvent} */
export let isErrorEvent;

/**
 * Calls an `onerror` handler of a global with its five arguments (HTML §8.1.8.1, "special error event handling").
 * @type {(handler: Function, target: object, event: ErrorEvent) => any}
 */
export let callErrorHandler;

export class ErrorEvent extends Event {
  #message = '';
  #filename = '';
  #lineno = 0;
  #colno = 0;
  /** @type {any} */
  #error = undefined;

  /**
   * @param {string} type
   * @param {any} [eventInitDict]
   */
  constructor(type, eventInitDict = undefined) {
    const prefix = "Failed to construct 'ErrorEvent'";
    requiredArguments(arguments.length, 1, prefix);
    super(type, eventInitDict);
    if (eventInitDict !== undefined && eventInitDict !== kConstruct) {
      const init = toDictionary(eventInitDict, errorEventInitMembers, prefix, 'Argument 2');
      this.#message = init.message;
      this.#filename = init.filename;
      this.#lineno = init.lineno;
      this.#colno = init.colno;
      this.#error = init.error;
    }
  }

  /** @returns {string} */
  get message() {
    return this.#message;
  }

  /** @returns {string} */
  get filename() {
    return this.#filename;
  }

  /** @returns {number} */
  get lineno() {
    return this.#lineno;
  }

  /** @returns {number} */
  get colno() {
    return this.#colno;
  }

  /** @returns {any} */
  get error() {
    return this.#error;
  }

  static {
    createErrorEvent = (message, filename, lineno, colno, error) => {
      const event = new ErrorEvent('error', kConstruct);
      makeCancelable(event);
      event.#message = message;
      event.#filename = filename;
      event.#lineno = lineno;
      event.#colno = colno;
      event.#error = error;
      return event;
    };
    isErrorEvent = /** @type {typeof isErrorEvent} */ (
      (value) => typeof value === 'object' && value !== null && #error in value
    );
    callErrorHandler = (handler, target, event) =>
      FunctionPrototypeCall(
        handler,
        target,
        event.#message,
        event.#filename,
        event.#lineno,
        event.#colno,
        event.#error,
      );
  }
}

configureInterface(ErrorEvent);

const promiseRejectionEventInitMembers = [
  { key: 'promise', converter: toObject, required: true },
  { key: 'reason', converter: toAny },
];

/**
 * A trusted event; `unhandledrejection` is cancelable, `rejectionhandled` is not.
 * @type {(type: 'unhandledrejection' | 'rejectionhandled', promise: Promise<any>, reason: any) => PromiseRejectionEvent}
 */
export let createPromiseRejectionEvent;

export class PromiseRejectionEvent extends Event {
  /** @type {any} */
  #promise;
  /** @type {any} */
  #reason;

  /**
   * @param {string} type
   * @param {any} eventInitDict
   */
  constructor(type, eventInitDict) {
    const prefix = "Failed to construct 'PromiseRejectionEvent'";
    requiredArguments(arguments.length, 2, prefix);
    super(type, eventInitDict);
    if (eventInitDict !== kConstruct) {
      const init = toDictionary(eventInitDict, promiseRejectionEventInitMembers, prefix, 'Argument 2');
      this.#promise = init.promise;
      this.#reason = init.reason;
    }
  }

  /** @returns {any} */
  get promise() {
    return this.#promise;
  }

  /** @returns {any} */
  get reason() {
    return this.#reason;
  }

  static {
    createPromiseRejectionEvent = (type, promise, reason) => {
      const event = new PromiseRejectionEvent(type, kConstruct);
      if (type === 'unhandledrejection') makeCancelable(event);
      event.#promise = promise;
      event.#reason = reason;
      return event;
    };
  }
}

configureInterface(PromiseRejectionEvent);
