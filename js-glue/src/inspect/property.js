// @ts-check
// Which properties are shown, and one property as `name: value`.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { exceedsLine, Shape } from './layout.js';
import { isData } from './own.js';
import { escapeText, formatPrimitive, isIdentifier, quote, spaces } from './strings.js';
import { formatValue } from './value.js';

const {
  ArrayPrototypePush,
  FunctionPrototypeCall,
  ObjectGetOwnPropertyDescriptor,
  ObjectGetOwnPropertyNames,
  ObjectGetOwnPropertySymbols,
  ObjectKeys,
  ObjectPrototypePropertyIsEnumerable,
  SymbolPrototypeToString,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

/**
 * @param {any} value
 * @param {boolean} showHidden
 * @returns {PropertyKey[]} names, then symbols
 */
export function ownKeys(value, showHidden) {
  let keys;
  if (showHidden) {
    keys = ObjectGetOwnPropertyNames(value);
  } else {
    try {
      keys = ObjectKeys(value);
    } catch {
      // A module namespace with a binding in its dead zone refuses to say which keys are enumerable (ECMA-262
      // §10.4.6.5): all of them are.
      keys = ObjectGetOwnPropertyNames(value);
    }
  }
  const symbols = ObjectGetOwnPropertySymbols(value);
  for (let i = 0; i < symbols.length; i++) {
    if (showHidden || ObjectPrototypePropertyIsEnumerable(value, symbols[i])) ArrayPrototypePush(keys, symbols[i]);
  }
  return keys;
}

/**
 * The host leaves indices out, so that a list of millions does not become millions of strings.
 *
 * @param {any} list an array or typed array
 * @param {boolean} showHidden
 * @returns {PropertyKey[]}
 */
export function nonIndexKeys(list, showHidden) {
  return ops.ownNonIndexProperties(list, !showHidden);
}

/**
 * @param {Context} ctx
 * @param {PropertyKey} key
 * @param {boolean} enumerable
 * @returns {string}
 */
export function formatName(ctx, key, enumerable) {
  const name = nameText(ctx, key);
  return enumerable ? name : `[${name}]`;
}

/**
 * @param {Context} ctx
 * @param {PropertyKey} key
 * @returns {string}
 */
function nameText(ctx, key) {
  if (typeof key === 'symbol') return ctx.stylize(escapeText(SymbolPrototypeToString(key), false), 'symbol');
  const text = `${key}`;
  // Written so that it would, as source, make a property and not set the prototype.
  if (text === '__proto__') return "['__proto__']";
  return isIdentifier(text) ? ctx.stylize(text, 'name') : ctx.stylize(quote(text), 'string');
}

/**
 * @param {Context} ctx
 * @param {string} name an accessor of the prototype, shown with the object as if it were its property
 * @returns {string}
 */
export function formatInternalName(ctx, name) {
  return ctx.stylize(`[${name}]`, 'string');
}

/**
 * @param {Context} ctx
 * @param {any} owner the object the property is read from
 * @param {number} level
 * @param {any} key
 * @param {number} shape
 * @param {PropertyDescriptor} [known]
 * @param {any} [receiver] `this` of a getter, when the property is inherited
 * @returns {string}
 */
export function formatProperty(ctx, owner, level, key, shape, known, receiver = owner) {
  const descriptor = known ?? ObjectGetOwnPropertyDescriptor(owner, key)
    ?? { __proto__: null, value: owner[key], enumerable: true };
  let text;
  let gap = ' ';
  if (isData(descriptor)) {
    const indent = ctx.compact !== true || shape !== Shape.OBJECT ? 2 : 3;
    ctx.indentation += indent;
    text = formatValue(ctx, descriptor.value, level);
    if (indent === 3 && exceedsLine(ctx, text)) gap = `\n${spaces(ctx.indentation)}`;
    ctx.indentation -= indent;
  } else if (descriptor.get !== undefined) {
    text = formatGetter(ctx, descriptor, level, receiver);
  } else if (descriptor.set !== undefined) {
    text = ctx.stylize('[Setter]', 'special');
  } else {
    text = ctx.stylize('undefined', 'undefined');
  }
  if (shape === Shape.ARRAY_ITEM) return text;
  return `${formatName(ctx, key, descriptor.enumerable !== false)}:${gap}${text}`;
}

/**
 * @param {Context} ctx
 * @param {PropertyDescriptor} descriptor
 * @param {number} level
 * @param {any} receiver
 * @returns {string}
 */
function formatGetter(ctx, descriptor, level, receiver) {
  const { stylize, getters } = ctx;
  const hasSetter = descriptor.set !== undefined;
  const label = hasSetter ? 'Getter/Setter' : 'Getter';
  const wanted = getters === true || (getters === 'get' && !hasSetter) || (getters === 'set' && hasSetter);
  if (!wanted) return stylize(`[${label}]`, 'special');
  ctx.indentation += 2;
  let text;
  try {
    const value = FunctionPrototypeCall(descriptor.get, receiver);
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
      text = `${stylize(`[${label}]`, 'special')} ${formatValue(ctx, value, level)}`;
    } else {
      text = `${stylize(`[${label}:`, 'special')} ${formatPrimitive(stylize, value, ctx)}${stylize(']', 'special')}`;
    }
  } catch (error) {
    const thrown = `<Inspection threw (${formatValue(ctx, error, level)})>`;
    text = `${stylize(`[${label}:`, 'special')} ${thrown}${stylize(']', 'special')}`;
  }
  ctx.indentation -= 2;
  return text;
}
