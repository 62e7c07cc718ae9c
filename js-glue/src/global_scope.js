// @ts-check
//# allFunctionsCalledOnLoad
// The global object: a program's main scope, or DedicatedWorkerGlobalScope (HTML §10.2), and where exceptions and rejections go that no script catches.

import { close as beginClosing } from './closing.js';
import { primordials } from './primordials.js';
import {
  createErrorEvent,
  createPromiseRejectionEvent,
  defineEventHandler,
  dispatchTrusted,
  EventTarget,
  listenerCount,
  setExceptionReporter,
  setGlobalTarget,
  setListenerHook,
} from './events.js';
import { defineFlowControl } from './messaging/flow.js';
import { eventPort } from './messaging/port.js';
import { ops } from './ops.js';
import { configureInterface, illegalConstructor, requiredArguments } from './webidl.js';

const { globalThis, ObjectDefineProperty, ObjectSetPrototypeOf, SafeWeakSet } = primordials;

export class WorkerGlobalScope extends EventTarget {
  constructor() {
    illegalConstructor();
    super();
  }
}
configureInterface(WorkerGlobalScope, { constructible: false });

export class DedicatedWorkerGlobalScope extends WorkerGlobalScope {}
configureInterface(DedicatedWorkerGlobalScope, { constructible: false });

/** The worker's side of the channel to whoever made it. @type {import('./messaging/port.js').Port | undefined} */
let parentPort;
export function getParentPort() {
  return parentPort;
}

/** @param {string} name @param {any} value @param {boolean} [enumerable] */
export function defineGlobal(name, value, enumerable = false) {
  ObjectDefineProperty(globalThis, name, { __proto__: null, value, writable: true, enumerable, configurable: true });
}

/** A getter that a script may replace, as `[Replaceable]` attributes are. @param {string} name @param {() => any} get */
export function defineReplaceable(name, get) {
  ObjectDefineProperty(globalThis, name, {
    __proto__: null,
    get,
    /** @param {any} value */
    set(value) {
      defineGlobal(name, value, true);
    },
    enumerable: true,
    configurable: true,
  });
}

setGlobalTarget(globalThis);

/** @param {any} target */
const isGlobal = (target) => target === globalThis;
for (const name of ['error', 'unhandledrejection', 'rejectionhandled']) defineEventHandler(globalThis, name, { check: isGlobal });

/** Errors that reporting itself threw are reported once, not for ever. */
let reporting = false;

/**
 * "Report an exception" (HTML §8.1.4.6): an ErrorEvent on the global, then the host.
 * @param {any} error
 * @param {any} [detail] What a nested worker said of it.
 */
export function reportError(error, detail = undefined) {
  if (!reporting) {
    reporting = true;
    try {
      if (listenerCount(globalThis, 'error') > 0) {
        const place = detail ?? ops.errorPlace(error);
        const event = createErrorEvent(place.message, place.filename, place.line, place.column, error);
        if (!dispatchTrusted(globalThis, event)) return;
      }
    } finally {
      reporting = false;
    }
  }
  ops.reportUncaught(error, detail);
}
setExceptionReporter((error) => reportError(error));

/** Promises whose rejection was reported; made at first use. @type {any} */
let reported;

/** The host's entry: a rejection that nothing handled by the end of its task. @param {Promise<any>} promise @param {any} reason */
export function unhandledRejection(promise, reason) {
  reported ??= new SafeWeakSet();
  reported.add(promise);
  if (listenerCount(globalThis, 'unhandledrejection') > 0) {
    if (!dispatchTrusted(globalThis, createPromiseRejectionEvent('unhandledrejection', promise, reason))) return;
  }
  // As Node's default: an unhandled rejection is an uncaught error.
  reportError(reason);
}

/** The host's entry. @param {Promise<any>} promise */
export function rejectionHandled(promise) {
  if (reported?.has(promise)) {
    reported.delete(promise);
    dispatchTrusted(globalThis, createPromiseRejectionEvent('rejectionhandled', promise, undefined));
  }
}

/** Makes the global a dedicated worker's. @param {import('./messaging/port.js').Port} port @param {string} name */
export function initDedicatedWorker(port, name) {
  parentPort = port;
  ObjectSetPrototypeOf(globalThis, DedicatedWorkerGlobalScope.prototype);
  defineGlobal('WorkerGlobalScope', WorkerGlobalScope);
  defineGlobal('DedicatedWorkerGlobalScope', DedicatedWorkerGlobalScope);
  defineReplaceable('name', () => name);
  port.setOwner(globalThis, eventPort);
  // A worker that listens waits for messages; one that does not ends when it has nothing left to do.
  setListenerHook(globalThis, (/** @type {string} */ type) => {
    if (type === 'bufferedamountlow') port.watchLow();
    if (type !== 'message') return;
    const listens = listenerCount(globalThis, 'message') > 0;
    port.setReferenced(listens);
    // Before its first module is through, which is when the port starts of itself.
    if (listens) port.start();
  });
  defineEventHandler(globalThis, 'message', { check: isGlobal });
  defineEventHandler(globalThis, 'messageerror', { check: isGlobal });
  defineFlowControl(globalThis, () => port, isGlobal);
  defineGlobal(
    'postMessage',
    /** @type {any} */ ({
      /** @param {any} message @param {any} [options] */
      postMessage(message, options = undefined) {
        const prefix = "Failed to execute 'postMessage' on 'DedicatedWorkerGlobalScope'";
        requiredArguments(arguments.length, 1, prefix);
        port.post(message, options, prefix);
      },
    }).postMessage,
    true,
  );
  defineGlobal('close', function close() {
    beginClosing();
  }, true);
}

/**
 * Messages wait until the worker's first module has run (HTML §10.2.4, step 16). The standard has it that they do not wait for its top-level awaits, so
 * that they are lost to a module that listens after one; here they wait for a listener as well.
 */
export function startParentPort() {
  parentPort?.start();
}
