// @ts-check
// Every operation of `node:fs`, once. Each checks its arguments and answers `{ start, finish }`: `start(sync)` calls the
// host, which answers at once or with a promise, and `finish` makes of the host's answer what the caller gets.
// `fs_promises.js` and `fs.js` are these operations, run in one way or the other.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import {
  readOptions, toAccessMode, toCopyMode, toData, toMode, toOptions, toPath, writeOptions,
} from './fs_arguments.js';
import { Dirent, unpackStats } from './fs_stats.js';
import { nodeError } from './errors.js';
import { path as posixPath } from './path.js';
import { validateBoolean, validateUint32 } from './validators.js';

const { ArrayPrototypePush, Error, StringPrototypeIncludes, StringPrototypeSlice } = primordials;

/**
 * @typedef {{
 *   start: (sync: boolean) => any,
 *   finish?: (answer: any) => any,
 *   explain?: (error: any) => any,
 *   signal?: any,
 * }} Operation `explain` turns the host's error into the one that Node throws.
 */

/**
 * The host knows one path per error and has put both into its text.
 *
 * @param {string} path
 * @param {string} dest
 * @returns {(error: any) => any}
 */
function explainTwoPaths(path, dest) {
  return (error) => {
    if (error?.syscall !== undefined) {
      error.path = path;
      error.dest = dest;
    }
    return error;
  };
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {boolean}
 */
function toFlag(value, name) {
  if (value === undefined) {
    return false;
  }
  validateBoolean(value, `options.${name}`);
  return value;
}

/**
 * @param {any} path
 * @param {any} options
 * @param {boolean} followLinks
 * @returns {Operation}
 */
function statOf(path, options, followLinks) {
  const target = toPath(path);
  const bag = toOptions(options);
  const bigint = !!bag.bigint;
  return {
    start: (sync) => ops.fsStat(target, followLinks, sync),
    finish: (packed) => unpackStats(packed, bigint),
    explain: (error) => {
      if (bag.throwIfNoEntry === false && (error?.code === 'ENOENT' || error?.code === 'ENOTDIR')) {
        return undefined;
      }
      return error;
    },
  };
}

/**
 * @param {any} path
 * @param {any} data
 * @param {any} options
 * @param {string} flag
 * @returns {Operation}
 */
function write(path, data, options, flag) {
  const bag = toOptions(options);
  const contents = toData(data, bag.encoding);
  const { flags, mode } = writeOptions(bag, flag);
  const target = toPath(path);
  return { start: (sync) => ops.fsWriteFile(target, contents, flags, mode, sync), signal: bag.signal };
}

/** @type {Record<string, (...args: any[]) => Operation>} */
export const operations = {
  readFile(path, options) {
    const bag = toOptions(options);
    const { flags, asText, convert } = readOptions(bag);
    const target = toPath(path);
    return { start: (sync) => ops.fsReadFile(target, flags, asText, sync), finish: convert, signal: bag.signal };
  },
  writeFile: (path, data, options) => write(path, data, options, 'w'),
  appendFile: (path, data, options) => write(path, data, options, 'a'),
  mkdir(path, options) {
    const bag = typeof options === 'object' ? toOptions(options) : { __proto__: null, mode: options };
    const target = toPath(path);
    const recursive = toFlag(bag.recursive, 'recursive');
    const mode = toMode(bag.mode, 0o777);
    return { start: (sync) => ops.fsMkdir(target, recursive, mode, sync) };
  },
  mkdtemp(prefix) {
    const target = toPath(prefix, 'prefix');
    return { start: (sync) => ops.fsMkdtemp(target, sync) };
  },
  readdir(path, options) {
    const bag = toOptions(options);
    const target = toPath(path);
    const recursive = toFlag(bag.recursive, 'recursive');
    const withTypes = !!bag.withFileTypes;
    return {
      start: (sync) => ops.fsReaddir(target, recursive, sync),
      finish(pairs) {
        /** @type {any[]} */
        const entries = [];
        for (let i = 0; i < pairs.length; i += 2) {
          const name = pairs[i];
          ArrayPrototypePush(entries, withTypes ? toDirent(target, name, pairs[i + 1]) : name);
        }
        return entries;
      },
    };
  },
  stat: (path, options) => statOf(path, options, true),
  lstat: (path, options) => statOf(path, options, false),
  rm(path, options) {
    const bag = toOptions(options);
    const target = toPath(path);
    const recursive = toFlag(bag.recursive, 'recursive');
    const force = toFlag(bag.force, 'force');
    const retries = bag.maxRetries ?? 0;
    validateUint32(retries, 'options.maxRetries');
    const delay = bag.retryDelay ?? 100;
    validateUint32(delay, 'options.retryDelay');
    return {
      start: (sync) => ops.fsRm(target, recursive, force, retries, delay, sync),
      explain(error) {
        if (error?.code !== 'EISDIR' || error.syscall !== 'rm') {
          return error;
        }
        const message = `Path is a directory: rm returned EISDIR (is a directory) ${target}`;
        const explained = nodeError(Error, 'ERR_FS_EISDIR', message);
        explained.errno = error.errno;
        explained.syscall = 'rm';
        explained.path = target;
        return explained;
      },
    };
  },
  rmdir(path) {
    const target = toPath(path);
    return { start: (sync) => ops.fsRmdir(target, sync) };
  },
  unlink(path) {
    const target = toPath(path);
    return { start: (sync) => ops.fsUnlink(target, sync) };
  },
  rename(oldPath, newPath) {
    const from = toPath(oldPath, 'oldPath');
    const to = toPath(newPath, 'newPath');
    return { start: (sync) => ops.fsRename(from, to, sync), explain: explainTwoPaths(from, to) };
  },
  copyFile(src, dest, mode) {
    const from = toPath(src, 'src');
    const to = toPath(dest, 'dest');
    const how = toCopyMode(mode);
    return { start: (sync) => ops.fsCopyFile(from, to, how, sync), explain: explainTwoPaths(from, to) };
  },
  access(path, mode) {
    const target = toPath(path);
    const wanted = toAccessMode(mode);
    return { start: (sync) => ops.fsAccess(target, wanted, sync) };
  },
  realpath(path) {
    const target = toPath(path);
    return { start: (sync) => ops.fsRealpath(target, sync) };
  },
};

/**
 * @param {string} directory As the caller named it.
 * @param {string} name Relative to it.
 * @param {number} type
 * @returns {Dirent}
 */
function toDirent(directory, name, type) {
  if (!StringPrototypeIncludes(name, '/')) {
    return new Dirent(name, directory, type);
  }
  const base = posixPath.basename(name);
  const parent = posixPath.join(directory, StringPrototypeSlice(name, 0, name.length - base.length - 1));
  return new Dirent(base, parent, type);
}
