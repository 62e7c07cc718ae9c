// @ts-check
// Console §1.1 "table": rows and columns in box-drawing characters.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { Kind } from './kinds.js';
import { spaces } from './strings.js';
import { stringWidth } from './width.js';

const {
  ArrayPrototypePush,
  MapPrototypeForEach,
  MathMax,
  ObjectKeys,
  ObjectPrototypeHasOwnProperty,
  SafeMap,
  SetPrototypeForEach,
  StringPrototypeRepeat,
} = primordials;

/** @typedef {(value: any) => string} Show */

const INDEX = '(index)';
const ITERATION_INDEX = '(iteration index)';
const KEY = 'Key';
const VALUES = 'Values';

// Box drawing (Unicode block U+2500), each with the corner or joint that it is.
const BAR = '\u2502'; // │
const LINE = '\u2500'; // ─
const TOP = ['\u250c', '\u252c', '\u2510']; // ┌ ┬ ┐
const MIDDLE = ['\u251c', '\u253c', '\u2524']; // ├ ┼ ┤
const BOTTOM = ['\u2514', '\u2534', '\u2518']; // └ ┴ ┘

/**
 * @param {string} character
 * @param {number} count
 * @returns {string}
 */
function repeat(character, count) {
  return StringPrototypeRepeat(character, count);
}

/**
 * @param {string[]} cells
 * @param {number[]} widths
 * @returns {string}
 */
function row(cells, widths) {
  let text = BAR;
  for (let i = 0; i < cells.length; i++) {
    text += ` ${cells[i]}${spaces(widths[i] - stringWidth(cells[i]) - 1)}${BAR}`;
  }
  return text;
}

/**
 * @param {number[]} widths
 * @param {string[]} joints left, in between, right
 * @returns {string}
 */
function rule(widths, joints) {
  let text = joints[0];
  for (let i = 0; i < widths.length; i++) text += (i === 0 ? '' : joints[1]) + repeat(LINE, widths[i]);
  return text + joints[2];
}

/**
 * @param {string[]} column
 * @param {number} index
 * @returns {string} a row without that property has a hole there
 */
function cell(column, index) {
  return ObjectPrototypeHasOwnProperty(column, index) ? column[index] : '';
}

/**
 * @param {string[]} head
 * @param {string[][]} columns as many cells in each; a hole is an empty cell
 * @returns {string}
 */
function draw(head, columns) {
  /** @type {number[]} */
  const widths = [];
  let height = 0;
  for (let i = 0; i < head.length; i++) {
    let width = stringWidth(head[i]);
    for (let j = 0; j < columns[i].length; j++) width = MathMax(width, stringWidth(cell(columns[i], j)));
    ArrayPrototypePush(widths, width + 2);
    height = MathMax(height, columns[i].length);
  }
  let text = `${rule(widths, TOP)}\n${row(head, widths)}\n${rule(widths, MIDDLE)}\n`;
  for (let j = 0; j < height; j++) {
    /** @type {string[]} */
    const cells = [];
    for (let i = 0; i < columns.length; i++) ArrayPrototypePush(cells, cell(columns[i], j));
    text += `${row(cells, widths)}\n`;
  }
  return text + rule(widths, BOTTOM);
}

/**
 * @param {number} count
 * @param {Show} show
 * @returns {string[]}
 */
function numbers(count, show) {
  /** @type {string[]} */
  const cells = [];
  for (let i = 0; i < count; i++) ArrayPrototypePush(cells, show(i));
  return cells;
}

/**
 * Maps, sets and their iterators: one row for each entry, whatever the entry is.
 *
 * @param {any} data
 * @param {Show} show
 * @returns {string | undefined} undefined for anything else
 */
function drawEntries(data, show) {
  /** @type {string[]} */
  const keys = [];
  /** @type {string[]} */
  const values = [];
  switch (ops.valueKind(data)) {
    case Kind.MAP:
      MapPrototypeForEach(data, (/** @type {any} */ value, /** @type {any} */ key) => {
        ArrayPrototypePush(keys, show(key));
        ArrayPrototypePush(values, show(value));
      });
      return draw([ITERATION_INDEX, KEY, VALUES], [numbers(keys.length, show), keys, values]);
    case Kind.SET:
      SetPrototypeForEach(data, (/** @type {any} */ value) => ArrayPrototypePush(values, show(value)));
      break;
    case Kind.MAP_ITERATOR:
    case Kind.SET_ITERATOR: {
      const preview = ops.previewEntries(data);
      const entries = preview === undefined ? [] : preview[0];
      // What `set.entries()` yields are pairs of one item twice: those are listed as they come.
      if (preview !== undefined && preview[1] && ops.valueKind(data) === Kind.MAP_ITERATOR) {
        for (let i = 0; i < entries.length; i += 2) {
          ArrayPrototypePush(keys, show(entries[i]));
          ArrayPrototypePush(values, show(entries[i + 1]));
        }
        return draw([ITERATION_INDEX, KEY, VALUES], [numbers(keys.length, show), keys, values]);
      }
      for (let i = 0; i < entries.length; i++) ArrayPrototypePush(values, show(entries[i]));
      break;
    }
    default: return undefined;
  }
  return draw([ITERATION_INDEX, VALUES], [numbers(values.length, show), values]);
}

/**
 * @param {any} data an object
 * @param {any[] | undefined} properties the columns wanted; undefined means all that occur
 * @param {Show} show
 * @returns {string}
 */
export function formatTable(data, properties, show) {
  const entries = drawEntries(data, show);
  if (entries !== undefined) return entries;

  const rows = ObjectKeys(data);
  /** Column name → cells, in order of first appearance. */
  const columns = new SafeMap();
  /** @type {string[]} */
  const primitives = [];
  let hasPrimitives = false;
  for (let i = 0; i < rows.length; i++) {
    const item = data[rows[i]];
    if (item === null || (typeof item !== 'object' && typeof item !== 'function')) {
      if (properties === undefined) {
        primitives[i] = show(item);
        hasPrimitives = true;
      }
      continue;
    }
    const keys = properties ?? ObjectKeys(item);
    for (let j = 0; j < keys.length; j++) {
      const key = keys[j];
      if (typeof key === 'symbol') continue;
      let cells = columns.get(key);
      if (cells === undefined) {
        cells = [];
        columns.set(key, cells);
      }
      if (ObjectPrototypeHasOwnProperty(item, key)) cells[i] = show(item[key]);
    }
  }

  const head = [INDEX];
  /** @type {string[][]} */
  const body = [rows];
  columns.forEach((/** @type {string[]} */ cells, /** @type {any} */ name) => {
    ArrayPrototypePush(head, `${name}`);
    ArrayPrototypePush(body, cells);
  });
  if (hasPrimitives) {
    ArrayPrototypePush(head, VALUES);
    ArrayPrototypePush(body, primitives);
  }
  return draw(head, body);
}
