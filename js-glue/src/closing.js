// @ts-check
//# allFunctionsCalledOnLoad
// The closing flag of a worker (HTML §10.2.4): once it is set, tasks that are queued are discarded.

import { ops } from './ops.js';

let closing = false;

export function isClosing() {
  return closing;
}

/** `close()`: the task that runs goes on to its end, and no other begins. */
export function close() {
  closing = true;
  ops.closeWorker();
}
