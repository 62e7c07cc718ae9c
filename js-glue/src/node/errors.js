// @ts-check
// Errors in Node's shape: a built-in error class with a `code`, and the wording that programs match on.

import { primordials } from '../primordials.js';
import { deferred } from '../deferred.js';

const {
  ArrayPrototypeJoin,
  ArrayPrototypePush,
  Error,
  ErrorCaptureStackTrace,
  JSONStringify,
  NumberIsInteger,
  ObjectDefineProperty,
  RangeError,
  RegExpPrototypeExec,
  String,
  StringPrototypeIncludes,
  StringPrototypeSlice,
  StringPrototypeStartsWith,
  StringPrototypeToLowerCase,
  SymbolPrototypeToString,
  TypeError,
} = primordials;

/** @type {() => typeof import('../inspect.js')} */
const inspection = deferred('inspect.js');

/**
 * An error of class `Base` with Node's `code`. The stack's first line reads `Name [CODE]: message`, while `name` stays
 * the class's own.
 *
 * @param {any} Base `Error`, `TypeError` or `RangeError`.
 * @param {string} code
 * @param {string} message
 * @returns {any}
 */
export function nodeError(Base, code, message) {
  const error = new Base(message);
  const { name } = error;
  const labelled = `${name} [${code}]`;
  define(error, 'name', labelled);
  ErrorCaptureStackTrace(error, nodeError);
  // V8 composes the text of the stack when it is first read, from the name that the error has then.
  void error.stack;
  delete error.name;
  define(error, 'toString', () => `${labelled}: ${error.message}`);
  ObjectDefineProperty(error, 'code', {
    __proto__: null, value: code, enumerable: true, configurable: true, writable: true,
  });
  return error;
}

/**
 * @param {any} target
 * @param {string} key
 * @param {any} value
 */
function define(target, key, value) {
  ObjectDefineProperty(target, key, {
    __proto__: null, value, enumerable: false, configurable: true, writable: true,
  });
}

/** What operations reject with when their signal aborts; Node's internal class of the same name. */
export class AbortError extends Error {
  /** @param {any} [cause] The signal's reason. */
  constructor(cause) {
    super('The operation was aborted', cause === undefined ? undefined : { __proto__: null, cause });
    define(this, 'name', 'AbortError');
    this.code = 'ABORT_ERR';
  }
}

/**
 * How Node names a value that had the wrong type.
 *
 * @param {any} value
 * @returns {string}
 */
export function describeReceived(value) {
  if (value === null || value === undefined) {
    return `${value}`;
  }
  switch (typeof value) {
    case 'function':
      return `function ${value.name}`;
    case 'object': {
      const { constructor } = value;
      const named = (typeof constructor === 'function' || (typeof constructor === 'object' && constructor !== null)) &&
        'name' in constructor && constructor.name;
      return named ? `an instance of ${constructor.name}` : inspection().inspect(value, /** @type {any} */ ({ __proto__: null, depth: -1 }));
    }
    case 'string': {
      const shown = value.length > 28 ? `${StringPrototypeSlice(value, 0, 25)}...` : value;
      return `type string (${StringPrototypeIncludes(shown, "'") ? JSONStringify(shown) : `'${shown}'`})`;
    }
    case 'symbol':
      return `type symbol (${SymbolPrototypeToString(value)})`;
    case 'bigint':
      return `type bigint (${value}n)`;
    case 'number':
      return `type number (${value === 0 && 1 / value < 0 ? '-0' : value})`;
    default:
      return `type ${typeof value} (${String(value)})`;
  }
}

/**
 * @param {string[]} items
 * @returns {string} "a", "a or b", "a, b, or c"
 */
function either(items) {
  const count = items.length;
  if (count < 3) {
    return ArrayPrototypeJoin(items, ' or ');
  }
  let list = '';
  for (let i = 0; i < count - 1; i++) {
    list += `${items[i]}, `;
  }
  return `${list}or ${items[count - 1]}`;
}

/**
 * "of type …", "an instance of …", in that order: names in lower case are primitive types, the rest are classes.
 *
 * @param {string[]} expected
 * @returns {string}
 */
