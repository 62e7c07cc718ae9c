// @ts-check
/** Random values of the Web Cryptography API (§10). `SubtleCrypto` is not offered: `crypto.subtle` does not exist. */
import { DOMException } from './dom_exception.js';
import { ops } from './ops.js';
import { primordials } from './primordials.js';
import { configureInterface, illegalConstructor, kConstruct, requiredArguments, toArrayBufferView } from './webidl.js';

const {
  ArrayFrom,
  NumberPrototypeToString,
  StringPrototypePadStart,
  TypedArrayPrototypeGetByteLength,
  TypedArrayPrototypeGetSymbolToStringTag,
  Uint8Array,
} = primordials;

/** The most bytes that one call may ask for (§10.1.1). */
const QUOTA = 65536;
const UUID_BYTES = 16;
const POOL_BYTES = UUID_BYTES * 128;

/** Random bytes of this worker for UUIDs, made at first use: the start-up snapshot must hold none. @type {Uint8Array | undefined} */
let pool;
let poolUsed = POOL_BYTES;

/** Two hexadecimal digits per byte. @type {readonly string[]} */
const hex = ArrayFrom({ __proto__: null, length: 256 }, (/** @type {unknown} */ _, /** @type {number} */ byte) =>
  StringPrototypePadStart(NumberPrototypeToString(byte, 16), 2, '0'));

/**
 * Whether the value is a typed array of integers.
 * @param {unknown} value
 */
function isIntegerArray(value) {
  switch (TypedArrayPrototypeGetSymbolToStringTag(value)) {
    case 'Int8Array':
    case 'Uint8Array':
    case 'Uint8ClampedArray':
    case 'Int16Array':
    case 'Uint16Array':
    case 'Int32Array':
    case 'Uint32Array':
    case 'BigInt64Array':
    case 'BigUint64Array':
      return true;
    default:
      return false;
  }
}

/**
 * Throws what `getRandomValues` owes for an array that it did not fill. Which fault it is gets sorted out only here: to tell shared memory
 * apart costs more than the filling.
 * @param {unknown} array
 * @param {string} prefix
 * @returns {never}
 */
function refuse(array, prefix) {
  toArrayBufferView(array, prefix, 'Argument 1', { allowResizable: true });
  if (!isIntegerArray(array)) throw new DOMException(`${prefix}: Argument 1 is not a typed array of integers`, 'TypeMismatchError');
  const length = TypedArrayPrototypeGetByteLength(array);
  if (length > QUOTA) throw new DOMException(`${prefix}: ${length} bytes asked for, at most ${QUOTA} are given at once`, 'QuotaExceededError');
  throw new DOMException(`${prefix}: the system gave no random bytes`, 'OperationError');
}

/** `Crypto`. Departure: views of resizable buffers are accepted too, as nothing here can observe a resize half-way. */
export class Crypto {
  #brand = true;

  /** @param {symbol} [token] */
  constructor(token = undefined) {
    if (token !== kConstruct) illegalConstructor();
  }

  /**
   * Fills a typed array of integers with random values and returns it.
   * @template {ArrayBufferView} T
   * @param {T} array
   * @returns {T}
   */
  getRandomValues(array) {
    this.#brand;
    const prefix = "Failed to execute 'getRandomValues' on 'Crypto'";
    requiredArguments(arguments.length, 1, prefix);
    // `randomFill` itself refuses shared memory.
    if (!isIntegerArray(array) || TypedArrayPrototypeGetByteLength(array) > QUOTA || !ops.randomFill(array)) refuse(array, prefix);
    return array;
  }

  /**
   * A random UUID, version 4 (RFC 9562 §5.4).
   * @returns {`${string}-${string}-${string}-${string}-${string}`}
   */
  randomUUID() {
    this.#brand;
    pool ??= new Uint8Array(POOL_BYTES);
    const b = /** @type {Uint8Array} */ (pool);
    if (poolUsed === POOL_BYTES) {
      if (!ops.randomFill(b)) refuse(b, "Failed to execute 'randomUUID' on 'Crypto'");
      poolUsed = 0;
    }
    const i = poolUsed;
    poolUsed += UUID_BYTES;
    return `${hex[b[i]]}${hex[b[i + 1]]}${hex[b[i + 2]]}${hex[b[i + 3]]}-${hex[b[i + 4]]}${hex[b[i + 5]]}-${hex[(b[i + 6] & 0x0f) | 0x40]}${
      hex[b[i + 7]]
    }-${hex[(b[i + 8] & 0x3f) | 0x80]}${hex[b[i + 9]]}-${hex[b[i + 10]]}${hex[b[i + 11]]}${hex[b[i + 12]]}${hex[b[i + 13]]}${hex[b[i + 14]]}${
      hex[b[i + 15]]
    }`;
  }
}
configureInterface(Crypto, { constructible: false });

/** The worker's `crypto`. */
export const crypto = new Crypto(kConstruct);
