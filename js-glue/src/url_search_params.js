// @ts-check
/** `URLSearchParams` (URL §6.2). The list of pairs is a flat array, see form_urlencoded.js. */
import { parseUrlencoded, serializeUrlencoded } from './form_urlencoded.js';
import { inspectCustom } from './inspect/options.js';
import { primordials } from './primordials.js';
import {
  configureInterface,
  isObject,
  iterableToList,
  requiredArguments,
  throwConversionError,
  toCallbackFunction,
  toSequence,
  toUSVString,
} from './webidl.js';

const {
  ArrayPrototypePush,
  ArrayPrototypeSort,
  FunctionPrototypeCall,
  IteratorPrototype,
  ObjectDefineProperty,
  ObjectSetPrototypeOf,
  ReflectDeleteProperty,
  ReflectGetOwnPropertyDescriptor,
  ReflectOwnKeys,
  SafeMap,
  StringPrototypeCharCodeAt,
  StringPrototypeSlice,
  SymbolIterator,
  SymbolToStringTag,
} = primordials;

const constructPrefix = "Failed to construct 'URLSearchParams'";

/**
 * `sequence<sequence<USVString>>`, each inner sequence a pair.
 * @param {any} init
 * @param {Function} method its iterator method
 * @returns {string[]}
 */
