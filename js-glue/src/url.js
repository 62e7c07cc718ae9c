// @ts-check
/**
 * `URL` (URL §6.1). The host parses; here a URL is its serialisation and the places where its components begin and end.
 *
 * Departures: `createObjectURL` and `revokeObjectURL` belong to the File API and are not offered. The TypeError for an invalid URL carries
 * Node's `code` and `input`, which packages look for.
 */
import { inspectCustom } from './inspect/options.js';
import { ops } from './ops.js';
import { primordials } from './primordials.js';
import { createLinkedParams, resetLinkedParams, URLSearchParams } from './url_search_params.js';
import { configureInterface, requiredArguments, toUSVString } from './webidl.js';

const {
  FunctionPrototypeCall,
  ObjectDefineProperty,
  ReflectGetOwnPropertyDescriptor,
  StringPrototypeCharCodeAt,
  StringPrototypeSlice,
  Symbol,
  TypeError,
  Uint32Array,
  uncurryThis,
} = primordials;

// Where the host leaves the components of the URL that it has just parsed. Ops run no script, so one array serves all.
const PROTOCOL_END = 0;
const USERNAME_START = 1;
const USERNAME_END = 2;
const HOST_START = 3;
const HOST_END = 4;
const PORT_END = 5;
const PATH_START = 6;
const QUERY_START = 7;
const FRAGMENT_START = 8;
const offsets = new Uint32Array(9);

// The components that `ops.urlSet` can set.
const PROTOCOL = 0;
const USERNAME = 1;
const PASSWORD = 2;
const HOST = 3;
const HOSTNAME = 4;
const PORT = 5;
const PATHNAME = 6;
const SEARCH = 7;
const HASH = 8;

/** As first argument of the constructor: the second is a serialisation whose offsets are at hand. No script can reach it. */
const kParsed = Symbol('parsed');

/**
 * @param {string} input
 * @param {string} prefix
 * @returns {never}
 */
function throwInvalid(input, prefix) {
  /** @type {any} */
  const error = new TypeError(`${prefix}: '${input}' is not a valid URL`);
  defineHidden(error, 'code', 'ERR_INVALID_URL');
  defineHidden(error, 'input', input);
  throw error;
}

/**
 * @param {object} object
 * @param {PropertyKey} key
 * @param {any} value
 */
