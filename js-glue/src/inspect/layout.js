// @ts-check
// How formatted entries are put together: on one line, in columns, or one entry a line.

import { primordials } from '../primordials.js';
import { spaces } from './strings.js';
import { displayedLength, stringWidth } from './width.js';

const {
  ArrayPrototypeJoin,
  ArrayPrototypePush,
  MathFloor,
  MathMax,
  MathMin,
  MathRound,
  MathSqrt,
  StringPrototypeIncludes,
  StringPrototypePadEnd,
  StringPrototypePadStart,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

/** What the entries belong to: decides how names are written and whether columns may be used. */
export const Shape = { OBJECT: 0, ARRAY_ITEM: 1, ARRAY: 2 };

// A character cell is about two and a half times as high as it is wide; columns aim at a square in that measure.
const CELL_RATIO = 2.5;
const MAX_COLUMNS = 15;
const SEPARATOR = 2; // ", "

/**
 * @param {Context} ctx
 * @param {string[]} output
 * @param {number} start columns taken by what surrounds the entries
 * @param {string} base
 * @returns {boolean}
 */
function fitsOneLine(ctx, output, start, base) {
  let total = output.length + start;
  if (total + output.length > ctx.breakLength) return false;
  for (let i = 0; i < output.length; i++) {
    total += displayedLength(output[i], ctx.colors);
    if (total > ctx.breakLength) return false;
  }
  return base === '' || !StringPrototypeIncludes(base, '\n');
}

/**
 * Puts more than six short entries in aligned columns. The last entry is left alone when it tells how many are missing.
 *
 * @param {Context} ctx
 * @param {string[]} output
 * @param {any} value the list itself, or undefined: numbers are aligned right
 * @returns {string[]} rows, or `output` when columns would not help
 */
function groupInColumns(ctx, output, value) {
  const count = ctx.maxArrayLength < output.length ? output.length - 1 : output.length;
  /** @type {number[]} */
  const lengths = [];
  let total = 0;
  let longest = 0;
  for (let i = 0; i < count; i++) {
    const length = stringWidth(output[i], ctx.colors);
    ArrayPrototypePush(lengths, length);
    total += length + SEPARATOR;
    longest = MathMax(longest, length);
  }
  const widest = longest + SEPARATOR;
  // Three columns must fit, and the entries must be alike in length, or short.
  if (widest * 3 + ctx.indentation >= ctx.breakLength || (total / widest <= 5 && longest > 6)) return output;

  const bias = MathSqrt(widest - total / output.length);
  const typical = MathMax(widest - 3 - bias, 1);
  const columns = MathMin(
    MathRound(MathSqrt(CELL_RATIO * typical * count) / typical),
    MathFloor((ctx.breakLength - ctx.indentation) / widest),
    ctx.compact * 4,
    MAX_COLUMNS,
  );
  if (columns <= 1) return output;

  /** @type {number[]} */
  const columnWidths = [];
  for (let column = 0; column < columns; column++) {
    let width = 0;
    for (let i = column; i < count; i += columns) width = MathMax(width, lengths[i]);
    ArrayPrototypePush(columnWidths, width + SEPARATOR);
  }
  const alignRight = value !== undefined && allNumbers(value, output.length);
  /** @type {string[]} */
  const rows = [];
  for (let first = 0; first < count; first += columns) {
    const end = MathMin(first + columns, count);
    let row = '';
    for (let i = first; i < end; i++) {
      const last = i === end - 1;
      const cell = last ? output[i] : `${output[i]}, `;
      // Invisible colour codes count as characters for padding, so they are added to the target width.
      const width = columnWidths[i - first] + output[i].length - lengths[i] - (last ? SEPARATOR : 0);
      if (alignRight) row += StringPrototypePadStart(cell, width, ' ');
      else row += last ? cell : StringPrototypePadEnd(cell, width, ' ');
    }
    ArrayPrototypePush(rows, row);
  }
  if (count < output.length) ArrayPrototypePush(rows, output[count]);
  return rows;
}

/**
 * @param {any} value
 * @param {number} count
 * @returns {boolean}
 */
function allNumbers(value, count) {
  for (let i = 0; i < count; i++) {
    const type = typeof value[i];
    if (type !== 'number' && type !== 'bigint') return false;
  }
  return true;
}

/**
 * @param {Context} ctx
 * @param {string[]} output formatted entries
 * @param {string} base text in front of the braces, or ''
 * @param {string[]} braces opening (with prefix) and closing
 * @param {number} shape
 * @param {number} level the level of the value that owns the entries
 * @param {any} [value] the owner when it is a list
 * @returns {string}
 */
export function combine(ctx, output, base, braces, shape, level, value) {
  const before = base === '' ? '' : `${base} `;
  if (ctx.compact === true) return combineCompact(ctx, output, base, braces);
  let entries = output;
  if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
    if (shape === Shape.ARRAY && output.length > 6) entries = groupInColumns(ctx, output, value);
    // Only the innermost `compact` levels share a line, and rows of columns never do.
    if (ctx.currentDepth - level < ctx.compact && entries === output) {
      const start = output.length + ctx.indentation + braces[0].length + base.length + 10;
      if (fitsOneLine(ctx, output, start, base)) {
        const joined = ArrayPrototypeJoin(output, ', ');
        if (!StringPrototypeIncludes(joined, '\n')) return `${before}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
  }
  const newline = `\n${spaces(ctx.indentation)}`;
  return `${before}${braces[0]}${newline}  ${ArrayPrototypeJoin(entries, `,${newline}  `)}${newline}${braces[1]}`;
}

/**
 * `compact: true`: entries follow the opening brace on its line.
 *
 * @param {Context} ctx
 * @param {string[]} output
 * @param {string} base
 * @param {string[]} braces
 * @returns {string}
 */
function combineCompact(ctx, output, base, braces) {
  const after = base === '' ? '' : ` ${base}`;
  if (fitsOneLine(ctx, output, 0, base)) {
    return `${braces[0]}${after} ${ArrayPrototypeJoin(output, ', ')} ${braces[1]}`;
  }
  const newline = `\n${spaces(ctx.indentation)}`;
  const opening = base === '' && braces[0].length === 1 ? ' ' : `${after}${newline}  `;
  return `${braces[0]}${opening}${ArrayPrototypeJoin(output, `,${newline}  `)} ${braces[1]}`;
}

/**
 * @param {Context} ctx
 * @param {string} text a formatted property value
 * @returns {boolean} too wide to stand next to its name under `compact: true`
 */
export function exceedsLine(ctx, text) {
  return ctx.breakLength < stringWidth(text, ctx.colors);
}
