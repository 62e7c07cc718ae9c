// @ts-check
// What both flavours of `node:path` share.

import { primordials } from '../primordials.js';

const {
  ArrayPrototypeJoin,
  ArrayPrototypePop,
  ArrayPrototypePush,
  StringPrototypeCharCodeAt,
  StringPrototypeEndsWith,
  StringPrototypeLastIndexOf,
  StringPrototypeSlice,
} = primordials;

/**
 * The segments that are not empty. Not `String.prototype.split`: that would look up `Symbol.split` where scripts can
 * put something.
 *
 * @param {string} path
 * @param {number} from
 * @param {(code: number) => boolean} isSeparator
 * @returns {string[]}
 */
export function splitSegments(path, from, isSeparator) {
  /** @type {string[]} */
  const segments = [];
  let start = from;
  for (let i = from; i <= path.length; i++) {
    if (i === path.length || isSeparator(StringPrototypeCharCodeAt(path, i))) {
      if (i > start) {
        ArrayPrototypePush(segments, StringPrototypeSlice(path, start, i));
      }
      start = i + 1;
    }
  }
  return segments;
}

/**
 * `climbs` times "..", then the segments of `down` from index `from`.
 *
 * @param {number} climbs
 * @param {string[]} down
 * @param {number} from
 * @returns {string[]}
 */
export function stepsBetween(climbs, down, from) {
  /** @type {string[]} */
  const steps = [];
  for (let i = 0; i < climbs; i++) {
    ArrayPrototypePush(steps, '..');
  }
  for (let i = from; i < down.length; i++) {
    ArrayPrototypePush(steps, down[i]);
  }
  return steps;
}

/**
 * Resolves "." and "..", and joins what is left.
 *
 * @param {string[]} segments None empty.
 * @param {boolean} mayClimb Keep a leading ".." that has nothing to cancel (a relative path), or drop it (an absolute
 *   one).
 * @param {string} separator
 * @returns {string}
 */
export function normalizeSegments(segments, mayClimb, separator) {
  /** @type {string[]} */
  const kept = [];
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i];
    if (segment === '.') {
      continue;
    }
    if (segment !== '..') {
      ArrayPrototypePush(kept, segment);
    } else if (kept.length > 0 && kept[kept.length - 1] !== '..') {
      ArrayPrototypePop(kept);
    } else if (mayClimb) {
      ArrayPrototypePush(kept, segment);
    }
  }
  return ArrayPrototypeJoin(kept, separator);
}

/**
 * Where the last segment lies, trailing separators left out.
 *
 * @param {string} path
 * @param {number} root Length of the root, where the search ends.
 * @param {(code: number) => boolean} isSeparator
 * @param {string} [suffix] Cut from the end of the segment, if it is not all of it.
 * @returns {{ start: number, end: number }}
 */
export function baseNameBounds(path, root, isSeparator, suffix) {
  let end = path.length;
  while (end > root && isSeparator(StringPrototypeCharCodeAt(path, end - 1))) {
    end--;
  }
  let start = end;
  while (start > root && !isSeparator(StringPrototypeCharCodeAt(path, start - 1))) {
    start--;
  }
  if (suffix !== undefined && suffix !== '') {
    // Node compares with the path before the trailing separators are cut: a suffix that is the path itself leaves "".
    if (suffix === path) {
      return { start, end: start };
    }
    const name = StringPrototypeSlice(path, start, end);
    if (name !== suffix && StringPrototypeEndsWith(name, suffix)) {
      end -= suffix.length;
    }
  }
  return { start, end };
}

/**
 * Where the extension begins: the last dot, unless it opens the name or the name is "..". `end` if there is none.
 *
 * @param {string} path
 * @param {number} start
 * @param {number} end
 * @returns {number}
 */
export function extensionStart(path, start, end) {
  const name = StringPrototypeSlice(path, start, end);
  const dot = StringPrototypeLastIndexOf(name, '.');
  return dot > 0 && name !== '..' ? start + dot : end;
}

/**
 * @param {any} parts
 * @param {string} separator
 * @returns {string}
 */
export function formatParts(parts, separator) {
  const { root, base, ext, name } = parts;
  const dir = parts.dir || root;
  const dotted = ext ? `${ext[0] === '.' ? '' : '.'}${ext}` : '';
  const file = base || `${name || ''}${dotted}`;
  if (!dir) {
    return file;
  }
  return dir === root ? `${dir}${file}` : `${dir}${separator}${file}`;
}
