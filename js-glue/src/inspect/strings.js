// @ts-check
// Text of primitives: quoting and escaping, numbers with separators, splitting into lines.
//
// Regular expressions are only ever run by RegExpPrototypeExec: `test`, `replace`, `split` and `match` look `exec` or a
// @@symbol up on prototypes that a script may have patched.

import { primordials } from '../primordials.js';

const {
  ArrayPrototypeJoin,
  ArrayPrototypePush,
  MathTrunc,
  NumberIsFinite,
  NumberIsNaN,
  NumberPrototypeToString,
  ObjectIs,
  RegExpPrototypeExec,
  StringPrototypeCharCodeAt,
  StringPrototypeIncludes,
  StringPrototypeIndexOf,
  StringPrototypePadStart,
  StringPrototypeRepeat,
  StringPrototypeSlice,
  StringPrototypeToUpperCase,
  SymbolPrototypeToString,
} = primordials;

/** @typedef {import('./options.js').Context} Context */
/** @typedef {(text: string, style: string) => string} Stylize */

// Controls (C0, DEL, C1), the single quote, the backslash, and surrogates without their other half.
const needsEscape =
  /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

// Shorter strings are never split over lines, however narrow the space.
const MIN_SPLIT_LENGTH = 16;

/**
 * @param {number} count
 * @returns {string}
 */
export function spaces(count) {
  return StringPrototypeRepeat(' ', count);
}

/**
 * @param {number} count
 * @returns {string} the plural's ending
 */
export function plural(count) {
  return count > 1 ? 's' : '';
}

/**
 * @param {string} text
 * @returns {string[]} the lines, without their ends
 */
export function splitLines(text) {
  /** @type {string[]} */
  const lines = [];
  let start = 0;
  for (;;) {
    const end = StringPrototypeIndexOf(text, '\n', start);
    if (end === -1) break;
    ArrayPrototypePush(lines, StringPrototypeSlice(text, start, end));
    start = end + 1;
  }
  ArrayPrototypePush(lines, StringPrototypeSlice(text, start));
  return lines;
}

/**
 * @param {string} text
 * @param {number} columns
 * @returns {string} the text with every line but the first moved right
 */
export function indentLines(text, columns) {
  if (columns === 0 || StringPrototypeIndexOf(text, '\n') === -1) return text;
  return ArrayPrototypeJoin(splitLines(text), `\n${spaces(columns)}`);
}

/**
 * @param {string} text
 * @returns {boolean} may stand as a property name without quotes
 */
export function isIdentifier(text) {
  return RegExpPrototypeExec(identifier, text) !== null;
}

/**
 * @param {number} code
 * @param {boolean} quoted the single quote is the delimiter
 * @param {string} character
 * @returns {string}
 */
function escapeUnit(code, quoted, character) {
  switch (code) {
    case 0x08: return '\\b';
    case 0x09: return '\\t';
    case 0x0a: return '\\n';
    case 0x0c: return '\\f';
    case 0x0d: return '\\r';
    case 0x27: return quoted ? "\\'" : character;
    case 0x5c: return '\\\\';
  }
  if (code >= 0xd800 && code <= 0xdfff) return `\\u${NumberPrototypeToString(code, 16)}`;
  if (code > 0x1f && (code < 0x7f || code > 0x9f)) return character;
  return `\\x${StringPrototypePadStart(StringPrototypeToUpperCase(NumberPrototypeToString(code, 16)), 2, '0')}`;
}

/**
 * @param {string} text
 * @param {boolean} quoted escape the single quote as well
 * @returns {string}
 */
export function escapeText(text, quoted) {
  if (RegExpPrototypeExec(needsEscape, text) === null) return text;
  let result = '';
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    const code = StringPrototypeCharCodeAt(text, i);
    if (code >= 0xd800 && code <= 0xdbff && i + 1 < text.length) {
      const next = StringPrototypeCharCodeAt(text, i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        i++;
        continue;
      }
    }
    const escaped = escapeUnit(code, quoted, text[i]);
    if (escaped === text[i]) continue;
    result += StringPrototypeSlice(text, copied, i) + escaped;
    copied = i + 1;
  }
  return result + StringPrototypeSlice(text, copied);
}

/**
 * A string as source text. Single quotes unless the text has some and another kind would save escapes.
 *
 * @param {string} text
 * @returns {string}
 */