function defineHidden(object, key, value) {
  ObjectDefineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

/**
 * The serialised origin (URL §4.7) of the URL whose offsets are at hand.
 * @param {string} href
 * @returns {string}
 */
function originOf(href) {
  const protocol = StringPrototypeSlice(href, 0, offsets[PROTOCOL_END]);
  switch (protocol) {
    case 'http:':
    case 'https:':
    case 'ws:':
    case 'wss:':
    case 'ftp:':
      // A default port is never in the serialisation.
      return `${protocol}//${StringPrototypeSlice(href, offsets[HOST_START], offsets[PORT_END])}`;
    case 'blob:': {
      const inner = ops.urlParse(StringPrototypeSlice(href, offsets[PATH_START], offsets[QUERY_START]), undefined, offsets);
      if (inner === undefined) return 'null';
      const innerProtocol = StringPrototypeSlice(inner, 0, offsets[PROTOCOL_END]);
      return innerProtocol === 'http:' || innerProtocol === 'https:' ? originOf(inner) : 'null';
    }
    default:
      // Opaque; for `file` the standard leaves the choice, and browsers made this one.
      return 'null';
  }
}

export class URL {
  #href = '';
  #protocolEnd = 0;
  #usernameStart = 0;
  #usernameEnd = 0;
  #hostStart = 0;
  #hostEnd = 0;
  #portEnd = 0;
  #pathStart = 0;
  #queryStart = 0;
  #fragmentStart = 0;
  /** @type {URLSearchParams | null} */
  #params = null;

  /**
   * @param {string} url
   * @param {string} [base]
   */
  constructor(url, base = undefined) {
    if (/** @type {any} */ (url) === kParsed) {
      this.#adopt(/** @type {string} */ (base));
      return;
    }
    const prefix = "Failed to construct 'URL'";
    requiredArguments(arguments.length, 1, prefix);
    const input = toUSVString(url, prefix, 'Argument 1');
    const baseInput = base === undefined ? undefined : toUSVString(base, prefix, 'Argument 2');
    const href = ops.urlParse(input, baseInput, offsets);
    if (href === undefined) throwInvalid(input, prefix);
    this.#adopt(href);
  }

  /**
   * Like the constructor, but null for an invalid URL.
   * @param {string} url
   * @param {string} [base]
   * @returns {URL | null}
   */
  static parse(url, base = undefined) {
    const prefix = "Failed to execute 'parse' on 'URL'";
    requiredArguments(arguments.length, 1, prefix);
    const input = toUSVString(url, prefix, 'Argument 1');
    const baseInput = base === undefined ? undefined : toUSVString(base, prefix, 'Argument 2');
    const href = ops.urlParse(input, baseInput, offsets);
    return href === undefined ? null : new URL(/** @type {any} */ (kParsed), href);
  }

  /**
   * @param {string} url
   * @param {string} [base]
   * @returns {boolean}
   */
  static canParse(url, base = undefined) {
    const prefix = "Failed to execute 'canParse' on 'URL'";
    requiredArguments(arguments.length, 1, prefix);
    const input = toUSVString(url, prefix, 'Argument 1');
    const baseInput = base === undefined ? undefined : toUSVString(base, prefix, 'Argument 2');
    return ops.urlCanParse(input, baseInput);
  }

  /** @returns {string} */
  get href() {
    return this.#href;
  }

  /** @param {string} value */
  set href(value) {
    this.#href;
    const prefix = "Failed to set the 'href' property on 'URL'";
    const input = toUSVString(value, prefix, 'The value');
    const href = ops.urlParse(input, undefined, offsets);
    if (href === undefined) throwInvalid(input, prefix);
    this.#adopt(href);
    if (this.#params !== null) resetLinkedParams(this.#params, this.#query());
  }

  /** @returns {string} */
  get origin() {
    const href = this.#href;
    offsets[PROTOCOL_END] = this.#protocolEnd;
    offsets[HOST_START] = this.#hostStart;
    offsets[PORT_END] = this.#portEnd;
    offsets[PATH_START] = this.#pathStart;
    offsets[QUERY_START] = this.#queryStart;
    return originOf(href);
  }

  /** @returns {string} */
  get protocol() {
    return StringPrototypeSlice(this.#href, 0, this.#protocolEnd);
  }

  /** @param {string} value */
  set protocol(value) {
    this.#set(PROTOCOL, 'protocol', value);
  }

  /** @returns {string} */
  get username() {
    return StringPrototypeSlice(this.#href, this.#usernameStart, this.#usernameEnd);
  }

  /** @param {string} value */
  set username(value) {
    this.#set(USERNAME, 'username', value);
  }

  /** @returns {string} */
  get password() {
    // Between the colon after the user name and the `@` before the host; the slice is empty where there are none.
    return StringPrototypeSlice(this.#href, this.#usernameEnd + 1, this.#hostStart - 1);
  }

  /** @param {string} value */
  set password(value) {
    this.#set(PASSWORD, 'password', value);
  }

  /** @returns {string} */
  get host() {
    return StringPrototypeSlice(this.#href, this.#hostStart, this.#portEnd);
  }

  /** @param {string} value */
  set host(value) {
    this.#set(HOST, 'host', value);
  }

  /** @returns {string} */
  get hostname() {
    return StringPrototypeSlice(this.#href, this.#hostStart, this.#hostEnd);
  }

  /** @param {string} value */
  set hostname(value) {
    this.#set(HOSTNAME, 'hostname', value);
  }

  /** @returns {string} */
  get port() {
    return StringPrototypeSlice(this.#href, this.#hostEnd + 1, this.#portEnd);
  }

  /** @param {string} value */
  set port(value) {
    this.#set(PORT, 'port', value);
  }

  /** @returns {string} */
  get pathname() {
    return StringPrototypeSlice(this.#href, this.#pathStart, this.#queryStart);
  }

  /** @param {string} value */
  set pathname(value) {
    this.#set(PATHNAME, 'pathname', value);
  }

  /** @returns {string} */
  get search() {
    // A lone `?` is an empty query, shown like none.
    return this.#fragmentStart - this.#queryStart > 1 ? StringPrototypeSlice(this.#href, this.#queryStart, this.#fragmentStart) : '';
  }

  /** @param {string} value */
  set search(value) {
    const input = this.#set(SEARCH, 'search', value);
    if (this.#params !== null) resetLinkedParams(this.#params, StringPrototypeCharCodeAt(input, 0) === 0x3f ? StringPrototypeSlice(input, 1) : input);
  }

  /** @returns {URLSearchParams} */
  get searchParams() {
    this.#params ??= createLinkedParams(this.#query(), (query) => this.#setQuery(query));
    return this.#params;
  }

  /** @returns {string} */
  get hash() {
    return this.#href.length - this.#fragmentStart > 1 ? StringPrototypeSlice(this.#href, this.#fragmentStart) : '';
  }

  /** @param {string} value */
  set hash(value) {
    this.#set(HASH, 'hash', value);
  }

  /** @returns {string} */
  toString() {
    return this.#href;
  }

  /** @returns {string} */
  toJSON() {
    return this.#href;
  }

  /**
   * Takes over a serialisation whose offsets are at hand.
   * @param {string} href
   */
  #adopt(href) {
    this.#href = href;
    this.#protocolEnd = offsets[PROTOCOL_END];
    this.#usernameStart = offsets[USERNAME_START];
    this.#usernameEnd = offsets[USERNAME_END];
    this.#hostStart = offsets[HOST_START];
    this.#hostEnd = offsets[HOST_END];
    this.#portEnd = offsets[PORT_END];
    this.#pathStart = offsets[PATH_START];
    this.#queryStart = offsets[QUERY_START];
    this.#fragmentStart = offsets[FRAGMENT_START];
  }

  /**
   * @param {number} component
   * @param {string} name
   * @param {unknown} value
   * @returns {string} the converted value
   */
  #set(component, name, value) {
    this.#href;
    const input = toUSVString(value, `Failed to set the '${name}' property on 'URL'`, 'The value');
    const href = ops.urlSet(this.#href, component, input, offsets);
    if (href !== undefined) this.#adopt(href);
    return input;
  }

  /** The query without its `?`; empty where there is none. */
  #query() {
    return StringPrototypeSlice(this.#href, this.#queryStart + 1, this.#fragmentStart);
  }

  /**
   * "Update" of the linked URLSearchParams (§6.2).
   * @param {string} query serialised, hence in need of no further escapes
   */
  #setQuery(query) {
    const head = StringPrototypeSlice(this.#href, 0, this.#queryStart);
    const fragment = StringPrototypeSlice(this.#href, this.#fragmentStart);
    const search = query === '' ? '' : `?${query}`;
    this.#href = head + search + fragment;
    this.#fragmentStart = this.#queryStart + search.length;
  }
}
configureInterface(URL);
defineHidden(URL.prototype, inspectCustom, inspectURL);

/**
 * @param {string} name
 * @returns {(url: any) => string} The class's own getter, whatever becomes of its prototype; throws for other objects.
 */
function getter(name) {
  return uncurryThis(/** @type {any} */ (ReflectGetOwnPropertyDescriptor(URL.prototype, name)).get);
}

export const getHash = getter('hash');
export const getHostname = getter('hostname');
export const getHref = getter('href');
export const getPassword = getter('password');
export const getPathname = getter('pathname');
export const getPort = getter('port');
export const getProtocol = getter('protocol');
export const getSearch = getter('search');
export const getUsername = getter('username');

/** The accessors as they are before any script has run, in the order in which they are shown. @type {[string, Function][]} */
const shown = [
  accessor('href'),
  accessor('origin'),
  accessor('protocol'),
  accessor('username'),
  accessor('password'),
  accessor('host'),
  accessor('hostname'),
  accessor('port'),
  accessor('pathname'),
  accessor('search'),
  accessor('searchParams'),
  accessor('hash'),
];

/** @param {string} name @returns {[string, Function]} */
function accessor(name) {
  return [name, /** @type {any} */ (ReflectGetOwnPropertyDescriptor(URL.prototype, name)).get];
}

/**
 * @this {URL}
 * @param {number} depth
 * @param {any} options
 * @param {(value: any, options: any) => string} inspect
 */
function inspectURL(depth, options, inspect) {
  // The first accessor is also the brand check.
  const href = FunctionPrototypeCall(shown[0][1], this);
  if (depth < 0) return href;
  /** @type {Record<string, any>} */
  const fields = {};
  for (let i = 0; i < shown.length; i++) fields[shown[i][0]] = FunctionPrototypeCall(shown[i][1], this);
  return `URL ${inspect(fields, options)}`;
}
