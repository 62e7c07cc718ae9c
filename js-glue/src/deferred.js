// @ts-check
// Glue that few workers use. The start-up snapshot does without it: the host compiles and evaluates such a file, with what it imports, when it is first
// asked for. By then scripts may have changed every prototype there is, so that such a file's top level must be as careful as its functions are.

import { ops } from './ops.js';

/**
 * A function that gives a file's namespace, to be called when it is needed and not before a worker runs.
 *
 * A file that nothing imports but in this way, or by a global that is made when it is first read (see `main.js`), is a deferred one.
 * @param {string} path Below `js-glue/src`.
 * @returns {() => any}
 */
export function deferred(path) {
  /** @type {any} */
  let namespace;
  return () => (namespace ??= ops.loadGlue(path));
}
