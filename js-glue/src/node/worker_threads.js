// @ts-check
//# allFunctionsCalledOnLoad
// `node:worker_threads`: Worker, parentPort, workerData, isMainThread, threadId, and the port functions of the web's.

import { primordials } from '../primordials.js';
import { deferred } from '../deferred.js';
import { serialize, setUntransferableCheck } from '../messaging/clone.js';
import {
  createMessagePort,
  MessageChannel,
  MessagePort,
  receiveMessageOnPort,
} from '../messaging/message_port.js';
import { defineFlowControl } from '../messaging/flow.js';
import { Port } from '../messaging/port.js';
import { toTransferList } from '../messaging/transfer_list.js';
import { ops } from '../ops.js';
import { errorOf, onChildEvent } from '../worker.js';
import { EventEmitter } from './event_emitter.js';
import { invalidArgType, invalidArgValue } from './errors.js';

const {
  ArrayPrototypePush,
  encodeURIComponent,
  newPromise,
  ObjectKeys,
  PromiseResolve,
  SafeWeakSet,
  String,
  StringPrototypeStartsWith,
  Symbol,
  SymbolAsyncDispose,
} = primordials;

/** @type {() => typeof import('./url.js')} */
const nodeUrl = deferred('node/url.js');

const SHARE_ENV = Symbol.for('nodejs.worker_threads.SHARE_ENV');

/** @param {any} env */
function toEnvironment(env) {
  if (env === undefined || env === null) return undefined;
  if (env === SHARE_ENV) return true;
  if (typeof env !== 'object') throw invalidArgType('options.env', ['object', 'undefined', 'null', 'worker_threads.SHARE_ENV'], env);
  /** @type {string[]} */
  const pairs = [];
  const keys = ObjectKeys(env);
  for (let i = 0; i < keys.length; i++) {
    ArrayPrototypePush(pairs, keys[i]);
    ArrayPrototypePush(pairs, String(env[keys[i]]));
  }
  return pairs;
}

/** Of the limits that Node has none is kept here; `messageBytes` is ours. @param {any} limits @returns {number | undefined} */
function toMessageBytes(limits) {
  const bytes = limits?.messageBytes;
  if (bytes === undefined) return undefined;
  if (typeof bytes !== 'number') throw invalidArgType('options.resourceLimits.messageBytes', 'number', bytes);
  if (!(bytes >= 0)) throw invalidArgValue('options.resourceLimits.messageBytes', bytes, 'must not be negative');
  return bytes;
}

/** @param {any} filename @param {boolean} isSource */
function toUrl(filename, isSource) {
  if (typeof filename !== 'string') {
    if (nodeUrl().isURL(filename)) return filename.href;
    throw invalidArgType('filename', ['string', 'URL'], filename);
  }
  if (isSource) return 'eval.mjs';
  if (StringPrototypeStartsWith(filename, 'file:') || StringPrototypeStartsWith(filename, 'data:')) return filename;
  const href = ops.urlParse(encodePath(filename), `file://${encodePath(ops.cwd())}/`, new primordials.Uint32Array(9));
  return href ?? filename;
}

/** A path as the path of a URL: every character that means something there is escaped. @param {string} path */
function encodePath(path) {
  return primordials.StringPrototypeReplaceAll(encodeURIComponent(path), '%2F', '/');
}

/** Events of Node's: an emitter's. @type {import('../messaging/port.js').PortKind} */
const workerPort = {
  onMessage(worker, value) {
    worker.emit('message', value);
  },
  onMessageError(worker, error) {
    worker.emit('messageerror', error);
  },
  onClose() {},
  wantsLow: (worker) => worker.listenerCount('bufferedamountlow') > 0,
  onLow(worker) {
    worker.emit('bufferedamountlow');
  },
};

/** @type {(worker: any) => Port} */
let portOf;

export class Worker extends /** @type {any} */ (EventEmitter) {
  #id;
  #port;
  /** @type {number | undefined} */
  #exitCode;
  #exited = newPromise();
  threadId;

