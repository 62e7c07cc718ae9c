// @ts-check
// `node:fs/promises`. Departure: contents without an encoding are Uint8Arrays, since there is no Buffer.

import { primordials } from '../primordials.js';
import { AbortError } from './errors.js';
import { onAbort, throwIfAborted } from './abort_support.js';
import { constants } from './fs_constants.js';
import { operations } from './fs_operations.js';

const { newPromise } = primordials;

/**
 * Argument errors reject, as everything of this module does. An abort rejects at once; what the host has begun goes on
 * to its end unheard.
 *
 * @param {string} name
 * @returns {(...args: any[]) => Promise<any>}
 */
function promised(name) {
  const prepare = operations[name];
  const run = {
    /** @param {any} a @param {any} b @param {any} c */
    async [name](a, b = undefined, c = undefined) {
      const { start, finish, explain, signal } = prepare(a, b, c);
      throwIfAborted(signal);
      let answer;
      try {
        answer = await (signal ? untilAborted(start(false), signal) : start(false));
      } catch (error) {
        const explained = explain === undefined ? error : explain(error);
        if (explained === undefined) {
          return undefined;
        }
        throw explained;
      }
      return finish === undefined ? answer : finish(answer);
    },
  };
  return run[name];
}

/**
 * @param {Promise<any>} answer
 * @param {any} signal
 * @returns {Promise<any>}
 */
function untilAborted(answer, signal) {
  const { promise, resolve, reject } = newPromise();
  const stop = onAbort(signal, () => reject(new AbortError(signal.reason)));
  const follow = async () => {
    try {
      resolve(await answer);
    } catch (error) {
      reject(error);
    } finally {
      stop();
    }
  };
  follow();
  return promise;
}

export const fsPromises = {
  access: promised('access'),
  appendFile: promised('appendFile'),
  constants,
  copyFile: promised('copyFile'),
  lstat: promised('lstat'),
  mkdir: promised('mkdir'),
  mkdtemp: promised('mkdtemp'),
  readFile: promised('readFile'),
  readdir: promised('readdir'),
  realpath: promised('realpath'),
  rename: promised('rename'),
  rm: promised('rm'),
  rmdir: promised('rmdir'),
  stat: promised('stat'),
  unlink: promised('unlink'),
  writeFile: promised('writeFile'),
};
