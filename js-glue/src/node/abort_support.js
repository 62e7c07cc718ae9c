// @ts-check
// How the Node modules follow an AbortSignal. They take whatever has a signal's shape, so its public members are used.

import { AbortError } from './errors.js';

/**
 * @param {any} signal
 */
export function throwIfAborted(signal) {
  if (signal?.aborted) {
    throw new AbortError(signal.reason);
  }
}

/**
 * Calls `listener` once, when the signal aborts.
 *
 * @param {any} signal
 * @param {() => void} listener
 * @returns {() => void} Takes the listener away again.
 */
export function onAbort(signal, listener) {
  signal.addEventListener('abort', listener, { __proto__: null, once: true });
  return () => signal.removeEventListener('abort', listener);
}
