// @ts-check
// Errors: their stack, headed by a name that tells class and `name` apart, with repeated frames left out.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { Kind } from './kinds.js';
import { prefix } from './names.js';
import { ownValue } from './own.js';
import { formatValue } from './value.js';
import { indentLines, splitLines } from './strings.js';

const {
  ArrayIsArray,
  ArrayPrototypeIncludes,
  ArrayPrototypeIndexOf,
  ArrayPrototypePush,
  ErrorPrototype,
  ErrorPrototypeToString,
  MathMin,
  ObjectPrototypeHasOwnProperty,
  ObjectPrototypeIsPrototypeOf,
  RegExpPrototypeExec,
  StringPrototypeEndsWith,
  StringPrototypeIncludes,
  StringPrototypeIndexOf,
  StringPrototypeSlice,
  StringPrototypeStartsWith,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

// Frames that are the runtime's own: they matter little to who reads the trace.
const internalFrame = /^ {4}at (?:.* \()?(?:node|isolane):/;
const packageFolder = /[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/g;
// The head of a stack whose error has no constructor to name it.
const stackHead = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/;
const bareHead = /^([a-z_A-Z0-9-]*Error)$/;

/** Fewer frames in common than this are not worth a note. */
const MIN_OVERLAP = 4;
/** Fewer repeated frames than this are shown. */
const MIN_REPEATED = 3;
/** So are all frames of a trace of the default length (`Error.stackTraceLimit`): there is little to save. */
const DEFAULT_TRACE = 10;

/**
 * @param {any} value
 * @returns {boolean}
 */
export function isError(value) {
  if (value === null || typeof value !== 'object') return false;
  const kind = ops.valueKind(value);
  // A proxy would be asked for its prototype.
  return kind === Kind.ERROR || (kind !== Kind.PROXY && ObjectPrototypeIsPrototypeOf(ErrorPrototype, value));
}

/**
 * @param {Context} ctx
 * @param {any} error
 * @param {string | null} constructor
 * @param {string} tag
 * @param {PropertyKey[]} keys changed: what the stack says is taken off, `cause` and `errors` are added
 * @param {number} level
 * @returns {string}
 */
export function formatError(ctx, error, constructor, tag, keys, level) {
  const { name: ownName } = error;
  const name = typeof ownName === 'string' ? ownName : 'Error';
  const trace = stackText(ctx, error, level);
  removeRepeatedKeys(ctx, error, keys, trace);
  if (ObjectPrototypeHasOwnProperty(error, 'cause') && !ArrayPrototypeIncludes(keys, 'cause')) ArrayPrototypePush(keys, 'cause');
  if (ArrayIsArray(ownValue(error, 'errors')) && !ArrayPrototypeIncludes(keys, 'errors')) ArrayPrototypePush(keys, 'errors');

  const stack = withClassName(trace, constructor, name, tag);
  // A message may contain lines that look like frames: look behind it.
  const { message } = error;
  let from = message ? StringPrototypeIndexOf(stack, `${message}`) : -1;
  if (from > 0) from += `${message}`.length;
  const framesStart = StringPrototypeIndexOf(stack, '\n    at', from > 0 ? from : 0);
  let text;
  if (framesStart === -1) {
    text = `[${stack}]`;
  } else {
    text = StringPrototypeSlice(stack, 0, framesStart);
    const frames = visibleFrames(ctx, error, splitLines(StringPrototypeSlice(stack, framesStart + 1)));
    for (let i = 0; i < frames.length; i++) text += `\n${ctx.colors ? colourFrame(ctx, frames[i]) : frames[i]}`;
  }
  return indentLines(text, ctx.indentation);
}

/**
 * @param {Context} ctx
 * @param {any} error
 * @param {number} level
 * @returns {string}
 */
function stackText(ctx, error, level) {
  const { stack } = error;
  if (!stack) return ErrorPrototypeToString(error);
  if (typeof stack === 'string') return stack;
  // Left by an Error.prepareStackTrace that returns something else, such as the call sites.
  ArrayPrototypePush(ctx.seen, error);
  ctx.indentation += 4;
  const text = formatValue(ctx, stack, level);
  ctx.indentation -= 4;
  ctx.seen.length--;
  return `${ErrorPrototypeToString(error)}\n    ${text}`;
}

/**
 * @param {Context} ctx
 * @param {any} error
 * @param {PropertyKey[]} keys
 * @param {string} stack
 */
function removeRepeatedKeys(ctx, error, keys, stack) {
  if (ctx.showHidden || keys.length === 0) return;
  removeRepeatedKey(error, keys, stack, 'name');
  removeRepeatedKey(error, keys, stack, 'message');
  removeRepeatedKey(error, keys, stack, 'stack');
}

/**
 * @param {any} error
 * @param {PropertyKey[]} keys
 * @param {string} stack
 * @param {string} key
 */
function removeRepeatedKey(error, keys, stack, key) {
  const index = ArrayPrototypeIndexOf(keys, key);
  if (index === -1) return;
  const value = error[key];
  if (typeof value === 'string' && !StringPrototypeIncludes(stack, value)) return;
  for (let i = index + 1; i < keys.length; i++) keys[i - 1] = keys[i];
  keys.length--;
}

/**
 * The stack begins with the `name` the error had; the class may be another, or missing.
 *
 * @param {string} stack
 * @param {string | null} constructor
 * @param {string} name
 * @param {string} tag
 * @returns {string}
 */
function withClassName(stack, constructor, name, tag) {
  let { length } = name;
  const headed = StringPrototypeEndsWith(name, 'Error') && StringPrototypeStartsWith(stack, name)
    && (stack.length === length || stack[length] === ':' || stack[length] === '\n');
  if (constructor !== null && !headed) return stack;
  let fallback = 'Error';
  if (constructor === null) {
    const head = RegExpPrototypeExec(stackHead, stack) ?? RegExpPrototypeExec(bareHead, stack);
    const found = head === null ? '' : head[1];
    length = found.length;
    if (found !== '') fallback = found;
  }
  const label = StringPrototypeSlice(prefix(constructor, tag, fallback), 0, -1);
  if (name === label) return stack;
  const rest = StringPrototypeSlice(stack, length);
  if (!StringPrototypeIncludes(label, name)) return `${label} [${name}]${rest}`;
  return length === 0 ? `${label}: ${stack}` : `${label}${rest}`;
}

/**
 * @param {Context} ctx
 * @param {any} error
 * @param {string[]} frames
 * @returns {string[]} without the frames that the cause's trace, or an earlier frame, shows already
 */
function visibleFrames(ctx, error, frames) {
  const cause = ownValue(error, 'cause');
  if (isError(cause) && typeof cause.stack === 'string') {
    const start = StringPrototypeIndexOf(cause.stack, '\n    at');
    if (start !== -1) {
      const common = overlap(frames, splitLines(StringPrototypeSlice(cause.stack, start + 1)));
      if (common.length >= MIN_OVERLAP) {
        const skipped = common.length - 2;
        const note = ctx.stylize(`    ... ${skipped} lines matching cause stack trace ...`, 'undefined');
        return replaceRange(frames, common.offset + 1, skipped, note);
      }
    }
  }
  return collapseRepeats(ctx, frames);
}

/**
 * @param {string[]} frames
 * @param {number} start
 * @param {number} count
 * @param {string} note
 * @returns {string[]}
 */
function replaceRange(frames, start, count, note) {
  /** @type {string[]} */
  const result = [];
  for (let i = 0; i < frames.length; i++) {
    if (i === start) ArrayPrototypePush(result, note);
    if (i < start || i >= start + count) ArrayPrototypePush(result, frames[i]);
  }
  return result;
}

/**
 * @param {string[]} frames
 * @param {string[]} others
 * @returns {{ offset: number, length: number }} the first run of frames that is in both
 */
function overlap(frames, others) {
  for (let i = 0; i < frames.length - 3; i++) {
    const position = ArrayPrototypeIndexOf(others, frames[i]);
    if (position === -1) continue;
    const rest = MathMin(frames.length - i, others.length - position);
    let length = 1;
    while (length < rest && frames[i + length] === others[position + length]) length++;
    if (length >= MIN_OVERLAP) return { offset: i, length };
  }
  return { offset: 0, length: 0 };
}

/**
 * Deep recursion repeats its frames: one round is shown, and how often it came again.
 *
 * @param {Context} ctx
 * @param {string[]} frames
 * @returns {string[]}
 */
function collapseRepeats(ctx, frames) {
  if (frames.length <= DEFAULT_TRACE) return frames;
  /** @type {string[]} */
  const result = [];
  for (let i = 0; i < frames.length;) {
    const { period, rounds } = repetition(frames, i);
    if (rounds === 0) {
      ArrayPrototypePush(result, frames[i++]);
      continue;
    }
    for (let j = 0; j < period; j++) ArrayPrototypePush(result, frames[i + j]);
    const times = rounds === 1 ? 'lines ' : `${period} lines ${rounds} times`;
    const note = `    ... collapsed ${period * rounds} duplicate lines matching above ${times}...`;
    ArrayPrototypePush(result, ctx.stylize(note, 'undefined'));
    i += period * (rounds + 1);
  }
  return result;
}

/**
 * @param {string[]} frames
 * @param {number} start
 * @returns {{ period: number, rounds: number }} the shortest period that repeats often enough
 */
function repetition(frames, start) {
  for (let period = 1; start + period * 2 <= frames.length; period++) {
    if (frames[start + period] !== frames[start]) continue;
    let same = 0;
    while (start + period + same < frames.length && frames[start + period + same] === frames[start + same]) same++;
    const rounds = (same - (same % period)) / period;
    if (period * rounds >= MIN_REPEATED) return { period, rounds };
  }
  return { period: 0, rounds: 0 };
}

/**
 * @param {Context} ctx
 * @param {string} frame
 * @returns {string} the runtime's own frames in grey, names of packages underlined
 */
function colourFrame(ctx, frame) {
  if (RegExpPrototypeExec(internalFrame, frame) !== null) return ctx.stylize(frame, 'undefined');
  let result = '';
  let copied = 0;
  packageFolder.lastIndex = 0;
  for (;;) {
    const match = RegExpPrototypeExec(packageFolder, frame);
    if (match === null) break;
    const name = match.index + '/node_modules/'.length;
    const end = packageFolder.lastIndex;
    result += StringPrototypeSlice(frame, copied, name) + ctx.stylize(StringPrototypeSlice(frame, name, end), 'module');
    copied = end;
  }
  return result + StringPrototypeSlice(frame, copied);
}
