// @ts-check
// Console §2.2 "formatter": printf-like specifiers, then the remaining arguments.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { isBuiltInName } from './built_ins.js';
import { isError } from './errors.js';
import { Kind } from './kinds.js';
import { createContext, stylizeNoColor } from './options.js';
import { ownValue } from './own.js';
import { formatBigInt, formatNumber } from './strings.js';
import { formatValue } from './value.js';

const {
  JSONStringify,
  Number,
  ObjectGetPrototypeOf,
  ObjectPrototypeHasOwnProperty,
  String,
  StringPrototypeCharCodeAt,
  StringPrototypeIndexOf,
  StringPrototypeSlice,
  SymbolToPrimitive,
  TypeErrorPrototype,
  ObjectPrototypeIsPrototypeOf,
  parseFloat,
  parseInt,
} = primordials;

const PERCENT = 0x25;
const IN_TEXT = { __proto__: null, depth: 0, colors: false, compact: 3 };
const IN_FULL = { __proto__: null, showHidden: true, showProxy: true, depth: 4 };

/**
 * @param {any} value
 * @param {any} options
 * @param {any} [overrides]
 * @returns {string}
 */
function inspectWith(value, options, overrides) {
  return formatValue(createContext({ ...options, ...overrides }), value, 0);
}

/**
 * @param {number} value
 * @param {any} options
 * @returns {string}
 */
function numberText(value, options) {
  return formatNumber(stylizeNoColor, value, options?.numericSeparator === true);
}

/**
 * @param {bigint} value
 * @param {any} options
 * @returns {string}
 */
function bigintText(value, options) {
  return formatBigInt(stylizeNoColor, value, options?.numericSeparator === true);
}

/**
 * @param {any} value an object
 * @returns {boolean} a script has given it, or its class, a conversion to string: that is what it wants shown
 */
function hasOwnConversion(value) {
  let object = value;
  while (ops.valueKind(object) === Kind.PROXY) {
    object = ops.proxyDetails(object)?.[0];
    if (object === null || object === undefined) return false;
  }
  if (typeof object.toString !== 'function') return typeof object[SymbolToPrimitive] === 'function';
  if (ObjectPrototypeHasOwnProperty(object, 'toString') || ObjectPrototypeHasOwnProperty(object, SymbolToPrimitive)) {
    return true;
  }
  for (let owner = object; owner !== null; owner = ObjectGetPrototypeOf(owner)) {
    if (!ObjectPrototypeHasOwnProperty(owner, 'toString') && !ObjectPrototypeHasOwnProperty(owner, SymbolToPrimitive)) {
      continue;
    }
    const constructor = ownValue(owner, 'constructor');
    return typeof constructor !== 'function' || !isBuiltInName(constructor.name);
  }
  return false;
}

/**
 * @param {any} value
 * @param {any} options
 * @returns {string}
 */
function formatText(value, options) {
  if (typeof value === 'number') return numberText(value, options);
  if (typeof value === 'bigint') return bigintText(value, options);
  if (typeof value !== 'object' || value === null || hasOwnConversion(value)) return String(value);
  return inspectWith(value, options, IN_TEXT);
}

/**
 * @param {any} value
 * @param {any} options
 * @param {(value: any) => number} convert
 * @param {boolean} objects whether objects may be converted
 * @returns {string}
 */
function formatNumeric(value, options, convert, objects) {
  if (typeof value === 'bigint') return bigintText(value, options);
  if (typeof value === 'symbol' || (!objects && typeof value === 'object' && value !== null)) return 'NaN';
  return numberText(convert(value), options);
}

/**
 * @param {any} value
 * @returns {string}
 */
function formatJson(value) {
  try {
    return `${JSONStringify(value)}`;
  } catch (error) {
    // The engine has no other mark for a cycle than its message; what a script's toJSON throws is the script's.
    if (isCycleError(error)) return '[Circular]';
    throw error;
  }
}

/**
 * @param {any} error
 * @returns {boolean}
 */
function isCycleError(error) {
  if (!isError(error) || !ObjectPrototypeIsPrototypeOf(TypeErrorPrototype, error)) return false;
  const message = ownValue(error, 'message');
  return typeof message === 'string' && StringPrototypeIndexOf(message, 'circular structure') !== -1;
}

/**
 * @param {number} specifier code unit behind the percent sign
 * @param {any} value
 * @param {any} options
 * @returns {string | undefined} undefined for what is no specifier
 */
function substitute(specifier, value, options) {
  switch (specifier) {
    case 0x73: return formatText(value, options); // s
    case 0x64: return formatNumeric(value, options, Number, true); // d
    case 0x69: return formatNumeric(value, options, parseInt, false); // i
    case 0x66: // f
      return typeof value === 'symbol' ? 'NaN' : numberText(parseFloat(value), options);
    case 0x6a: return formatJson(value); // j
    case 0x4f: return inspectWith(value, options); // O
    case 0x6f: return inspectWith(value, options, IN_FULL); // o
    case 0x63: return ''; // c: CSS has no meaning on a terminal
    default: return undefined;
  }
}

/**
 * @param {any} options
 * @param {any[]} args the first may be a format
 * @returns {string}
 */
export function formatArguments(options, args) {
  if (args.length === 0) return '';
  const first = args[0];
  if (args.length === 1) return typeof first === 'string' ? first : inspectWith(first, options);
  let result = '';
  let used = 0;
  if (typeof first === 'string') {
    used = 1;
    let copied = 0;
    for (let i = 0; i < first.length - 1; i++) {
      if (StringPrototypeCharCodeAt(first, i) !== PERCENT) continue;
      const specifier = StringPrototypeCharCodeAt(first, i + 1);
      let text;
      if (specifier === PERCENT) text = '%';
      else if (used < args.length) text = substitute(specifier, args[used], options);
      if (text === undefined) continue;
      if (specifier !== PERCENT) used++;
      result += StringPrototypeSlice(first, copied, i) + text;
      i++;
      copied = i + 1;
    }
    result += StringPrototypeSlice(first, copied);
  }
  for (let i = used; i < args.length; i++) {
    if (i > 0) result += ' ';
    result += typeof args[i] === 'string' ? args[i] : inspectWith(args[i], options);
  }
  return result;
}

/**
 * @param {...any} args
 * @returns {string}
 */
export function format(...args) {
  return formatArguments(undefined, args);
}

/**
 * @param {import('./options.js').InspectOptions} options
 * @param {...any} args
 * @returns {string}
 */
export function formatWithOptions(options, ...args) {
  return formatArguments(options, args);
}
