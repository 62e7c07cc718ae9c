// @ts-check
// The recursion: any value to text. What differs by kind is in the neighbouring files.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { describe, emptyText } from './describe.js';
import { accessorsOf } from './filtered.js';
import { Kind } from './kinds.js';
import { combine, Shape } from './layout.js';
import { constructorName, placeholder, toStringTag } from './names.js';
import { inspectCustom, optionsForCustom } from './options.js';
import { ownValue } from './own.js';
import { formatProperty } from './property.js';
import { formatPrimitive, indentLines } from './strings.js';

const {
  ArrayPrototypeIncludes,
  ArrayPrototypePush,
  ArrayPrototypeSort,
  FunctionPrototypeCall,
  ObjectPrototype,
  ObjectPrototypeIsPrototypeOf,
  RangeErrorPrototype,
  SafeMap,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

/** Text produced at one indentation after which only the top level goes on: a guard for the process's memory. */
const MAX_OUTPUT = 2 ** 27;

/** `inspect`, which custom methods receive; set by inspect.js, which imports this file. @type {any} */
let inspectFunction;

/** @param {Function} inspect */
export function setInspectFunction(inspect) {
  inspectFunction = inspect;
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {number} level how many objects this value is inside
 * @param {boolean} [bytesShown] an ArrayBuffer whose bytes the caller has shown
 * @returns {string}
 */
export function formatValue(ctx, value, level, bytesShown = false) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return formatPrimitive(ctx.stylize, value, ctx);
  }
  const kind = ops.valueKind(value);
  let target = value;
  let proxies = 0;
  if (kind === Kind.PROXY) {
    // Looked through by the engine: none of the handlers' traps runs.
    for (let details = ops.proxyDetails(value); details !== undefined; details = ops.proxyDetails(target)) {
      if (details[0] === null) return wrapProxy(ctx, ctx.stylize('<Revoked Proxy>', 'special'), proxies);
      if (ctx.showProxy) return formatProxy(ctx, details[0], details[1], level);
      target = details[0];
      proxies++;
    }
  }

  let accessors;
  if (ctx.customInspect) {
    const custom = target[inspectCustom];
    if (typeof custom === 'function' && custom !== inspectFunction && !isOwnPrototype(target)) {
      accessors = accessorsOf(custom);
      if (accessors === undefined) {
        const isolated = proxies !== 0 || !ObjectPrototypeIsPrototypeOf(ObjectPrototype, value);
        const depth = ctx.depth === null ? null : ctx.depth - level;
        const options = optionsForCustom(ctx, isolated);
        const result = FunctionPrototypeCall(custom, value, depth, options, inspectFunction);
        if (result !== value) {
          return typeof result === 'string' ? indentLines(result, ctx.indentation) : formatValue(ctx, result, level);
        }
      }
    }
  }

  if (ArrayPrototypeIncludes(ctx.seen, target)) {
    return ctx.stylize(`[Circular *${reference(ctx, target)}]`, 'special');
  }
  const text = formatObject(ctx, target, proxies === 0 ? kind : ops.valueKind(target), level, bytesShown, accessors);
  return wrapProxy(ctx, text, proxies);
}

/**
 * @param {any} value
 * @returns {boolean} it is the `prototype` of its own `constructor`: its methods are not meant for itself
 */
function isOwnPrototype(value) {
  const constructor = ownValue(value, 'constructor');
  return typeof constructor === 'function' && constructor.prototype === value;
}

/**
 * @param {Context} ctx
 * @param {object} value
 * @returns {number} the number that marks the value where it first appears
 */
function reference(ctx, value) {
  if (ctx.circular === undefined) ctx.circular = new SafeMap();
  let index = ctx.circular.get(value);
  if (index === undefined) {
    index = ctx.circular.size + 1;
    ctx.circular.set(value, index);
  }
  return index;
}

/**
 * @param {Context} ctx
 * @param {string} text
 * @param {number} layers
 * @returns {string}
 */
function wrapProxy(ctx, text, layers) {
  let wrapped = text;
  for (let i = 0; i < layers; i++) {
    wrapped = `${ctx.stylize('Proxy(', 'special')}${wrapped}${ctx.stylize(')', 'special')}`;
  }
  return wrapped;
}

/**
 * @param {Context} ctx
 * @param {any} target
 * @param {any} handler
 * @param {number} level
 * @returns {string}
 */
