// @ts-check
// What an inspection may be told, and the state it carries while it runs.

import { primordials } from '../primordials.js';

const {
  ObjectCreate,
  ObjectDefineProperty,
  ObjectKeys,
  ObjectPrototypeHasOwnProperty,
  ObjectSetPrototypeOf,
  SymbolFor,
  TypeError,
} = primordials;

/** The key of an object's own inspection method, shared with Node. @type {symbol} */
export const inspectCustom = SymbolFor('nodejs.util.inspect.custom');

/**
 * @typedef {object} InspectOptions
 * @property {boolean} [showHidden] also non-enumerable properties, prototype members, weak entries
 * @property {number | null} [depth] levels to descend; null means all
 * @property {boolean} [colors] ANSI colours
 * @property {boolean} [customInspect] honour `Symbol.for('nodejs.util.inspect.custom')`
 * @property {boolean} [showProxy] show a proxy's target and handler
 * @property {number | null} [maxArrayLength] entries shown of each list; null means all
 * @property {number | null} [maxStringLength] code units shown of each string; null means all
 * @property {number} [breakLength] columns after which a value is split over lines
 * @property {boolean | number} [compact] innermost levels put on one line
 * @property {boolean | ((a: string, b: string) => number)} [sorted] order of the properties
 * @property {boolean | 'get' | 'set'} [getters] call getters and show what they return
 * @property {boolean} [numericSeparator] group digits by underscores
 * @property {(text: string, style: string) => string} [stylize]
 */

/**
 * The state of one call. `indentation` is the column new lines start at, `seen` the objects being formatted from the
 * outermost inwards, `currentDepth` the level entered last (so that a caller can tell how deep its children went),
 * `budget` the text produced per indentation.
 *
 * @typedef {object} Context
 * @property {any} showHidden
 * @property {any} depth
 * @property {any} colors
 * @property {any} customInspect
 * @property {any} showProxy
 * @property {any} maxArrayLength
 * @property {any} maxStringLength
 * @property {any} breakLength
 * @property {any} compact
 * @property {any} sorted
 * @property {any} getters
 * @property {any} numericSeparator
 * @property {(text: string, style: string) => string} stylize
 * @property {number} indentation
 * @property {object[]} seen
 * @property {number} currentDepth
 * @property {Record<number, number>} budget
 * @property {any} circular SafeMap from object to reference number, made at the first cycle
 * @property {any} userOptions options that are not ours, handed on to custom inspection methods
 */

/** The order is the one in which custom inspection methods see the options. @type {Record<string, any>} */
const defaultOptions = {
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10_000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
};
const optionNames = ObjectKeys(defaultOptions);

/** @returns {Record<string, any>} the live defaults: a script may assign to them, as in Node */
export function getDefaultOptions() {
  return defaultOptions;
}

/** @param {any} options merged into the defaults */
export function setDefaultOptions(options) {
  if (options === null || typeof options !== 'object') {
    throw new TypeError('inspect.defaultOptions must be an object');
  }
  const keys = ObjectKeys(options);
  for (let i = 0; i < keys.length; i++) defaultOptions[keys[i]] = options[keys[i]];
}

/** Style name → colour name, or a function that colours the text itself. @type {Record<string, any>} */
export const styles = {
  __proto__: null,
  special: 'cyan',
  number: 'yellow',
  bigint: 'yellow',
  boolean: 'yellow',
  undefined: 'grey',
  null: 'bold',
  string: 'green',
  symbol: 'green',
  date: 'magenta',
  regexp: 'red',
  module: 'underline',
};

/** Colour name → SGR codes that switch it on and off (ECMA-48 §8.3.117). @type {Record<string, number[]>} */
export const colors = ObjectCreate(null);

/**
 * @param {string} name
 * @param {number} on
 * @param {number} off
 * @param {string} [alias]
 */
function defineColour(name, on, off, alias) {
  colors[name] = [on, off];
  if (alias === undefined) return;
  // An alias follows its colour when a script reassigns either, and is not listed.
  ObjectDefineProperty(colors, alias, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get: () => colors[name],
    set(/** @type {number[]} */ value) {
      colors[name] = value;
    },
  });
}