function listFromSequence(init, method) {
  const pairs = iterableToList(init, method, pairFrom, constructPrefix, 'Argument 1');
  /** @type {string[]} */
  const list = [];
  for (let i = 0; i < pairs.length; i++) {
    if (pairs[i].length !== 2) {
      throwConversionError(constructPrefix, `Argument 1[${i}] has ${pairs[i].length} elements instead of a name and a value`);
    }
    ArrayPrototypePush(list, pairs[i][0], pairs[i][1]);
  }
  return list;
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {string[]}
 */
function pairFrom(value, prefix, context) {
  return toSequence(value, toUSVString, prefix, context);
}

/**
 * `record<USVString, USVString>` (Web IDL §3.2.23).
 * @param {any} init
 * @returns {string[]}
 */
function listFromRecord(init) {
  /** @type {string[]} */
  const list = [];
  const keys = ReflectOwnKeys(init);
  // Distinct keys may become one when lone surrogates are replaced; the later value wins, at the earlier place.
  const places = new SafeMap();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const descriptor = ReflectGetOwnPropertyDescriptor(init, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    const name = toUSVString(key, constructPrefix, 'A key of Argument 1');
    const value = toUSVString(init[key], constructPrefix, `'${name}' of Argument 1`);
    const place = places.get(name);
    if (place !== undefined) list[place] = value;
    else {
      ArrayPrototypePush(list, name, value);
      places.set(name, list.length - 1);
    }
  }
  return list;
}

/**
 * Makes the `searchParams` of a URL; `onChange` gets the new query after each change.
 * @type {(query: string, onChange: (query: string) => void) => URLSearchParams}
 */
export let createLinkedParams;

/**
 * Replaces the list after its URL's query has changed, without telling the URL.
 * @type {(params: URLSearchParams, query: string) => void}
 */
export let resetLinkedParams;

/** @type {(params: URLSearchParams) => string[]} */
let listOf;

export class URLSearchParams {
  /** @type {string[]} */
  #list;
  /** @type {((query: string) => void) | null} */
  #onChange = null;

  static {
    createLinkedParams = (query, onChange) => {
      const params = new URLSearchParams();
      params.#list = parseUrlencoded(query);
      params.#onChange = onChange;
      return params;
    };
    resetLinkedParams = (params, query) => {
      params.#list = parseUrlencoded(query);
    };
    listOf = (params) => params.#list;
  }

  /** @param {Iterable<Iterable<string>> | Record<string, string> | string} [init] */
  constructor(init = '') {
    if (isObject(init)) {
      const method = /** @type {any} */ (init)[SymbolIterator];
      if (method === undefined || method === null) this.#list = listFromRecord(init);
      else this.#list = listFromSequence(init, toCallbackFunction(method, constructPrefix, 'The iterator method of Argument 1'));
    } else {
      const text = toUSVString(init, constructPrefix, 'Argument 1');
      this.#list = parseUrlencoded(StringPrototypeCharCodeAt(text, 0) === 0x3f ? StringPrototypeSlice(text, 1) : text);
    }
  }

  /** @returns {number} */
  get size() {
    return this.#list.length / 2;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  append(name, value) {
    const list = this.#list;
    const prefix = "Failed to execute 'append' on 'URLSearchParams'";
    requiredArguments(arguments.length, 2, prefix);
    const nameText = toUSVString(name, prefix, 'Argument 1');
    const valueText = toUSVString(value, prefix, 'Argument 2');
    ArrayPrototypePush(list, nameText, valueText);
    this.#update();
  }

  /**
   * @param {string} name
   * @param {string} [value] only pairs with this value
   */
  delete(name, value = undefined) {
    const list = this.#list;
    const prefix = "Failed to execute 'delete' on 'URLSearchParams'";
    requiredArguments(arguments.length, 1, prefix);
    const nameText = toUSVString(name, prefix, 'Argument 1');
    const valueText = value === undefined ? undefined : toUSVString(value, prefix, 'Argument 2');
    removeFrom(list, 0, nameText, valueText);
    this.#update();
  }

  /**
   * @param {string} name
   * @returns {string | null}
   */
  get(name) {
    const list = this.#list;
    const prefix = "Failed to execute 'get' on 'URLSearchParams'";
    requiredArguments(arguments.length, 1, prefix);
    const nameText = toUSVString(name, prefix, 'Argument 1');
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === nameText) return list[i + 1];
    }
    return null;
  }

  /**
   * @param {string} name
   * @returns {string[]}
   */
  getAll(name) {
    const list = this.#list;
    const prefix = "Failed to execute 'getAll' on 'URLSearchParams'";
    requiredArguments(arguments.length, 1, prefix);
    const nameText = toUSVString(name, prefix, 'Argument 1');
    /** @type {string[]} */
    const values = [];
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === nameText) ArrayPrototypePush(values, list[i + 1]);
    }
    return values;
  }

  /**
   * @param {string} name
   * @param {string} [value] only a pair with this value
   * @returns {boolean}
   */
  has(name, value = undefined) {
    const list = this.#list;
    const prefix = "Failed to execute 'has' on 'URLSearchParams'";
    requiredArguments(arguments.length, 1, prefix);
    const nameText = toUSVString(name, prefix, 'Argument 1');
    const valueText = value === undefined ? undefined : toUSVString(value, prefix, 'Argument 2');
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === nameText && (valueText === undefined || list[i + 1] === valueText)) return true;
    }
    return false;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  set(name, value) {
    const list = this.#list;
    const prefix = "Failed to execute 'set' on 'URLSearchParams'";
    requiredArguments(arguments.length, 2, prefix);
    const nameText = toUSVString(name, prefix, 'Argument 1');
    const valueText = toUSVString(value, prefix, 'Argument 2');
    let i = 0;
    while (i < list.length && list[i] !== nameText) i += 2;
    if (i === list.length) ArrayPrototypePush(list, nameText, valueText);
    else {
      list[i + 1] = valueText;
      removeFrom(list, i + 2, nameText, undefined);
    }
    this.#update();
  }

  /** Orders the pairs by the code units of their names; pairs of one name keep their order. */
  sort() {
    const list = this.#list;
    /** @type {{ name: string, value: string }[]} */
    const pairs = [];
    for (let i = 0; i < list.length; i += 2) ArrayPrototypePush(pairs, { name: list[i], value: list[i + 1] });
    ArrayPrototypeSort(pairs, compareNames);
    for (let i = 0; i < pairs.length; i++) {
      list[i * 2] = pairs[i].name;
      list[i * 2 + 1] = pairs[i].value;
    }
    this.#update();
  }

  /**
   * @param {(value: string, name: string, params: URLSearchParams) => void} callback
   * @param {any} [thisArg]
   */
  forEach(callback, thisArg = undefined) {
    this.#list;
    const prefix = "Failed to execute 'forEach' on 'URLSearchParams'";
    requiredArguments(arguments.length, 1, prefix);
    toCallbackFunction(callback, prefix, 'Argument 1');
    // The callback may change the list, or its URL replace it.
    for (let i = 0; i < this.#list.length; i += 2) {
      FunctionPrototypeCall(callback, thisArg, this.#list[i + 1], this.#list[i], this);
    }
  }

  /** @returns {IterableIterator<[string, string]>} */
  entries() {
    this.#list;
    return /** @type {any} */ (new PairIterator(this, ENTRIES));
  }

  /** @returns {IterableIterator<string>} */
  keys() {
    this.#list;
    return /** @type {any} */ (new PairIterator(this, KEYS));
  }

  /** @returns {IterableIterator<string>} */
  values() {
    this.#list;
    return /** @type {any} */ (new PairIterator(this, VALUES));
  }

  /** @returns {string} */
  toString() {
    return serializeUrlencoded(this.#list);
  }

  #update() {
    const onChange = this.#onChange;
    if (onChange !== null) onChange(serializeUrlencoded(this.#list));
  }
}
configureInterface(URLSearchParams);
ObjectDefineProperty(URLSearchParams.prototype, SymbolIterator, {
  __proto__: null,
  value: URLSearchParams.prototype.entries,
  writable: true,
  enumerable: false,
  configurable: true,
});
ObjectDefineProperty(URLSearchParams.prototype, inspectCustom, {
  __proto__: null,
  value: inspectParams,
  writable: true,
  enumerable: false,
  configurable: true,
});

/**
 * @param {{ name: string }} a
 * @param {{ name: string }} b
 */
function compareNames(a, b) {
  // `<` on strings compares code units.
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/**
 * Removes the pairs with this name, and this value if given, from index `from` on.
 * @param {string[]} list
 * @param {number} from
 * @param {string} name
 * @param {string | undefined} value
 */
function removeFrom(list, from, name, value) {
  let kept = from;
  for (let i = from; i < list.length; i += 2) {
    if (list[i] === name && (value === undefined || list[i + 1] === value)) continue;
    list[kept] = list[i];
    list[kept + 1] = list[i + 1];
    kept += 2;
  }
  list.length = kept;
}

/**
 * `URLSearchParams { 'name' => 'value' }`, names and values shown as strings are.
 * @this {URLSearchParams}
 * @param {number} depth
 * @param {any} options
 * @param {(value: any, options: any) => string} inspect
 */
function inspectParams(depth, options, inspect) {
  const list = listOf(this);
  if (depth < 0) return '[URLSearchParams]';
  let pairs = '';
  for (let i = 0; i < list.length; i += 2) {
    pairs += `${i === 0 ? ' ' : ', '}${inspect(list[i], options)} => ${inspect(list[i + 1], options)}`;
  }
  return pairs === '' ? 'URLSearchParams {}' : `URLSearchParams {${pairs} }`;
}

const ENTRIES = 0;
const KEYS = 1;
const VALUES = 2;

/** A default iterator object (Web IDL §3.7.10.1): an index into the list as it is at each step. */
class PairIterator {
  /** @type {URLSearchParams} */
  #params;
  #kind;
  #index = 0;

  /**
   * @param {URLSearchParams} params
   * @param {number} kind
   */
  constructor(params, kind) {
    this.#params = params;
    this.#kind = kind;
  }

  next() {
    const list = listOf(this.#params);
    const i = this.#index;
    if (i >= list.length) return { value: undefined, done: true };
    this.#index = i + 2;
    const kind = this.#kind;
    return { value: kind === ENTRIES ? [list[i], list[i + 1]] : list[i + (kind === VALUES ? 1 : 0)], done: false };
  }
}
// %URLSearchParamsIteratorPrototype% (§3.7.10.2): no constructor, an enumerable `next`.
const iteratorPrototype = /** @type {any} */ (PairIterator.prototype);
ReflectDeleteProperty(iteratorPrototype, 'constructor');
ObjectSetPrototypeOf(iteratorPrototype, IteratorPrototype);
ObjectDefineProperty(iteratorPrototype, 'next', { __proto__: null, enumerable: true });
ObjectDefineProperty(iteratorPrototype, SymbolToStringTag, {
  __proto__: null,
  value: 'URLSearchParams Iterator',
  writable: false,
  enumerable: false,
  configurable: true,
});
