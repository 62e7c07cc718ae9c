// @ts-check
//# allFunctionsCalledOnLoad
// What differs from worker to worker: the host has it done in each, before the first script.

import { primordials } from './primordials.js';
import { EventTarget } from './events.js';
import { defineGlobal, defineReplaceable, initDedicatedWorker } from './global_scope.js';
import { Port } from './messaging/port.js';
import { createNavigator, createWorkerNavigator, Navigator, WorkerNavigator } from './navigator.js';
import { initProcess } from './node/process.js';
import { initWorkerThreads } from './node/worker_threads.js';
import { initSharedBuffer } from './shared_buffer.js';
import { setBaseUrl } from './worker.js';

const { globalThis, ObjectSetPrototypeOf } = primordials;

/**
 * @param {{ kind: 'main' | 'web' | 'node', name: string, url: string, argv: string[], threadId: number, port?: number, messageBytes?: number }} config
 */
export function start(config) {
  const { kind, name, url, argv, threadId } = config;
  initSharedBuffer();
  setBaseUrl(url);
  initProcess({ argv, execArgv: [], execPath: argv[0], argv0: 'isolane' });
  const port = config.port === undefined || kind === 'main' ? undefined : Port.adopt(config.port);
  initWorkerThreads(kind, threadId, name, port, config.messageBytes);
  if (kind === 'main') {
    defineGlobal('Navigator', Navigator);
    const navigator = createNavigator();
    defineReplaceable('navigator', () => navigator);
  } else {
    defineGlobal('WorkerNavigator', WorkerNavigator);
    const navigator = createWorkerNavigator();
    defineReplaceable('navigator', () => navigator);
  }
  if (kind === 'web' && port !== undefined) initDedicatedWorker(port, name);
  else ObjectSetPrototypeOf(globalThis, EventTarget.prototype);
}
