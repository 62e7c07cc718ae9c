// @ts-check
//# allFunctionsCalledOnLoad
// SharedArrayBuffer's own functions. V8 adds the class to a context only when a worker starts, so that `primordials.js`, which the start-up snapshot
// holds, cannot have them; they are taken before the worker's first script runs.

import { primordials } from './primordials.js';

const { globalThis, ObjectGetOwnPropertyDescriptor, uncurryThis } = primordials;

/** Throws unless the value is a SharedArrayBuffer. @type {(value: any) => number} */
export let sharedByteLength = () => {
  throw new primordials.TypeError('not a SharedArrayBuffer');
};

/** Called once, at the worker's start. */
export function initSharedBuffer() {
  const { SharedArrayBuffer } = globalThis;
  if (SharedArrayBuffer === undefined) return;
  sharedByteLength = uncurryThis(ObjectGetOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength').get);
}
