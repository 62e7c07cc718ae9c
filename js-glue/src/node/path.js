// @ts-check
// `node:path`, by the POSIX rules on every platform.
//
// A path is split into segments, its "." and ".." are resolved, and it is joined again. Departures: three answers of
// Node's that its own documentation contradicts, `basename('/', 'x')` of "/", `parse('/..')` with an extension, and a
// slash that `basename('a/', suffix)` can leave.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { validateObject, validateString } from './validators.js';
import {
  baseNameBounds, extensionStart, formatParts, normalizeSegments, splitSegments, stepsBetween,
} from './path_parts.js';

const {
  ArrayPrototypeJoin,
  ArrayPrototypePush,
  StringPrototypeCharCodeAt,
  StringPrototypeEndsWith,
  StringPrototypeLastIndexOf,
  StringPrototypeSlice,
  StringPrototypeStartsWith,
} = primordials;

const SLASH = 47;

/** @param {number} code */
const isSlash = (code) => code === SLASH;

/**
 * "/a/b/../c/" → "/a/c/"; "" → ".".
 *
 * @param {string} path
 * @returns {string}
 */
function normalize(path) {
  validateString(path, 'path');
  if (path === '') {
    return '.';
  }
  const absolute = StringPrototypeStartsWith(path, '/');
  let result = normalizeSegments(splitSegments(path, 0, isSlash), !absolute, '/');
  if (result === '') {
    if (absolute) {
      return '/';
    }
    result = '.';
  }
  if (StringPrototypeEndsWith(path, '/')) {
    result += '/';
  }
  return absolute ? `/${result}` : result;
}

/**
 * The absolute path that the segments lead to, read from right to left until one of them is absolute.
 *
 * @param {...string} segments
 * @returns {string}
 */
function resolve(...segments) {
  let path = '';
  let absolute = false;
  for (let i = segments.length - 1; i >= 0 && !absolute; i--) {
    const segment = segments[i];
    validateString(segment, `paths[${i}]`);
    if (segment === '') {
      continue;
    }
    path = `${segment}/${path}`;
    absolute = StringPrototypeStartsWith(segment, '/');
  }
  if (!absolute) {
    path = `${ops.cwd()}/${path}`;
  }
  return `/${normalizeSegments(splitSegments(path, 0, isSlash), false, '/')}`;
}

/**
 * @param {...string} segments
 * @returns {string}
 */
function join(...segments) {
  /** @type {string[]} */
  const present = [];
  for (let i = 0; i < segments.length; i++) {
    validateString(segments[i], 'path');
    if (segments[i] !== '') {
      ArrayPrototypePush(present, segments[i]);
    }
  }
  return normalize(ArrayPrototypeJoin(present, '/'));
}

/**
 * The path from `from` to `to`, both resolved first; "" if they are the same.
 *
 * @param {string} from
 * @param {string} to
 * @returns {string}
 */
function relative(from, to) {
  validateString(from, 'from');
  validateString(to, 'to');
  if (from === to) {
    return '';
  }
  const start = resolve(from);
  const end = resolve(to);
  if (start === end) {
    return '';
  }
  const up = splitSegments(start, 0, isSlash);
  const down = splitSegments(end, 0, isSlash);
  let shared = 0;
  while (shared < up.length && shared < down.length && up[shared] === down[shared]) {
    shared++;
  }
  return ArrayPrototypeJoin(stepsBetween(up.length - shared, down, shared), '/');
}

/**
 * @param {string} path
 * @returns {string}
 */
function dirname(path) {
  validateString(path, 'path');
  if (path === '') {
    return '.';
  }
  let end = path.length;
  while (end > 1 && isSlash(StringPrototypeCharCodeAt(path, end - 1))) {
    end--;
  }
  const slash = end > 1 ? StringPrototypeLastIndexOf(path, '/', end - 1) : -1;
  if (slash === -1) {
    return StringPrototypeStartsWith(path, '/') ? '/' : '.';
  }
  // "//a" keeps both slashes: POSIX leaves two leading slashes to the implementation (XBD §4.13).
  if (slash === 1 && isSlash(StringPrototypeCharCodeAt(path, 0))) {
    return '//';
  }
  return slash === 0 ? '/' : StringPrototypeSlice(path, 0, slash);
}

/**
 * @param {string} path
 * @param {string} [suffix] Taken off the name, unless it is the whole name.
 * @returns {string}
 */
function basename(path, suffix) {
  if (suffix !== undefined) {
    validateString(suffix, 'suffix');
  }
  validateString(path, 'path');
  const { start, end } = baseNameBounds(path, 0, isSlash, suffix);
  return StringPrototypeSlice(path, start, end);
}

/**
 * @param {string} path
 * @returns {string}
 */
function extname(path) {
  validateString(path, 'path');
  const { start, end } = baseNameBounds(path, 0, isSlash);
  return StringPrototypeSlice(path, extensionStart(path, start, end), end);
}

/**
 * @param {string} path
 * @returns {{ root: string, dir: string, base: string, ext: string, name: string }}
 */
function parse(path) {
  validateString(path, 'path');
  const root = StringPrototypeStartsWith(path, '/') ? '/' : '';
  const { start, end } = baseNameBounds(path, root.length, isSlash);
  const dot = extensionStart(path, start, end);
  return {
    root,
    dir: start > root.length ? StringPrototypeSlice(path, 0, start - 1) : root,
    base: StringPrototypeSlice(path, start, end),
    ext: StringPrototypeSlice(path, dot, end),
    name: StringPrototypeSlice(path, start, dot),
  };
}

/**
 * @param {{ root?: string, dir?: string, base?: string, ext?: string, name?: string }} pathObject
 * @returns {string}
 */
function format(pathObject) {
  validateObject(pathObject, 'pathObject');
  return formatParts(pathObject, '/');
}

/**
 * @param {string} path
 * @returns {boolean}
 */
function isAbsolute(path) {
  validateString(path, 'path');
  return StringPrototypeStartsWith(path, '/');
}

/**
 * Namespaced paths exist on Windows only.
 *
 * @template T
 * @param {T} path
 * @returns {T}
 */
function toNamespacedPath(path) {
  return path;
}

/** @type {any} */
export const path = {
  resolve,
  normalize,
  isAbsolute,
  join,
  relative,
  toNamespacedPath,
  dirname,
  basename,
  extname,
  format,
  parse,
  sep: '/',
  delimiter: ':',
  posix: null,
};

path.posix = path;