function describeExpected(expected) {
  /** @type {string[]} */
  const types = [];
  /** @type {string[]} */
  const classes = [];
  /** @type {string[]} */
  const others = [];
  for (let i = 0; i < expected.length; i++) {
    const item = expected[i];
    if (RegExpPrototypeExec(/^(?:string|number|boolean|bigint|symbol|undefined|function|object|Function|Object)$/, item)) {
      ArrayPrototypePush(types, StringPrototypeToLowerCase(item));
    } else if (RegExpPrototypeExec(/^(?:[A-Z][a-zA-Z0-9]*)+$/, item)) {
      ArrayPrototypePush(classes, item);
    } else {
      ArrayPrototypePush(others, item);
    }
  }
  /** @type {string[]} */
  const parts = [];
  if (types.length > 0) {
    ArrayPrototypePush(parts, `${types.length > 1 ? 'one of type' : 'of type'} ${either(types)}`);
  }
  if (classes.length > 0) {
    ArrayPrototypePush(parts, `an instance of ${either(classes)}`);
  }
  if (others.length > 0) {
    ArrayPrototypePush(parts, others.length > 1 ? `one of ${either(others)}` : others[0]);
  }
  return ArrayPrototypeJoin(parts, ' or ');
}

/**
 * "argument" for a parameter, "property" for a dotted name, as Node words it.
 *
 * @param {string} name
 * @returns {string}
 */
function kindOfName(name) {
  return StringPrototypeIncludes(name, '.') ? 'property' : 'argument';
}

/**
 * ERR_INVALID_ARG_TYPE.
 *
 * @param {string} name The parameter, or `options.member`.
 * @param {string | string[]} expected Types and classes that would do.
 * @param {any} actual
 * @returns {any}
 */
export function invalidArgType(name, expected, actual) {
  const list = typeof expected === 'string' ? [expected] : expected;
  return nodeError(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `The "${name}" ${kindOfName(name)} must be ${describeExpected(list)}. Received ${describeReceived(actual)}`,
  );
}

/**
 * ERR_INVALID_ARG_VALUE.
 *
 * @param {string} name
 * @param {any} value
 * @param {string} [reason]
 * @returns {any}
 */
export function invalidArgValue(name, value, reason = 'is invalid') {
  let shown = inspection().inspect(value);
  if (shown.length > 128) {
    shown = `${StringPrototypeSlice(shown, 0, 128)}...`;
  }
  return nodeError(
    TypeError,
    'ERR_INVALID_ARG_VALUE',
    `The ${kindOfName(name)} '${name}' ${reason}. Received ${shown}`,
  );
}

/**
 * Long integers in groups of three, as Node shows them.
 *
 * @param {string} digits
 * @returns {string}
 */
function grouped(digits) {
  const sign = StringPrototypeStartsWith(digits, '-') ? 1 : 0;
  let rest = '';
  let end = digits.length;
  for (; end - 3 > sign; end -= 3) {
    rest = `_${StringPrototypeSlice(digits, end - 3, end)}${rest}`;
  }
  return `${StringPrototypeSlice(digits, 0, end)}${rest}`;
}

/**
 * ERR_OUT_OF_RANGE.
 *
 * @param {string} name
 * @param {string} range What would do, such as ">= 0 && <= 255" or "an integer".
 * @param {any} received
 * @returns {any}
 */
export function outOfRange(name, range, received) {
  let shown;
  if (typeof received === 'bigint') {
    shown = `${grouped(`${received}`)}n`;
  } else if (NumberIsInteger(received) && (received > 0xffffffff || received < -0xffffffff)) {
    shown = grouped(`${received}`);
  } else {
    shown = inspection().inspect(received);
  }
  return nodeError(
    RangeError,
    'ERR_OUT_OF_RANGE',
    `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`,
  );
}

/**
 * What a module throws when a feature that Node has cannot exist in a worker.
 *
 * @param {string} feature
 * @returns {any}
 */
export function workerUnsupported(feature) {
  return nodeError(TypeError, 'ERR_WORKER_UNSUPPORTED_OPERATION', `${feature} is not supported in workers`);
}
