// @ts-check
// The entries of lists, maps, sets, iterators, buffers, promises and module namespaces.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { combine, Shape } from './layout.js';
import { formatInternalName, formatName, formatProperty } from './property.js';
import { formatBigInt, formatNumber, plural } from './strings.js';
import { formatValue } from './value.js';

const {
  ArrayPrototypePush,
  MapPrototypeForEach,
  MathMax,
  MathMin,
  NumberPrototypeToString,
  ObjectKeys,
  ObjectPrototypeHasOwnProperty,
  RegExpPrototypeExec,
  SetPrototypeForEach,
  TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetByteLength,
  TypedArrayPrototypeGetByteOffset,
  TypedArrayPrototypeGetLength,
  Uint8Array,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

const arrayIndex = /^(?:0|[1-9][0-9]*)$/;
const MAX_INDEX = 2 ** 32 - 2; // ECMA-262 §6.1.7: the largest array index
const PROMISE_PENDING = 0;
const PROMISE_REJECTED = 2;

/**
 * @param {Context} ctx
 * @param {number} size
 * @returns {number} how many entries to show
 */
function shown(ctx, size) {
  return MathMin(MathMax(0, ctx.maxArrayLength), size);
}

/**
 * @param {string[]} output
 * @param {number} remaining
 */
function pushRemaining(output, remaining) {
  if (remaining > 0) ArrayPrototypePush(output, `... ${remaining} more item${plural(remaining)}`);
}

/**
 * @param {Context} ctx
 * @param {any[]} array
 * @param {number} level
 * @returns {string[]}
 */
export function formatArray(ctx, array, level) {
  const { length } = array;
  const count = shown(ctx, length);
  /** @type {string[]} */
  const output = [];
  for (let i = 0; i < count; i++) {
    if (!ObjectPrototypeHasOwnProperty(array, i)) return formatSparse(ctx, array, level, count, output, i);
    ArrayPrototypePush(output, formatProperty(ctx, array, level, i, Shape.ARRAY_ITEM));
  }
  pushRemaining(output, length - count);
  return output;
}

/**
 * From the first hole on: a run of holes is one entry, and keys are visited instead of indices, since the length may be
 * far beyond what is there.
 *
 * @param {Context} ctx
 * @param {any[]} array
 * @param {number} level
 * @param {number} count entries to show
 * @param {string[]} output entries before the first hole
 * @param {number} first index of the first hole
 * @returns {string[]}
 */
function formatSparse(ctx, array, level, count, output, first) {
  const keys = ObjectKeys(array);
  let index = first;
  for (let i = first; i < keys.length && output.length < count; i++) {
    const key = keys[i];
    if (RegExpPrototypeExec(arrayIndex, key) === null || +key > MAX_INDEX) break;
    if (+key !== index) {
      pushHoles(ctx, output, +key - index);
      index = +key;
      if (output.length === count) break;
    }
    ArrayPrototypePush(output, formatProperty(ctx, array, level, key, Shape.ARRAY_ITEM));
    index++;
  }
  const remaining = array.length - index;
  if (output.length === count) pushRemaining(output, remaining);
  else if (remaining > 0) pushHoles(ctx, output, remaining);
  return output;
}

/**
 * @param {Context} ctx
 * @param {string[]} output
 * @param {number} count
 */
function pushHoles(ctx, output, count) {
  ArrayPrototypePush(output, ctx.stylize(`<${count} empty item${plural(count)}>`, 'undefined'));
}

/**
 * @param {Context} ctx
 * @param {any} array
 * @param {number} level
 * @returns {string[]}
 */
export function formatTypedArray(ctx, array, level) {
  const length = TypedArrayPrototypeGetLength(array);
  const count = shown(ctx, length);
  /** @type {string[]} */
  const output = [];
  for (let i = 0; i < count; i++) {
    const item = array[i];
    ArrayPrototypePush(output, typeof item === 'bigint'
      ? formatBigInt(ctx.stylize, item, ctx.numericSeparator)
      : formatNumber(ctx.stylize, item, ctx.numericSeparator));
  }
  pushRemaining(output, length - count);
  if (ctx.showHidden) {
    ctx.indentation += 2;
    const byteLength = TypedArrayPrototypeGetByteLength(array);
    pushHidden(ctx, output, level, 'BYTES_PER_ELEMENT', array.BYTES_PER_ELEMENT);
    pushHidden(ctx, output, level, 'length', length);
    pushHidden(ctx, output, level, 'byteLength', byteLength);
    pushHidden(ctx, output, level, 'byteOffset', TypedArrayPrototypeGetByteOffset(array));
    // The elements were just shown: the buffer's bytes would repeat them.
    pushHidden(ctx, output, level, 'buffer', TypedArrayPrototypeGetBuffer(array));
    ctx.indentation -= 2;
  }
  return output;
}

/**
 * @param {Context} ctx
 * @param {string[]} output
 * @param {number} level
 * @param {string} name
 * @param {any} value
 */
function pushHidden(ctx, output, level, name, value) {
  ArrayPrototypePush(output, `${formatInternalName(ctx, name)}: ${formatValue(ctx, value, level, true)}`);
}

/**
 * @param {Context} ctx
 * @param {any} buffer
 * @returns {string[]}
 */
export function formatArrayBuffer(ctx, buffer) {
  let bytes;
  try {
    bytes = new Uint8Array(buffer);
  } catch {
    return [ctx.stylize('(detached)', 'special')];
  }
  const length = TypedArrayPrototypeGetLength(bytes);
  const count = shown(ctx, length);
  let text = '';
  for (let i = 0; i < count; i++) {
    text += `${i === 0 ? '' : ' '}${bytes[i] < 16 ? '0' : ''}${NumberPrototypeToString(bytes[i], 16)}`;
  }
  const remaining = length - count;
  if (remaining > 0) text += ` ... ${remaining} more byte${plural(remaining)}`;
  return [`${ctx.stylize('[Uint8Contents]', 'special')}: <${text}>`];
}

/**
 * @param {Context} ctx
 * @param {any} set
 * @param {number} size
 * @param {number} level
 * @returns {string[]}
 */
export function formatSet(ctx, set, size, level) {
  const count = shown(ctx, size);
  /** @type {string[]} */
  const output = [];
  let index = 0;
  ctx.indentation += 2;
  SetPrototypeForEach(set, (/** @type {any} */ item) => {
    if (index++ < count) ArrayPrototypePush(output, formatValue(ctx, item, level));
  });
  pushRemaining(output, size - count);
  ctx.indentation -= 2;
  return output;
}

/**
 * @param {Context} ctx
 * @param {any} map
 * @param {number} size
 * @param {number} level
 * @returns {string[]}
 */
export function formatMap(ctx, map, size, level) {
  const count = shown(ctx, size);
  /** @type {string[]} */
  const output = [];
  let index = 0;
  ctx.indentation += 2;
  MapPrototypeForEach(map, (/** @type {any} */ item, /** @type {any} */ key) => {
    if (index++ < count) ArrayPrototypePush(output, formatPair(ctx, key, item, level));
  });
  pushRemaining(output, size - count);
  ctx.indentation -= 2;
  return output;
}

/**
 * @param {Context} ctx
 * @param {any} key
 * @param {any} value
 * @param {number} level
 * @returns {string}
 */
function formatPair(ctx, key, value, level) {
  return `${formatValue(ctx, key, level)} => ${formatValue(ctx, value, level)}`;
}

/**
 * @param {Context} ctx
 * @param {any} value a WeakSet or WeakMap
 * @param {number} level
 * @returns {string[]}
 */
export function formatWeak(ctx, value, level) {
  const preview = ctx.showHidden ? ops.previewEntries(value) : undefined;
  if (preview === undefined) return [ctx.stylize('<items unknown>', 'special')];
  const entries = preview[0];
  const step = preview[1] ? 2 : 1;
  const size = entries.length / step;
  const count = shown(ctx, size);
  /** @type {string[]} */
  const output = [];
  ctx.indentation += 2;
  for (let i = 0; i < count; i++) {
    ArrayPrototypePush(output, step === 2
      ? formatPair(ctx, entries[i * 2], entries[i * 2 + 1], level)
      : formatValue(ctx, entries[i], level));
  }
  ctx.indentation -= 2;
  pushRemaining(output, size - count);
  return output;
}

/**
 * What a Map or Set iterator will still yield; looking does not advance it.
 *
 * @param {Context} ctx
 * @param {any} iterator
 * @param {string[]} braces the opening one is changed when the iterator yields pairs
 * @param {string} kind `Map` or `Set`
 * @param {string} tag the iterator's toStringTag
 * @param {number} level
 * @returns {string[]}
 */
export function formatIterator(ctx, iterator, braces, kind, tag, level) {
  const preview = ops.previewEntries(iterator);
  /** @type {string[]} */
  const output = [];
  if (preview === undefined) return output;
  const entries = preview[0];
  const pairs = preview[1];
  if (pairs) braces[0] = iteratorBrace(kind, 'Entries', tag);
  const size = pairs ? entries.length / 2 : entries.length;
  const count = shown(ctx, size);
  ctx.indentation += 2;
  for (let i = 0; i < count; i++) {
    if (!pairs) {
      ArrayPrototypePush(output, formatValue(ctx, entries[i], level));
      continue;
    }
    const pair = [formatValue(ctx, entries[i * 2], level), formatValue(ctx, entries[i * 2 + 1], level)];
    ArrayPrototypePush(output, combine(ctx, pair, '', ['[', ']'], Shape.ARRAY, level));
  }
  ctx.indentation -= 2;
  pushRemaining(output, size - count);
  return output;
}

/**
 * @param {string} kind
 * @param {string} yields `Iterator` or `Entries`
 * @param {string} tag the iterator's toStringTag
 * @returns {string}
 */
export function iteratorBrace(kind, yields, tag) {
  const own = tag !== '' && tag !== `${kind} Iterator` ? `${tag}] [` : '';
  return `[${own}${kind} ${yields}] {`;
}

/**
 * @param {Context} ctx
 * @param {any} promise
 * @param {number} level
 * @returns {string[]}
 */
export function formatPromise(ctx, promise, level) {
  const details = ops.promiseDetails(promise);
  if (details === undefined || details[0] === PROMISE_PENDING) return [ctx.stylize('<pending>', 'special')];
  ctx.indentation += 2;
  const text = formatValue(ctx, details[1], level);
  ctx.indentation -= 2;
  return [details[0] === PROMISE_REJECTED ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text];
}

/**
 * @param {Context} ctx
 * @param {any} namespace
 * @param {PropertyKey[]} keys
 * @param {number} level
 * @returns {string[]}
 */
export function formatNamespace(ctx, namespace, keys, level) {
  /** @type {string[]} */
  const output = [];
  for (let i = 0; i < keys.length; i++) {
    let text;
    try {
      text = formatProperty(ctx, namespace, level, keys[i], Shape.OBJECT);
    } catch {
      // A binding in its dead zone: asking for its descriptor throws (ECMA-262 §10.4.6.5).
      text = `${formatName(ctx, keys[i], true)}: ${ctx.stylize('<uninitialized>', 'special')}`;
    }
    ArrayPrototypePush(output, text);
  }
  return output;
}
