// @ts-check
//# allFunctionsCalledOnLoad
// Booleans, numbers, strings and enumerations (Web IDL §3.2.2 to §3.2.12, §3.2.18).

import { primordials } from '../primordials.js';
import { throwConversionError } from './errors.js';

const {
  MathFloor,
  MathFround,
  MathPow,
  MathTrunc,
  NumberIsFinite,
  NumberIsNaN,
  NumberMAX_SAFE_INTEGER,
  StringPrototypeCharCodeAt,
  StringPrototypeToWellFormed,
} = primordials;

/**
 * @param {any} value
 * @returns {any}
 */
export function toAny(value) {
  return value;
}

/**
 * @param {any} value
 * @returns {boolean}
 */
export function toBoolean(value) {
  return !!value;
}

/**
 * ToNumber, with a message that names the argument where the engine's would not.
 * @param {any} value
 * @param {string} prefix
 * @param {string} context
 * @returns {number}
 */
function toNumber(value, prefix, context) {
  if (typeof value === 'number') return value;
  if (typeof value === 'symbol' || typeof value === 'bigint') {
    throwConversionError(prefix, `${context} is a ${typeof value} and cannot be converted to a number`);
  }
  return +value;
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {number}
 */
export function toUnrestrictedDouble(value, prefix = '', context = 'Value') {
  return toNumber(value, prefix, context);
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {number}
 */
export function toDouble(value, prefix = '', context = 'Value') {
  const number = toNumber(value, prefix, context);
  if (!NumberIsFinite(number)) throwConversionError(prefix, `${context} is not a finite floating-point value`);
  return number;
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {number}
 */
export function toUnrestrictedFloat(value, prefix = '', context = 'Value') {
  return MathFround(toNumber(value, prefix, context));
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {number}
 */
export function toFloat(value, prefix = '', context = 'Value') {
  const number = MathFround(toNumber(value, prefix, context));
  if (!NumberIsFinite(number)) {
    throwConversionError(prefix, `${context} is not a finite single-precision floating-point value`);
  }
  return number;
}

/**
 * ConvertToInt (§3.2.4.9) for one integer type.
 * @param {number} bitLength
 * @param {boolean} signed
 * @param {'wrap' | 'enforceRange' | 'clamp'} mode
 * @returns {(value: any, prefix?: string, context?: string) => number}
 */
export function createIntegerConverter(bitLength, signed, mode) {
  // 64-bit types are bounded by what a Number holds exactly.
  const upper = bitLength === 64 ? NumberMAX_SAFE_INTEGER : MathPow(2, signed ? bitLength - 1 : bitLength) - 1;
  const lower = !signed ? 0 : bitLength === 64 ? -NumberMAX_SAFE_INTEGER : -MathPow(2, bitLength - 1);
  const modulus = MathPow(2, bitLength);
  const half = MathPow(2, bitLength - 1);

  return (value, prefix = '', context = 'Value') => {
    // `+ 0` turns -0 into +0, as IntegerPart and the modulo of the standard do.
    let x = toNumber(value, prefix, context) + 0;
    if (mode === 'enforceRange') {
      if (!NumberIsFinite(x)) throwConversionError(prefix, `${context} is not a finite number`);
      x = MathTrunc(x) + 0;
      if (x < lower || x > upper) {
        throwConversionError(prefix, `${context} is outside the accepted range of ${lower} to ${upper}, inclusive`);
      }
      return x;
    }
    if (NumberIsNaN(x)) return 0;
    if (mode === 'clamp') {
      x = x < lower ? lower : x > upper ? upper : x;
      return roundHalfToEven(x) + 0;
    }
    if (!NumberIsFinite(x)) return 0;
    x = MathTrunc(x) + 0;
    if (x >= lower && x <= upper) return x;
    x %= modulus;
    if (x < 0) x += modulus;
    if (signed && x >= half) x -= modulus;
    return x + 0;
  };
}

/**
 * @param {number} x
 * @returns {number}
 */
function roundHalfToEven(x) {
  const floor = MathFloor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

export const toByte = createIntegerConverter(8, true, 'wrap');
export const toOctet = createIntegerConverter(8, false, 'wrap');
export const toShort = createIntegerConverter(16, true, 'wrap');
export const toUnsignedShort = createIntegerConverter(16, false, 'wrap');
export const toLong = createIntegerConverter(32, true, 'wrap');
export const toUnsignedLong = createIntegerConverter(32, false, 'wrap');
export const toLongLong = createIntegerConverter(64, true, 'wrap');
export const toUnsignedLongLong = createIntegerConverter(64, false, 'wrap');

export const toEnforceRangeOctet = createIntegerConverter(8, false, 'enforceRange');
export const toEnforceRangeUnsignedShort = createIntegerConverter(16, false, 'enforceRange');
export const toEnforceRangeLong = createIntegerConverter(32, true, 'enforceRange');
export const toEnforceRangeUnsignedLong = createIntegerConverter(32, false, 'enforceRange');
export const toEnforceRangeLongLong = createIntegerConverter(64, true, 'enforceRange');
export const toEnforceRangeUnsignedLongLong = createIntegerConverter(64, false, 'enforceRange');

export const toClampOctet = createIntegerConverter(8, false, 'clamp');
export const toClampUnsignedShort = createIntegerConverter(16, false, 'clamp');
export const toClampUnsignedLong = createIntegerConverter(32, false, 'clamp');
export const toClampLongLong = createIntegerConverter(64, true, 'clamp');
export const toClampUnsignedLongLong = createIntegerConverter(64, false, 'clamp');

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {string}
 */
export function toDOMString(value, prefix = '', context = 'Value') {
  if (typeof value === 'string') return value;
  if (typeof value === 'symbol') throwConversionError(prefix, `${context} is a symbol and cannot be converted to a string`);
  return `${value}`;
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {string}
 */
export function toUSVString(value, prefix = '', context = 'Value') {
  return StringPrototypeToWellFormed(toDOMString(value, prefix, context));
}

/**
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {string}
 */
export function toByteString(value, prefix = '', context = 'Value') {
  const text = toDOMString(value, prefix, context);
  for (let i = 0; i < text.length; i++) {
    if (StringPrototypeCharCodeAt(text, i) > 255) {
      throwConversionError(prefix, `${context} is not a valid ByteString: the character at index ${i} is above 255`);
    }
  }
  return text;
}

/**
 * @template {string} T
 * @param {any} value
 * @param {readonly T[]} values
 * @param {string} enumName
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {T}
 */
export function toEnum(value, values, enumName, prefix = '', context = 'Value') {
  const text = toDOMString(value, prefix, context);
  for (let i = 0; i < values.length; i++) {
    if (values[i] === text) return values[i];
  }
  return throwConversionError(prefix, `${context} '${text}' is not a valid enum value of type ${enumName}`);
}
