// @ts-check
// DOMException (Web IDL §2.8, §4.3) and its derived interface QuotaExceededError.
//
// A DOMException has [[ErrorData]]: Error.isError answers true and there is a `stack`. So the constructor makes a real Error of
// `new.target` and stamps the private state on it. `DOMException` itself inherits from Function.prototype, as the standard
// has it, which is why this is no `class … extends Error`.

import { primordials } from './primordials.js';
import {
  configureInterface,
  defineConstants,
  illegalInvocation,
  toDictionary,
  toDOMString,
  toDouble,
} from './webidl.js';

const {
  Error,
  ErrorCaptureStackTrace,
  ObjectDefineProperty,
  StringPrototypeIncludes,
  StringPrototypeSplit,
  ObjectSetPrototypeOf, RangeError, ReflectConstruct, SafeMap } = primordials;

/** A base class that makes a derived constructor install its private fields on a given object. */
class Stamp {
  /** @param {any} target */
  constructor(target) {
    return target;
  }
}

class ExceptionFields extends Stamp {
  #message;
  #name;

  /**
   * @param {any} target
   * @param {string} message
   * @param {string} name
   */
  constructor(target, message, name) {
    super(target);
    this.#message = message;
    this.#name = name;
  }

  /**
   * @param {any} value
   * @returns {string}
   */
  static message(value) {
    return #message in value ? value.#message : illegalInvocation();
  }

  /**
   * @param {any} value
   * @returns {string}
   */
  static exceptionName(value) {
    return #name in value ? value.#name : illegalInvocation();
  }

  /**
   * @param {any} value
   * @returns {boolean}
   */
  static has(value) {
    return typeof value === 'object' && value !== null && #name in value;
  }
}

/** Web IDL §2.8.1, "DOMException names table": the names that have a legacy code. */
const codes = new SafeMap([
  ['IndexSizeError', 1],
  ['HierarchyRequestError', 3],
  ['WrongDocumentError', 4],
  ['InvalidCharacterError', 5],
  ['NoModificationAllowedError', 7],
  ['NotFoundError', 8],
  ['NotSupportedError', 9],
  ['InUseAttributeError', 10],
  ['InvalidStateError', 11],
  ['SyntaxError', 12],
  ['InvalidModificationError', 13],
  ['NamespaceError', 14],
  ['InvalidAccessError', 15],
  ['TypeMismatchError', 17],
  ['SecurityError', 18],
  ['NetworkError', 19],
  ['AbortError', 20],
  ['URLMismatchError', 21],
  ['QuotaExceededError', 22],
  ['TimeoutError', 23],
  ['InvalidNodeTypeError', 24],
  ['DataCloneError', 25],
]);

/**
 * A stack under another first line, without the frames of the glue that threw on behalf of the script.
 * @param {any} stack
 * @param {string} header
 */
function toScriptStack(stack, header) {
  // A script's own `Error.prepareStackTrace` may make anything of it.
  if (typeof stack !== 'string') return stack;
  const lines = StringPrototypeSplit(stack, '\n    at ');
  let text = header;
  let innermost = true;
  for (let i = 1; i < lines.length; i++) {
    innermost &&= StringPrototypeIncludes(lines[i], 'isolane:glue/');
    if (!innermost) text += `\n    at ${lines[i]}`;
  }
  return text;
}

export class DOMException {
  /**
   * @param {string} [message]
   * @param {string} [name]
   */
  constructor(message = '', name = 'Error') {
    const prefix = "Failed to construct 'DOMException'";
    const messageText = toDOMString(message, prefix, 'Argument 1');
    const nameText = toDOMString(name, prefix, 'Argument 2');
    const error = ReflectConstruct(Error, [], new.target);
    new ExceptionFields(error, messageText, nameText);
    // Anew, without this constructor's frame. The first line that V8 writes has the name alone: the message is none of the object's own.
    ErrorCaptureStackTrace(error, DOMException);
    const stack = toScriptStack(error.stack, messageText === '' ? nameText : `${nameText}: ${messageText}`);
    ObjectDefineProperty(error, 'stack', { __proto__: null, value: stack, writable: true, configurable: true });
    return error;
  }

  /** @returns {string} */
  get name() {
    return ExceptionFields.exceptionName(this);
  }

  /** @returns {string} */
  get message() {
    return ExceptionFields.message(this);
  }

  /** @returns {number} */
  get code() {
    return codes.get(ExceptionFields.exceptionName(this)) ?? 0;
  }
}

