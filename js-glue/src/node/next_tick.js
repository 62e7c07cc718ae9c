// @ts-check
// `process.nextTick`: a queue of its own, first in, first out.
//
// The loop calls `drainNextTicks()` after each task, before the microtask checkpoint; so callbacks queued by a task run
// before that task's promise reactions, as in Node. Callbacks queued by a microtask are drained by a microtask that is
// queued with the first of them: they run after the reactions that were already waiting. (Node would let reactions
// queued later pass as well. No program can rely on either without racing itself.)

import { primordials } from '../primordials.js';
import { reportException } from '../events/report.js';
import { ops } from '../ops.js';
import { validateFunction } from './validators.js';

const { ArrayPrototypePush, ReflectApply } = primordials;

/** @type {{ callback: Function, args: any[] }[]} */
let queue = [];
let drainQueued = false;

/**
 * Awaiting reaches the microtask queue without a look-up that scripts could have patched.
 */
async function queueDrain() {
  drainQueued = true;
  await undefined;
  drainQueued = false;
  drainNextTicks();
}

/**
 * @param {Function} callback
 * @param {...any} args
 */
export function nextTick(callback, ...args) {
  validateFunction(callback, 'callback');
  ArrayPrototypePush(queue, { __proto__: null, callback, args });
  if (queue.length === 1) ops.noteTicks();
  if (!drainQueued) {
    queueDrain();
  }
}

/**
 * Runs every queued callback, also those that are queued meanwhile. One that throws is reported as an uncaught error
 * and does not keep the others from running.
 */
export function drainNextTicks() {
  while (queue.length > 0) {
    const batch = queue;
    queue = [];
    for (let i = 0; i < batch.length; i++) {
      const { callback, args } = batch[i];
      try {
        ReflectApply(callback, undefined, args);
      } catch (error) {
        reportException(error);
      }
    }
  }
}
