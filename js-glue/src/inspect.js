// @ts-check
// Any value as text for people: `util.inspect` as it is known from Node.
//
// | file                     | concern                                                          |
// |--------------------------|------------------------------------------------------------------|
// | `inspect/value.js`       | the recursion: proxies, custom methods, cycles, depth            |
// | `inspect/describe.js`    | each kind of object: what stands around and between its braces   |
// | `inspect/names.js`       | constructor names, prefixes, labels of functions and boxes       |
// | `inspect/property.js`    | which properties, and one property                               |
// | `inspect/collections.js` | entries of lists, maps, sets, iterators, buffers, promises       |
// | `inspect/errors.js`      | stacks                                                           |
// | `inspect/strings.js`     | primitives, quoting                                              |
// | `inspect/layout.js`      | one line, columns, or one entry a line                           |
// | `inspect/width.js`       | terminal columns, escape sequences                               |
// | `inspect/options.js`     | options, colours, the state of a call                            |
// | `inspect/kinds.js`       | the engine's classes of objects, as the host numbers them        |
// | `inspect/own.js`         | own data properties, read without running user code              |
// | `inspect/filtered.js`    | the host's own classes                                           |
// | `inspect/format.js`      | `%s` and the like                                                |
// | `inspect/table.js`       | box drawing of `console.table`                                   |
// | `inspect/duration.js`    | lengths of time of `console.timeEnd`                             |
//
// What it does not do: run a getter (unless `getters` asks for it), a proxy's trap, or anything a script has put on a
// built-in prototype. What it does run, as in Node: custom inspection methods, `Symbol.toStringTag`,
// `Symbol.hasInstance`, and the accessors of an error's `name`, `message`, `stack`, `cause` and `errors`.

import { primordials } from './primordials.js';
import {
  colors, createContext, getDefaultOptions, inspectCustom, setDefaultOptions, styles,
} from './inspect/options.js';
import { formatValue, setInspectFunction } from './inspect/value.js';

const { ObjectDefineProperty } = primordials;

export { createFilteredInspect, defineFilteredInspect } from './inspect/filtered.js';
export { format, formatArguments, formatWithOptions } from './inspect/format.js';
export { inspectCustom } from './inspect/options.js';
export { stringWidth, stripVTControlCharacters } from './inspect/width.js';

/**
 * @param {any} value
 * @param {import('./inspect/options.js').InspectOptions | boolean} [options] or, as of old, `showHidden`
 * @param {number | null} [depth] only with a boolean before it
 * @param {boolean} [useColors] only with a boolean before it
 * @returns {string}
 */
export function inspect(value, options, depth, useColors) {
  /** @type {any} */
  let bag = options;
  if (typeof options === 'boolean' || depth !== undefined || useColors !== undefined) {
    bag = { __proto__: null, ...(typeof options === 'object' ? options : undefined) };
    if (typeof options === 'boolean') bag.showHidden = options;
    if (depth !== undefined) bag.depth = depth;
    if (useColors !== undefined) bag.colors = useColors;
  }
  return formatValue(createContext(bag), value, 0);
}

inspect.custom = inspectCustom;
inspect.colors = colors;
inspect.styles = styles;
ObjectDefineProperty(inspect, 'defaultOptions', {
  __proto__: null,
  configurable: false,
  enumerable: true,
  get: getDefaultOptions,
  set: setDefaultOptions,
});
setInspectFunction(inspect);
