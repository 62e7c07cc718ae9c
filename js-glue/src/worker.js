// @ts-check
//# allFunctionsCalledOnLoad
// Worker (HTML §10.2.6), for scripts that make workers.
//
// The worker's port is the host's; its news (online, errors, exit) come through `childEvent`.

import { primordials } from './primordials.js';
import { createDOMException } from './dom_exception.js';
import {
  createErrorEvent,
  createEvent,
  defineEventHandler,
  dispatchTrusted,
  EventTarget,
  setListenerHook,
} from './events.js';
import { defineFlowControl } from './messaging/flow.js';
import { eventPort, Port } from './messaging/port.js';
import { ops } from './ops.js';
import { configureInterface, illegalInvocation, requiredArguments, toDictionary, toDOMString, toEnum, toUSVString } from './webidl.js';

const { Error, ObjectDefineProperty, SafeMap } = primordials;

/** Receivers of news, by the host's number. @type {any} */
const children = new SafeMap();

/**
 * @param {number} id
 * @param {(kind: string, detail: any) => void} receive
 */
export function onChildEvent(id, receive) {
  children.set(id, receive);
}

/** The host's entry. @param {number} id @param {string} kind @param {any} detail */
export function childEvent(id, kind, detail) {
  const receive = children.get(id);
  if (kind === 'exit' || kind === 'threw') children.delete(id);
  receive?.(kind, detail);
}

/** Where relative URLs start: the worker's own script. @type {string} */
let baseUrl = 'file:///';
/** @param {string} url */
export function setBaseUrl(url) {
  baseUrl = url;
}

/** @param {any} url @param {string} prefix */
function resolveScript(url, prefix) {
  const text = toUSVString(url, prefix, 'the script URL');
  const href = ops.urlParse(text, baseUrl, new primordials.Uint32Array(9));
  if (href === undefined) throw createDOMException(`${prefix}: "${text}" is no URL`, 'SyntaxError');
  return href;
}

/**
 * An error object of what a worker said of its error: its class if it is one of the language's, and its own message and stack.
 * @param {any} detail
 */
export function errorOf(detail) {
  const Class =
    detail.name === 'TypeError' || detail.name === 'RangeError' || detail.name === 'SyntaxError' || detail.name === 'ReferenceError' ||
    detail.name === 'EvalError' || detail.name === 'URIError'
      ? primordials[detail.name]
      : Error;
  const error = new Class(detail.message);
  ObjectDefineProperty(error, 'stack', { __proto__: null, value: detail.stack, writable: true, configurable: true });
  if (detail.name !== '' && error.name !== detail.name) {
    ObjectDefineProperty(error, 'name', { __proto__: null, value: detail.name, writable: true, configurable: true });
  }
  return error;
}

/** Reports a child's error that nobody handled as this worker's own. @type {(error: any, detail: any) => void} */
let reportChildError = () => {};
/** @param {(error: any, detail: any) => void} report */
export function setChildErrorReporter(report) {
  reportChildError = report;
}

/** `WorkerOptions` (HTML §10.2.6.3); nothing is fetched with credentials. */
const workerOptions = [
  { key: 'credentials', converter: enumeration(['omit', 'same-origin', 'include'], 'RequestCredentials') },
  { key: 'name', converter: toDOMString, defaultValue: '' },
  { key: 'type', converter: enumeration(['classic', 'module'], 'WorkerType') },
];

/**
 * @param {string[]} values
 * @param {string} enumName
 * @returns {(value: any, prefix?: string, context?: string) => string}
 */
function enumeration(values, enumName) {
  return (value, prefix, context) => toEnum(value, values, enumName, prefix, context);
}

/** A worker's end is told by the host, with how it ended. */
const workerPort = { ...eventPort, onClose() {} };

/** @type {(worker: any) => Port} */
let portOf;

export class Worker extends EventTarget {
  #id;
  #port;

  /**
   * @param {any} scriptURL
   * @param {any} [options]
   */
  constructor(scriptURL, options = undefined) {
    const prefix = "Failed to construct 'Worker'";
    requiredArguments(arguments.length, 1, prefix);
    super();
    const { name } = toDictionary(options, workerOptions, prefix, 'Argument 2');
    const url = resolveScript(scriptURL, prefix);
    // Classic scripts are run as modules are: in strict mode, each in a scope of its own.
    const created = ops.workerCreate({ __proto__: null, url, name, kind: 'web', referenced: true });
    this.#id = created[0];
    this.#port = Port.adopt(created[1]);
    this.#port.setOwner(this, workerPort);
    this.#port.start();
    setListenerHook(this, (/** @type {string} */ type) => {
      if (type === 'bufferedamountlow') this.#port.watchLow();
    });
    onChildEvent(this.#id, (kind, detail) => this.#receive(kind, detail));
  }

  /** @param {string} kind @param {any} detail */
  #receive(kind, detail) {
    if (kind === 'error' || kind === 'threw') {
      const event = createErrorEvent(detail.message, detail.filename, detail.line, detail.column, errorOf(detail));
      if (dispatchTrusted(this, event)) reportChildError(event.error, detail);
    }
    if (kind === 'exit' || kind === 'threw') {
      // What it posted before its end comes first.
      if (this.#port.isOpen) {
        while (this.#port.drain());
        this.#port.close();
      }
      dispatchTrusted(this, createEvent('close'));
    }
  }

  /**
   * @param {any} message
   * @param {any} [options]
   */
  postMessage(message, options = undefined) {
    if (!(#id in this)) illegalInvocation();
    const prefix = "Failed to execute 'postMessage' on 'Worker'";
    requiredArguments(arguments.length, 1, prefix);
    this.#port.post(message, options, prefix);
  }

  terminate() {
    if (!(#id in this)) illegalInvocation();
    ops.workerTerminate(this.#id);
    this.#port.close();
  }

  static {
    portOf = (worker) => (#port in worker ? worker.#port : illegalInvocation());
    ObjectDefineProperty(this.prototype, 'ref', {
      __proto__: null,
      /** @this {Worker} */
      value() {
        ops.workerSetRef(this.#id, true);
        return this;
      },
      writable: true,
      configurable: true,
    });
    ObjectDefineProperty(this.prototype, 'unref', {
      __proto__: null,
      /** @this {Worker} */
      value() {
        ops.workerSetRef(this.#id, false);
        return this;
      },
      writable: true,
      configurable: true,
    });
  }
}
configureInterface(Worker);
for (const name of ['ref', 'unref']) ObjectDefineProperty(Worker.prototype, name, { __proto__: null, enumerable: false });
defineEventHandler(Worker.prototype, 'message');
defineEventHandler(Worker.prototype, 'messageerror');
defineEventHandler(Worker.prototype, 'error');
defineEventHandler(Worker.prototype, 'close');
defineFlowControl(Worker.prototype, portOf);
