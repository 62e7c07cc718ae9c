// @ts-check
// The glue's entry module. Importing it evaluates every API into the start-up snapshot; it defines the globals that all workers have, and hands the host
// its entry points.

import { primordials } from './primordials.js';
import { AbortController, AbortSignal, setTimerSource } from './abort.js';
import { atob, btoa } from './base64.js';
import { CompressionStream, DecompressionStream } from './compression.js';
import { console } from './console.js';
import { Crypto, crypto } from './crypto.js';
import { createDOMException, createQuotaExceededError, DOMException, QuotaExceededError } from './dom_exception.js';
import { TextDecoderStream, TextEncoderStream } from './encoding_streams.js';
import { TextDecoder, TextEncoder } from './encoding.js';
import {
  CloseEvent,
  CustomEvent,
  ErrorEvent,
  Event,
  EventTarget,
  MessageEvent,
  PromiseRejectionEvent,
} from './events.js';
import {
  defineGlobal,
  defineReplaceable,
  rejectionHandled,
  reportError,
  startParentPort,
  unhandledRejection,
} from './global_scope.js';
import { inspect } from './inspect.js';
import { checkPorts, isHostObject, readHostObject, writeHostObject } from './messaging/clone.js';
import { adoptPort, MessageChannel, MessagePort, structuredClone } from './messaging/message_port.js';
import { drainLocal, drainPort, portLow } from './messaging/port.js';
import { events } from './node/events.js';
import { fs } from './node/fs.js';
import { fsPromises } from './node/fs_promises.js';
import { drainNextTicks } from './node/next_tick.js';
import { path } from './node/path.js';
import { emitBeforeExit, emitExit, process } from './node/process.js';
import { url as nodeUrl } from './node/url.js';
import { setWorkerData, workerThreads } from './node/worker_threads.js';
import { ops } from './ops.js';
import {
  Performance,
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  setDetailCloner,
} from './performance.js';
import * as streams from './streams.js';
import {
  clearImmediate,
  clearInterval,
  clearTimeout,
  runTimers,
  setImmediate,
  setInterval,
  setTimeout,
  setTimeoutInternal,
  timers,
} from './timers.js';
import { start } from './start.js';
import { URL } from './url.js';
import { URLSearchParams } from './url_search_params.js';
import { createGuestTrap, wasm } from './wasm.js';
import { requiredArguments } from './webidl.js';
import { childEvent, setChildErrorReporter, Worker } from './worker.js';

const { globalThis, ObjectKeys, TypeError } = primordials;

setTimerSource(setTimeoutInternal);
setDetailCloner(structuredClone);
setChildErrorReporter(reportError);

/** Interface objects are not enumerable; functions and attributes are (Web IDL §3.7.1, §3.7.6). */
const interfaces = {
  AbortController,
  AbortSignal,
  CloseEvent,
  CompressionStream,
  Crypto,
  CustomEvent,
  DecompressionStream,
  DOMException,
  ErrorEvent,
  Event,
  EventTarget,
  MessageChannel,
  MessageEvent,
  MessagePort,
  Performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PromiseRejectionEvent,
  QuotaExceededError,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  TextEncoderStream,
  URL,
  URLSearchParams,
  Worker,
  ...streams,
};
for (const name of ObjectKeys(interfaces)) defineGlobal(name, /** @type {any} */ (interfaces)[name]);
defineGlobal('console', console);

const functions = {
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  /** @param {any} callback */
  queueMicrotask(callback) {
    if (typeof callback !== 'function') throw new TypeError("Failed to execute 'queueMicrotask': the argument is not a function");
    ops.enqueueMicrotask(() => {
      try {
        callback();
      } catch (error) {
        reportError(error);
      }
    });
  },
  /** @param {any} error */
  reportError(error) {
    requiredArguments(arguments.length, 1, "Failed to execute 'reportError'");
    reportError(error);
  },
  setInterval,
  setTimeout,
  structuredClone,
};
for (const name of ObjectKeys(functions)) defineGlobal(name, /** @type {any} */ (functions)[name], true);
defineGlobal('clearImmediate', clearImmediate);
defineGlobal('setImmediate', setImmediate);
defineReplaceable('crypto', () => crypto);
defineReplaceable('performance', () => performance);
defineReplaceable('self', () => globalThis);
defineGlobal('process', process);
defineGlobal('global', globalThis);

/** @type {any} */
const builtins = {
  __proto__: null,
  'isolane:wasm': wasm,
  'node:events': events,
  'node:fs': fs,
  'node:fs/promises': fsPromises,
  'node:path': path,
  'node:path/posix': path,
  'node:process': process,
  'node:timers': timers,
  'node:url': nodeUrl,
  'node:worker_threads': workerThreads,
};

/** @type {any} */ (globalThis).__isolane_entry = {
  __proto__: null,
  adoptPort,
  /** @param {string} name */
  builtinModule: (name) => builtins[name],
  childEvent,
  createDOMException,
  createGuestTrap,
  createQuotaExceededError,
  drainLocal,
  checkPorts,
  drainPort,
  drainTicks: drainNextTicks,
  emitBeforeExit,
  emitExit,
  /** @param {any} value */
  inspect: (value) => inspect(value),
  isHostObject,
  portLow,
  readHostObject,
  rejectionHandled,
  reportError,
  runTimers,
  setWorkerData,
  start,
  startParentPort,
  unhandledRejection,
  writeHostObject,
};