ObjectSetPrototypeOf(DOMException.prototype, Error.prototype);
configureInterface(DOMException);
defineConstants(DOMException, {
  INDEX_SIZE_ERR: 1,
  DOMSTRING_SIZE_ERR: 2,
  HIERARCHY_REQUEST_ERR: 3,
  WRONG_DOCUMENT_ERR: 4,
  INVALID_CHARACTER_ERR: 5,
  NO_DATA_ALLOWED_ERR: 6,
  NO_MODIFICATION_ALLOWED_ERR: 7,
  NOT_FOUND_ERR: 8,
  NOT_SUPPORTED_ERR: 9,
  INUSE_ATTRIBUTE_ERR: 10,
  INVALID_STATE_ERR: 11,
  SYNTAX_ERR: 12,
  INVALID_MODIFICATION_ERR: 13,
  NAMESPACE_ERR: 14,
  INVALID_ACCESS_ERR: 15,
  VALIDATION_ERR: 16,
  TYPE_MISMATCH_ERR: 17,
  SECURITY_ERR: 18,
  NETWORK_ERR: 19,
  ABORT_ERR: 20,
  URL_MISMATCH_ERR: 21,
  QUOTA_EXCEEDED_ERR: 22,
  TIMEOUT_ERR: 23,
  INVALID_NODE_TYPE_ERR: 24,
  DATA_CLONE_ERR: 25,
});

const quotaMembers = [
  { key: 'quota', converter: toDouble },
  { key: 'requested', converter: toDouble },
];

/** Web IDL §4.3.1. */
export class QuotaExceededError extends DOMException {
  /** @type {number | null} */
  #quota;
  /** @type {number | null} */
  #requested;

  /**
   * @param {string} [message]
   * @param {{ quota?: number, requested?: number }} [options]
   */
  constructor(message = '', options = undefined) {
    const prefix = "Failed to construct 'QuotaExceededError'";
    const text = toDOMString(message, prefix, 'Argument 1');
    const { quota, requested } = toDictionary(options, quotaMembers, prefix, 'Argument 2');
    if (quota < 0) throw new RangeError(`${prefix}: quota is negative`);
    if (requested < 0) throw new RangeError(`${prefix}: requested is negative`);
    if (requested < quota) throw new RangeError(`${prefix}: requested is less than quota`);
    super(text, 'QuotaExceededError');
    this.#quota = quota ?? null;
    this.#requested = requested ?? null;
  }

  /** @returns {number | null} */
  get quota() {
    return this.#quota;
  }

  /** @returns {number | null} */
  get requested() {
    return this.#requested;
  }

  static {
    quotaOf = (value) => (#quota in value ? [value.#quota, value.#requested] : undefined);
  }
}
/** Both figures, if it is one of these. @type {(value: any) => [number | null, number | null] | undefined} */
var quotaOf;

configureInterface(QuotaExceededError);

/** The host's entry: what a sender gets whose receiver has no room for more. @param {number} quota @param {number} requested */
export function createQuotaExceededError(quota, requested) {
  const message = `The receiver's limit of ${quota} bytes of undelivered messages would be exceeded`;
  return new QuotaExceededError(message, /** @type {any} */ ({ __proto__: null, quota, requested }));
}

/**
 * @param {any} value
 * @returns {value is DOMException}
 */
export function isDOMException(value) {
  return ExceptionFields.has(value);
}

/**
 * @param {string} message
 * @param {string} name
 * @returns {DOMException}
 */
export function createDOMException(message, name) {
  // The standard retired the plain DOMException of this name in favour of the derived interface.
  return name === 'QuotaExceededError' ? new QuotaExceededError(message) : new DOMException(message, name);
}

/**
 * What of an exception is cloned.
 * @param {any} value
 */
export function cloneableParts(value) {
  return {
    __proto__: null,
    name: ExceptionFields.exceptionName(value),
    message: ExceptionFields.message(value),
    stack: value.stack,
    quota: quotaOf(value),
  };
}

/**
 * @param {any} parts
 * @returns {DOMException}
 */
export function exceptionOf(parts) {
  const { quota } = parts;
  const exception =
    quota === undefined
      ? new DOMException(parts.message, parts.name)
      : new QuotaExceededError(parts.message, /** @type {any} */ ({ __proto__: null, quota: quota[0] ?? undefined, requested: quota[1] ?? undefined }));
  ObjectDefineProperty(exception, 'stack', { __proto__: null, value: parts.stack, writable: true, configurable: true });
  return exception;
}
