// @ts-check
// `node:url`: the WHATWG classes, and the way between file paths and `file:` URLs (POSIX paths).

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import {
  getHash,
  getHostname,
  getHref,
  getPassword,
  getPathname,
  getPort,
  getProtocol,
  getSearch,
  getUsername,
  URL,
} from '../url.js';
import { URLSearchParams } from '../url_search_params.js';
import { invalidArgType, nodeError } from './errors.js';
import { path as posixPath } from './path.js';
import { validateString } from './validators.js';

const {
  Number,
  RegExpPrototypeExec,
  StringPrototypeCharCodeAt,
  StringPrototypeEndsWith,
  StringPrototypeSlice,
  StringPrototypeStartsWith,
  TypeError,
  decodeURIComponent,
} = primordials;

/**
 * @param {any} value
 * @returns {boolean}
 */
export function isURL(value) {
  if (value === null || typeof value !== 'object') {
    return false;
  }
  try {
    getHref(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string | URL} url
 * @returns {string}
 */
export function fileURLToPath(url) {
  /** @type {any} */
  let parsed = url;
  if (typeof url === 'string') {
    parsed = new URL(url);
  } else if (!isURL(url)) {
    throw invalidArgType('path', ['string', 'URL'], url);
  }
  if (getProtocol(parsed) !== 'file:') {
    throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  }
  if (getHostname(parsed) !== '') {
    throw nodeError(TypeError, 'ERR_INVALID_FILE_URL_HOST', `File URL host must be "localhost" or empty on ${ops.platform()}`);
  }
  const pathname = getPathname(parsed);
  // Decoded, it would be a separator that the URL did not mean.
  if (RegExpPrototypeExec(/%2f/i, pathname) !== null) {
    throw nodeError(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
  }
  return decodeURIComponent(pathname);
}

/** What a URL's path may hold only when it is escaped, as it means something else there. @type {Record<string, string>} */
const escapes = /** @type {any} */ ({
  __proto__: null,
  '%': '%25',
  '\\': '%5C',
  '\n': '%0A',
  '\r': '%0D',
  '\t': '%09',
  '?': '%3F',
  '#': '%23',
});

/**
 * @param {string} path
 * @returns {URL}
 */
export function pathToFileURL(path) {
  validateString(path, 'path');
  let resolved = posixPath.resolve(path);
  // `resolve` takes a trailing slash off; in a URL it makes a difference.
  if (StringPrototypeEndsWith(path, '/') && resolved !== '/') {
    resolved += '/';
  }
  let escaped = '';
  for (let i = 0; i < resolved.length; i++) {
    escaped += escapes[resolved[i]] ?? resolved[i];
  }
  return new URL(`file://${escaped}`);
}

/**
 * @param {URL} url
 * @returns {any} Options for an HTTP request.
 */
export function urlToHttpOptions(url) {
  if (!isURL(url)) {
    throw invalidArgType('url', 'URL', url);
  }
  const hostname = getHostname(url);
  const pathname = getPathname(url);
  const search = getSearch(url);
  const port = getPort(url);
  const username = getUsername(url);
  const password = getPassword(url);
  /** @type {any} */
  const options = {
    __proto__: null,
    // Programs may have put more on the object.
    ...url,
    protocol: getProtocol(url),
    hostname: StringPrototypeStartsWith(hostname, '[')
      ? StringPrototypeSlice(hostname, 1, hostname.length - 1)
      : hostname,
    hash: getHash(url),
    search,
    pathname,
    path: `${pathname}${search}`,
    href: getHref(url),
  };
  if (port !== '') {
    options.port = Number(port);
  }
  if (username || password) {
    options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  }
  return options;
}

/**
 * @param {string} domain
 * @returns {string} "" if it is not a valid domain.
 */
function domainToASCII(domain) {
  const text = `${domain}`;
  // Anything that would end the host is not part of a domain.
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code === 35 || code === 47 || code === 58 || code === 63 || code === 64 || code === 92) {
      return '';
    }
  }
  try {
    return getHostname(new URL(`ws://${text}`));
  } catch {
    return '';
  }
}

export const url = {
  URL,
  URLSearchParams,
  domainToASCII,
  fileURLToPath,
  pathToFileURL,
  urlToHttpOptions,
};