defineColour('reset', 0, 0);
defineColour('bold', 1, 22);
defineColour('dim', 2, 22, 'faint');
defineColour('italic', 3, 23);
defineColour('underline', 4, 24);
defineColour('blink', 5, 25);
defineColour('inverse', 7, 27, 'swapcolors');
defineColour('hidden', 8, 28, 'conceal');
defineColour('strikethrough', 9, 29, 'strikeThrough');
defineColour('doubleunderline', 21, 24, 'doubleUnderline');
const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const backgrounds = ['bgBlack', 'bgRed', 'bgGreen', 'bgYellow', 'bgBlue', 'bgMagenta', 'bgCyan', 'bgWhite'];
for (let i = 0; i < hues.length; i++) defineColour(hues[i], 30 + i, 39);
for (let i = 0; i < hues.length; i++) defineColour(backgrounds[i], 40 + i, 49);
defineColour('framed', 51, 54);
defineColour('overlined', 53, 55);
defineColour('gray', 90, 39, 'grey');
for (let i = 1; i < hues.length; i++) defineColour(`${hues[i]}Bright`, 90 + i, 39);
defineColour('bgGray', 100, 49, 'bgGrey');
for (let i = 1; i < hues.length; i++) defineColour(`${backgrounds[i]}Bright`, 100 + i, 49);

/**
 * @param {string} text
 * @param {string} style
 * @returns {string}
 */
function stylizeWithColor(text, style) {
  const chosen = styles[style];
  if (typeof chosen === 'function') return chosen(text);
  const codes = chosen === undefined ? undefined : colors[chosen];
  return codes === undefined ? text : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
}

/**
 * @param {string} text
 * @param {string} [_style]
 * @returns {string}
 */
export function stylizeNoColor(text, _style) {
  return text;
}

/**
 * A fresh context: the defaults, under `base` (what the caller fixes), under `options`.
 *
 * @param {any} [options]
 * @returns {Context}
 */
export function createContext(options) {
  /** @type {any} */
  const ctx = {
    __proto__: null,
    indentation: 0,
    seen: [],
    currentDepth: 0,
    budget: ObjectCreate(null),
    circular: undefined,
    userOptions: undefined,
    stylize: stylizeNoColor,
  };
  for (let i = 0; i < optionNames.length; i++) ctx[optionNames[i]] = defaultOptions[optionNames[i]];
  if (options !== null && typeof options === 'object') {
    const keys = ObjectKeys(options);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (ObjectPrototypeHasOwnProperty(defaultOptions, key) || key === 'stylize') ctx[key] = options[key];
      else if (ctx.userOptions === undefined) ctx.userOptions = options;
    }
  }
  if (ctx.colors) ctx.stylize = stylizeWithColor;
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
  return ctx;
}

/**
 * The options as a custom inspection method receives them: plain data, so that it can call `inspect` again with them.
 *
 * @param {Context} ctx
 * @param {boolean} isolated the object is not this realm's own (a proxy, no Object.prototype): hand it nothing from
 *   which it could reach this realm's intrinsics
 * @returns {any}
 */
export function optionsForCustom(ctx, isolated) {
  /** @type {any} */
  const options = isolated ? ObjectCreate(null) : {};
  options.stylize = isolated ? isolatedStylize(ctx) : ctx.stylize;
  for (let i = 0; i < optionNames.length; i++) options[optionNames[i]] = /** @type {any} */ (ctx)[optionNames[i]];
  if (ctx.userOptions !== undefined) {
    const keys = ObjectKeys(ctx.userOptions);
    for (let i = 0; i < keys.length; i++) {
      const value = ctx.userOptions[keys[i]];
      // `stylize` stays ours: a caller's own one was adopted by the context already.
      if (keys[i] === 'stylize') continue;
      if (isolated && ((typeof value === 'object' && value !== null) || typeof value === 'function')) continue;
      options[keys[i]] = value;
    }
  }
  return options;
}

/** @param {Context} ctx */
function isolatedStylize(ctx) {
  return ObjectSetPrototypeOf(
    (/** @type {unknown} */ text, /** @type {unknown} */ style) => ctx.stylize(`${text}`, `${style}`),
    null,
  );
}