function formatProxy(ctx, target, handler, level) {
  if (ctx.depth !== null && level > ctx.depth) return ctx.stylize('Proxy [Array]', 'special');
  ctx.indentation += 2;
  const output = [formatValue(ctx, target, level + 1), formatValue(ctx, handler, level + 1)];
  ctx.indentation -= 2;
  return combine(ctx, output, '', ['Proxy [', ']'], Shape.ARRAY, level + 1);
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {number} kind
 * @param {number} level
 * @param {boolean} bytesShown
 * @param {string[] | undefined} accessors of a host class: shown as its properties
 * @returns {string}
 */
function formatObject(ctx, value, kind, level, bytesShown, accessors) {
  const tooDeep = ctx.depth !== null && level > ctx.depth;
  /** @type {string[] | undefined} */
  const inherited = ctx.showHidden && !tooDeep && accessors === undefined ? [] : undefined;
  const constructor = constructorName(ctx, value, level, inherited);
  const tag = toStringTag(ctx, value);
  const parts = describe(ctx, value, kind, constructor, tag, level, bytesShown);
  const { keys, braces, shape } = parts;
  if (keys.length === 0 && !inherited?.length && accessors === undefined) {
    const text = emptyText(ctx, parts);
    if (text !== undefined) return text;
  }
  if (tooDeep) {
    const text = parts.oneLine ? emptyText(ctx, parts) : undefined;
    return text ?? placeholder(ctx, value, constructor, tag);
  }

  const inner = level + 1;
  ctx.currentDepth = inner;
  const { indentation } = ctx;
  const outside = ctx.seen.length;
  ArrayPrototypePush(ctx.seen, value);
  let output;
  try {
    output = parts.entries === undefined ? [] : parts.entries(inner);
    if (accessors !== undefined) pushAccessors(ctx, output, value, accessors, inner);
    for (let i = 0; i < keys.length; i++) {
      ArrayPrototypePush(output, formatProperty(ctx, value, inner, keys[i], shape));
    }
    if (inherited !== undefined) {
      for (let i = 0; i < inherited.length; i++) ArrayPrototypePush(output, inherited[i]);
    }
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    ctx.seen.length = outside;
    ctx.indentation = indentation;
    const name = constructor ?? 'Object: null prototype';
    return ctx.stylize(`[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
  }
  ctx.seen.length = outside;
  // A host class's prototype has its accessors, but no values for them.
  if (accessors !== undefined && output.length === 0) return `${braces[0]}${braces[1]}`;

  let { base } = parts;
  const index = ctx.circular?.get(value);
  if (index !== undefined) {
    const mark = ctx.stylize(`<ref *${index}>`, 'special');
    if (ctx.compact === true) braces[0] = `${mark} ${braces[0]}`;
    else base = base === '' ? mark : `${mark} ${base}`;
  }
  if (ctx.sorted) sortOutput(ctx, output, shape, keys.length);
  const text = combine(ctx, output, base, braces, shape, inner, value);
  const produced = (ctx.budget[ctx.indentation] ?? 0) + text.length;
  ctx.budget[ctx.indentation] = produced;
  if (produced > MAX_OUTPUT) ctx.depth = -1;
  return text;
}

/**
 * @param {Context} ctx
 * @param {string[]} output
 * @param {any} value
 * @param {string[]} names
 * @param {number} level
 */
function pushAccessors(ctx, output, value, names, level) {
  for (let i = 0; i < names.length; i++) {
    /** @type {any} */
    const descriptor = { __proto__: null, enumerable: true };
    try {
      descriptor.value = value[names[i]];
    } catch {
      continue; // Not an instance: it only inherits from the class.
    }
    ArrayPrototypePush(output, formatProperty(ctx, value, level, names[i], Shape.OBJECT, descriptor));
  }
}

/**
 * @param {Context} ctx
 * @param {string[]} output
 * @param {number} shape
 * @param {number} properties how many of the last entries are properties: only those of a list are sorted
 */
function sortOutput(ctx, output, shape, properties) {
  const comparator = ctx.sorted === true ? undefined : ctx.sorted;
  if (shape === Shape.OBJECT) {
    ArrayPrototypeSort(output, comparator);
    return;
  }
  const start = output.length - properties;
  /** @type {string[]} */
  const tail = [];
  for (let i = start; i < output.length; i++) ArrayPrototypePush(tail, output[i]);
  ArrayPrototypeSort(tail, comparator);
  for (let i = 0; i < tail.length; i++) output[start + i] = tail[i];
}

/**
 * @param {any} error
 * @returns {boolean}
 */
function isStackOverflow(error) {
  return error !== null && typeof error === 'object' && ObjectPrototypeIsPrototypeOf(RangeErrorPrototype, error)
    && ownValue(error, 'message') === 'Maximum call stack size exceeded';
}
