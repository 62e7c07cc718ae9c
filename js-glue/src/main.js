// @ts-check
// The glue's entry module. Importing it evaluates what most workers use into the start-up snapshot, and names the rest (`deferred.js`); it defines the
// globals that all workers have, and hands the host its entry points.

import { primordials } from './primordials.js';
import { AbortController, AbortSignal, setTimerSource } from './abort.js';
import { atob, btoa } from './base64.js';
import './inspect/built_ins.js';
import { deferred } from './deferred.js';
import { createDOMException, createQuotaExceededError, DOMException, QuotaExceededError } from './dom_exception.js';
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
import { checkPorts, isHostObject, readHostObject, writeHostObject } from './messaging/clone.js';
import { adoptPort, MessageChannel, MessagePort, structuredClone } from './messaging/message_port.js';
import { drainLocal, drainPort, portLow } from './messaging/port.js';
import { events } from './node/events.js';
import { drainNextTicks } from './node/next_tick.js';
import { emitBeforeExit, emitExit, process } from './node/process.js';
import { setWorkerData, workerThreads } from './node/worker_threads.js';
import { ops } from './ops.js';
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
import { requiredArguments } from './webidl.js';
import { childEvent, setChildErrorReporter, Worker } from './worker.js';

const { globalThis, ObjectKeys, TypeError } = primordials;

setTimerSource(setTimeoutInternal);
setChildErrorReporter(reportError);

/** Interface objects are not enumerable; functions and attributes are (Web IDL §3.7.1, §3.7.6). */
const interfaces = {
  AbortController,
  AbortSignal,
  CloseEvent,
  CustomEvent,
  DOMException,
  ErrorEvent,
  Event,
  EventTarget,
  MessageChannel,
  MessageEvent,
  MessagePort,
  PromiseRejectionEvent,
  QuotaExceededError,
  Worker,
};
for (const name of ObjectKeys(interfaces)) defineGlobal(name, /** @type {any} */ (interfaces)[name]);

const cryptoGlue = deferred('crypto.js');
const inspection = deferred('inspect.js');
const nodeFs = deferred('node/fs.js');
const nodeFsPromises = deferred('node/fs_promises.js');
const nodePath = deferred('node/path.js');
const nodeUrl = deferred('node/url.js');
const performanceGlue = deferred('performance.js');
const wasmGlue = deferred('wasm.js');

/** Globals that are made when they are first read, and the deferred files that export them. The build defines them. */
const lazyGlobals = {
  __proto__: null,
  ByteLengthQueuingStrategy: 'streams.js',
  CompressionStream: 'compression.js',
  console: 'console.js',
  CountQueuingStrategy: 'streams.js',
  Crypto: 'crypto.js',
  DecompressionStream: 'compression.js',
  Performance: 'performance.js',
  PerformanceEntry: 'performance.js',
  PerformanceMark: 'performance.js',
  PerformanceMeasure: 'performance.js',
  ReadableByteStreamController: 'streams.js',
  ReadableStream: 'streams.js',
  ReadableStreamBYOBReader: 'streams.js',
  ReadableStreamBYOBRequest: 'streams.js',
  ReadableStreamDefaultController: 'streams.js',
  ReadableStreamDefaultReader: 'streams.js',
  TextDecoder: 'encoding.js',
  TextDecoderStream: 'encoding_streams.js',
  TextEncoder: 'encoding.js',
  TextEncoderStream: 'encoding_streams.js',
  TransformStream: 'streams.js',
  TransformStreamDefaultController: 'streams.js',
  URL: 'url.js',
  URLSearchParams: 'url_search_params.js',
  WritableStream: 'streams.js',
  WritableStreamDefaultController: 'streams.js',
  WritableStreamDefaultWriter: 'streams.js',
};

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
defineReplaceable('crypto', () => cryptoGlue().crypto);
defineReplaceable('performance', () => performanceGlue().performance);
defineReplaceable('self', () => globalThis);
defineGlobal('process', process);
defineGlobal('global', globalThis);

/** What the names of modules that come with the runtime stand for. @type {any} */
const builtins = {
  __proto__: null,
  'isolane:wasm': () => wasmGlue().wasm,
  'node:events': () => events,
  'node:fs': () => nodeFs().fs,
  'node:fs/promises': () => nodeFsPromises().fsPromises,
  'node:path': () => nodePath().path,
  'node:path/posix': () => nodePath().path,
  'node:process': () => process,
  'node:timers': () => timers,
  'node:url': () => nodeUrl().url,
  'node:worker_threads': () => workerThreads,
};

/** `lazyGlobals` and `primordials` are for the build, which takes them out. */
/** @type {any} */ (globalThis).__isolane_entry = {
  __proto__: null,
  adoptPort,
  /** @param {string} name */
  builtinModule: (name) => builtins[name]?.(),
  childEvent,
  createDOMException,
  /** @param {string} message @param {string} trace */
  createGuestTrap: (message, trace) => wasmGlue().createGuestTrap(message, trace),
  createQuotaExceededError,
  drainLocal,
  checkPorts,
  drainPort,
  drainTicks: drainNextTicks,
  emitBeforeExit,
  emitExit,
  /** @param {any} value */
  inspect: (value) => inspection().inspect(value),
  isHostObject,
  lazyGlobals,
  portLow,
  primordials,
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
