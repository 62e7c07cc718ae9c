// @ts-check
//# allFunctionsCalledOnLoad
// `node:process` and the global `process`.
//
// One object, made when the start-up snapshot is built; `initProcess` fills in what differs from worker to worker.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { outOfRange, workerUnsupported } from './errors.js';
import { EventEmitter } from './event_emitter.js';
import { nextTick } from './next_tick.js';
import { env } from './process_env.js';
import { OutputStream } from './process_output.js';
import { validateArray, validateInteger } from './validators.js';
import { emitWarning, setWarningProcess } from './warnings.js';

const {
  FunctionPrototypeCall,
  Number,
  NumberIsInteger,
  ObjectAssign,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectFreeze,
  SymbolToStringTag,
} = primordials;

/** The release of Node whose behaviour the Node modules follow. */
const NODE_VERSION = '26.0.0';

const NANOSECONDS = 1_000_000_000n;

/** @type {number | string | undefined} */
let exitCode;
let exiting = false;
/** When the worker began, on the clock of `hrtime`. */
let started = 0n;

/** `process.constructor.name` is "process" in Node too; nobody calls it. */
const Process = { process: function () {} }.process;
Process.prototype = ObjectCreate(EventEmitter.prototype, {
  __proto__: null,
  constructor: { __proto__: null, value: Process, writable: true, configurable: true },
  [SymbolToStringTag]: { __proto__: null, value: 'process', configurable: true },
});

/** @type {any} */
export const process = ObjectCreate(Process.prototype);
FunctionPrototypeCall(EventEmitter, process);
setWarningProcess(process);

/** @param {any} code */
function validateExitCode(code) {
  if (code === undefined || code === null) {
    return;
  }
  const value = typeof code === 'string' && code !== '' && NumberIsInteger(+code) ? +code : code;
  validateInteger(value, 'code');
}

/**
 * Seconds and nanoseconds of the monotonic clock, or since an earlier reading.
 *
 * @param {[number, number]} [time]
 * @returns {[number, number]}
 */
function hrtime(time) {
  const now = ops.hrtime();
  let seconds = Number(now / NANOSECONDS);
  let nanoseconds = Number(now % NANOSECONDS);
  if (time !== undefined) {
    validateArray(time, 'time');
    if (time.length !== 2) {
      throw outOfRange('time', '2', time.length);
    }
    seconds -= time[0];
    nanoseconds -= time[1];
    if (nanoseconds < 0) {
      seconds--;
      nanoseconds += 1e9;
    }
  }
  return [seconds, nanoseconds];
}
/** @returns {bigint} */
hrtime.bigint = () => ops.hrtime();

/**
 * Bytes: of the whole process (`rss`) and of this worker's isolate (the rest).
 *
 * @returns {{ rss: number, heapTotal: number, heapUsed: number, external: number, arrayBuffers: number }}
 */
function memoryUsage() {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = ops.memoryUsage();
  return { rss, heapTotal, heapUsed, external, arrayBuffers };
}
/** @returns {number} */
memoryUsage.rss = () => ops.memoryUsage().rss;

ObjectAssign(process, {
  title: 'isolane',
  argv: [],
  execArgv: [],
  env,
  release: { name: 'isolane' },
  stdout: new OutputStream(1),
  stderr: new OutputStream(2),
  noDeprecation: false,
  throwDeprecation: false,
  traceDeprecation: false,
  traceProcessWarnings: false,
  cwd: () => ops.cwd(),
  chdir() {
    throw workerUnsupported('process.chdir()');
  },
  hrtime,
  memoryUsage,
  /** Seconds since the worker began. */
  uptime: () => Number(ops.hrtime() - started) / 1e9,
  nextTick,
  emitWarning,
  /** @param {number | string} [code] */
  exit(code) {
    validateExitCode(code);
    if (code !== undefined && code !== null) {
      exitCode = code;
    }
    ops.exit(emitExit());
  },
});

ObjectDefineProperty(process, 'exitCode', {
  __proto__: null,
  enumerable: true,
  configurable: false,
  get: () => exitCode,
  set(/** @type {any} */ code) {
    validateExitCode(code);
    exitCode = code;
  },
});

/**
 * @returns {number} The code that the worker would end with now.
 */
function currentExitCode() {
  return exitCode === undefined || exitCode === null ? 0 : +exitCode | 0;
}

/**
 * Fires 'exit', once in the worker's life. Listeners may still change `process.exitCode`.
 *
 * @param {number} [code] The code if the script set none: 1 after an uncaught error.
 * @returns {number} The code to end with.
 */
export function emitExit(code = undefined) {
  if (!exiting) {
    exiting = true;
    if (code !== undefined) {
      exitCode ??= code;
    }
    process.emit('exit', currentExitCode());
  }
  return currentExitCode();
}

/**
 * Fires 'beforeExit': the loop has nothing left to do. Listeners may give it something.
 */
export function emitBeforeExit() {
  process.emit('beforeExit', currentExitCode());
}

/**
 * @param {string} name
 * @param {any} value
 */
function defineConstant(name, value) {
  ObjectDefineProperty(process, name, { __proto__: null, value, enumerable: true, configurable: true, writable: false });
}

/**
 * Called once, before the worker's first script.
 *
 * @param {{ argv: string[], execArgv: string[], execPath: string, argv0: string }} options `argv` is the whole list: the
 *   executable, the script, then the script's own arguments.
 */
export function initProcess(options) {
  started = ops.hrtime();
  process.argv = options.argv;
  process.execArgv = options.execArgv;
  process.execPath = options.execPath;
  defineConstant('argv0', options.argv0);
  defineConstant('pid', ops.pid());
  defineConstant('platform', ops.platform());
  defineConstant('arch', ops.arch());
  defineConstant('version', `v${NODE_VERSION}`);
  const { isolane, v8, wasmtime } = ops.versions();
  defineConstant('versions', ObjectFreeze({ node: NODE_VERSION, isolane, v8, wasmtime }));
}