export function quote(text) {
  let delimiter = "'";
  if (StringPrototypeIncludes(text, "'")) {
    if (!StringPrototypeIncludes(text, '"')) delimiter = '"';
    else if (!StringPrototypeIncludes(text, '`') && !StringPrototypeIncludes(text, '${')) delimiter = '`';
  }
  return `${delimiter}${escapeText(text, delimiter === "'")}${delimiter}`;
}

/**
 * @param {string} digits integer part, maybe signed
 * @returns {string}
 */
function groupIntegerDigits(digits) {
  const first = digits[0] === '-' ? 1 : 0;
  let result = '';
  let end = digits.length;
  while (end - 3 > first) {
    result = `_${StringPrototypeSlice(digits, end - 3, end)}${result}`;
    end -= 3;
  }
  return end === digits.length ? digits : StringPrototypeSlice(digits, 0, end) + result;
}

/**
 * @param {string} digits fractional part
 * @returns {string}
 */
function groupFractionDigits(digits) {
  let result = StringPrototypeSlice(digits, 0, 3);
  for (let i = 3; i < digits.length; i += 3) result += `_${StringPrototypeSlice(digits, i, i + 3)}`;
  return result;
}

/**
 * @param {Stylize} stylize
 * @param {number} value
 * @param {boolean} separate
 * @returns {string}
 */
export function formatNumber(stylize, value, separate) {
  return stylize(numberText(value, separate), 'number');
}

/**
 * @param {number} value
 * @param {boolean} separate
 * @returns {string}
 */
function numberText(value, separate) {
  if (ObjectIs(value, -0)) return '-0';
  const text = `${value}`;
  if (!separate || !NumberIsFinite(value) || NumberIsNaN(value) || StringPrototypeIncludes(text, 'e')) return text;
  const point = StringPrototypeIndexOf(text, '.');
  if (MathTrunc(value) === value || point === -1) return groupIntegerDigits(text);
  const whole = groupIntegerDigits(StringPrototypeSlice(text, 0, point));
  return `${whole}.${groupFractionDigits(StringPrototypeSlice(text, point + 1))}`;
}

/**
 * @param {Stylize} stylize
 * @param {bigint} value
 * @param {boolean} separate
 * @returns {string}
 */
export function formatBigInt(stylize, value, separate) {
  const text = `${value}`;
  return stylize(`${separate ? groupIntegerDigits(text) : text}n`, 'bigint');
}

/**
 * @param {Stylize} stylize
 * @param {string} value
 * @param {Context} ctx
 * @returns {string}
 */
function formatString(stylize, value, ctx) {
  let trailer = '';
  let text = value;
  if (ctx.maxStringLength < text.length) {
    const remaining = text.length - ctx.maxStringLength;
    text = StringPrototypeSlice(text, 0, ctx.maxStringLength);
    trailer = `... ${remaining} more character${plural(remaining)}`;
  }
  const room = ctx.breakLength - ctx.indentation - 4;
  if (ctx.compact === true || text.length <= MIN_SPLIT_LENGTH || text.length <= room) {
    return stylize(quote(text), 'string') + trailer;
  }
  const lines = splitLines(text);
  /** @type {string[]} */
  const quoted = [];
  for (let i = 0; i < lines.length; i++) {
    const last = i === lines.length - 1;
    // A final line end closes its line; it does not open an empty one.
    if (last && lines[i] === '' && i > 0) break;
    ArrayPrototypePush(quoted, stylize(quote(last ? lines[i] : `${lines[i]}\n`), 'string'));
  }
  return ArrayPrototypeJoin(quoted, ` +\n${spaces(ctx.indentation + 2)}`) + trailer;
}

/**
 * @param {Stylize} stylize
 * @param {any} value anything but an object or a function
 * @param {Context} ctx
 * @returns {string}
 */
export function formatPrimitive(stylize, value, ctx) {
  switch (typeof value) {
    case 'string': return formatString(stylize, value, ctx);
    case 'number': return formatNumber(stylize, value, ctx.numericSeparator);
    case 'bigint': return formatBigInt(stylize, value, ctx.numericSeparator);
    case 'boolean': return stylize(`${value}`, 'boolean');
    case 'symbol': return stylize(SymbolPrototypeToString(value), 'symbol');
    case 'undefined': return stylize('undefined', 'undefined');
    default: return stylize('null', 'null');
  }
}
