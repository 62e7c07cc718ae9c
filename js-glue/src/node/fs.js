// @ts-check
// `node:fs`: `promises`, and the functions that answer at once. Departure: none of those that take a callback.

import { ops } from '../ops.js';
import { toPath } from './fs_arguments.js';
import { constants } from './fs_constants.js';
import { operations } from './fs_operations.js';
import { fsPromises } from './fs_promises.js';
import { Dirent, Stats } from './fs_stats.js';

/**
 * @param {string} name
 * @returns {(...args: any[]) => any}
 */
function synchronous(name) {
  const prepare = operations[name];
  const run = {
    /** @param {any} a @param {any} b @param {any} c */
    [`${name}Sync`](a, b = undefined, c = undefined) {
      const { start, finish, explain } = prepare(a, b, c);
      let answer;
      try {
        answer = start(true);
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
  return run[`${name}Sync`];
}

/**
 * Never throws for what the path is; a path that may not be read throws, since "no" would be a guess.
 *
 * @param {any} path
 * @returns {boolean}
 */
function existsSync(path) {
  let target;
  try {
    target = toPath(path);
  } catch {
    return false;
  }
  return ops.fsExists(target);
}

export const fs = {
  Dirent,
  Stats,
  accessSync: synchronous('access'),
  appendFileSync: synchronous('appendFile'),
  constants,
  copyFileSync: synchronous('copyFile'),
  existsSync,
  lstatSync: synchronous('lstat'),
  mkdirSync: synchronous('mkdir'),
  mkdtempSync: synchronous('mkdtemp'),
  promises: fsPromises,
  readFileSync: synchronous('readFile'),
  readdirSync: synchronous('readdir'),
  realpathSync: synchronous('realpath'),
  renameSync: synchronous('rename'),
  rmSync: synchronous('rm'),
  rmdirSync: synchronous('rmdir'),
  statSync: synchronous('stat'),
  unlinkSync: synchronous('unlink'),
  writeFileSync: synchronous('writeFile'),
};