  /**
   * @param {any} filename
   * @param {any} [options]
   */
  constructor(filename, options = undefined) {
    super();
    const { argv = [], env, eval: isSource = false, name = '', resourceLimits, transferList, workerData } = options ?? { __proto__: null };
    if (isSource === true && typeof filename !== 'string') {
      throw invalidArgValue('options.eval', isSource, "must be false when 'filename' is not a string");
    }
    const url = toUrl(filename, isSource === true);
    /** @type {any[]} */
    const args = [];
    for (let i = 0; i < argv.length; i++) ArrayPrototypePush(args, String(argv[i]));
    const transfer = transferList === undefined ? [] : toTransferList(transferList, 'new Worker()');
    const data = serialize({ environmentData, workerData }, transfer);
    const created = ops.workerCreate({
      __proto__: null,
      url,
      source: isSource === true ? String(filename) : undefined,
      name: String(name),
      kind: 'node',
      argv: args,
      env: toEnvironment(env),
      data,
      messageBytes: toMessageBytes(resourceLimits),
      referenced: true,
    });
    this.#id = created[0];
    this.#port = Port.adopt(created[1]);
    this.threadId = created[2];
    this.#port.setOwner(this, workerPort);
    // An emitter does not tell of its listeners here, so that each post asks.
    this.#port.watchLow();
    this.#port.start();
    onChildEvent(this.#id, (kind, detail) => this.#receive(kind, detail));
  }

  /** @param {string} kind @param {any} detail */
  #receive(kind, detail) {
    if (kind === 'online') {
      this.emit('online');
      return;
    }
    // What it posted before its end comes first.
    if (this.#port.isOpen) {
      while (this.#port.drain());
      this.#port.close();
    }
    if (kind === 'threw') this.emit('error', errorOf(detail));
    this.#exitCode = kind === 'threw' ? 1 : detail;
    this.threadId = -1;
    this.#exited.resolve(this.#exitCode);
    this.emit('exit', this.#exitCode);
  }

  /** @param {any} message @param {any} [options] */
  postMessage(message, options = undefined) {
    this.#port.post(message, options, 'worker.postMessage()');
  }

  /** @returns {Promise<number>} The exit code. */
  terminate() {
    if (this.#exitCode !== undefined) return PromiseResolve(this.#exitCode);
    ops.workerSetRef(this.#id, true);
    ops.workerTerminate(this.#id);
    return this.#exited.promise;
  }

  static {
    portOf = (worker) => worker.#port;
  }

  ref() {
    ops.workerSetRef(this.#id, true);
    return this;
  }

  unref() {
    ops.workerSetRef(this.#id, false);
    return this;
  }

  async [SymbolAsyncDispose]() {
    await this.terminate();
  }
}

defineFlowControl(Worker.prototype, portOf, null);

/** Made at first use: see `init`. @type {any} */
let untransferable;
/** @param {any} object */
function markAsUntransferable(object) {
  if ((typeof object === 'object' && object !== null) || typeof object === 'function') {
    untransferable ??= new SafeWeakSet();
    untransferable.add(object);
  }
}
/** @param {any} object */
function isMarkedAsUntransferable(object) {
  return untransferable?.has(object) ?? false;
}
setUntransferableCheck(isMarkedAsUntransferable);

/** What `setEnvironmentData` set, here and in the workers above. @type {any} */
let environmentData;
/** @param {any} key @param {any} [value] */
function setEnvironmentData(key, value = undefined) {
  environmentData ??= new primordials.Map();
  if (value === undefined) primordials.MapPrototypeDelete(environmentData, key);
  else primordials.MapPrototypeSet(environmentData, key, value);
}
/** @param {any} key */
function getEnvironmentData(key) {
  return environmentData === undefined ? undefined : primordials.MapPrototypeGet(environmentData, key);
}

/** @type {any} */
export const workerThreads = {
  isMainThread: true,
  isInternalThread: false,
  MessageChannel,
  MessagePort,
  markAsUntransferable,
  isMarkedAsUntransferable,
  parentPort: null,
  receiveMessageOnPort,
  resourceLimits: {},
  SHARE_ENV,
  threadId: 0,
  threadName: '',
  Worker,
  workerData: null,
  setEnvironmentData,
  getEnvironmentData,
};

/**
 * Called once, before the worker's first script.
 * @param {string} kind
 * @param {number} threadId
 * @param {string} name
 * @param {Port | undefined} port
 * @param {number | undefined} messageBytes
 */
export function initWorkerThreads(kind, threadId, name, port, messageBytes) {
  if (messageBytes !== undefined) workerThreads.resourceLimits = { messageBytes };
  workerThreads.isMainThread = kind === 'main';
  workerThreads.threadId = threadId;
  workerThreads.threadName = name;
  if (kind === 'node' && port !== undefined) workerThreads.parentPort = createMessagePort(port);
}

/** @param {any} data */
export function setWorkerData(data) {
  workerThreads.workerData = data.workerData;
  environmentData = data.environmentData;
}
