// @ts-check
// `captureRejections` of `node:events`.

import { primordials } from '../primordials.js';
import { nextTick } from './next_tick.js';

const { ArrayPrototypePush, ReflectApply, SymbolFor } = primordials;

/** The method that an emitter may have to take rejections itself. */
export const captureRejectionSymbol = SymbolFor('nodejs.rejection');

/**
 * With `captureRejections`, a listener's promise that rejects becomes an 'error' event.
 *
 * @param {any} emitter
 * @param {{ captureRejections: boolean | undefined }} state
 * @param {any} result
 * @param {any} name
 * @param {any[]} args
 */
export function captureRejection(emitter, state, result, name, args) {
  try {
    const { then } = result;
    if (typeof then === 'function') {
      ReflectApply(then, result, [undefined, (/** @type {any} */ error) => {
        // A throw in a reaction would only be one more rejection.
        nextTick(emitRejection, emitter, state, error, name, args);
      }]);
    }
  } catch (error) {
    emitter.emit('error', error);
  }
}

/**
 * @param {any} emitter
 * @param {{ captureRejections: boolean | undefined }} state
 * @param {any} error
 * @param {any} name
 * @param {any[]} args
 */
function emitRejection(emitter, state, error, name, args) {
  const handler = emitter[captureRejectionSymbol];
  if (typeof handler === 'function') {
    const all = [error, name];
    for (let i = 0; i < args.length; i++) {
      ArrayPrototypePush(all, args[i]);
    }
    ReflectApply(handler, emitter, all);
    return;
  }
  const previous = state.captureRejections;
  // An 'error' listener that rejects too must not call itself for ever.
  state.captureRejections = false;
  try {
    emitter.emit('error', error);
  } finally {
    state.captureRejections = previous;
  }
}
