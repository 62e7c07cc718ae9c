// @ts-check
// For each kind of object: the text around its entries, the entries, and which properties follow them.

import { primordials } from '../primordials.js';
import { sharedByteLength } from '../shared_buffer.js';
import {
  formatArray, formatArrayBuffer, formatIterator, formatMap, formatNamespace, formatPromise, formatSet,
  formatTypedArray, formatWeak, iteratorBrace,
} from './collections.js';
import { formatError } from './errors.js';
import { Kind } from './kinds.js';
import { Shape } from './layout.js';
import { boxLabel, functionLabel, prefix } from './names.js';
import { formatInternalName, nonIndexKeys, ownKeys } from './property.js';
import { formatNumber } from './strings.js';
import { formatValue } from './value.js';

const {
  ArrayBufferPrototypeGetByteLength,
  ArrayIsArray,
  ArrayPrototypePush,
  DataViewPrototypeGetBuffer,
  DataViewPrototypeGetByteLength,
  DataViewPrototypeGetByteOffset,
  DatePrototypeGetTime,
  DatePrototypeToISOString,
  DatePrototypeToString,
  ErrorPrototype,
  MapPrototypeGetSize,
  NumberIsNaN,
  ObjectPrototypeIsPrototypeOf,
  RegExpPrototypeGetDotAll,
  RegExpPrototypeGetGlobal,
  RegExpPrototypeGetHasIndices,
  RegExpPrototypeGetIgnoreCase,
  RegExpPrototypeGetMultiline,
  RegExpPrototypeGetSource,
  RegExpPrototypeGetSticky,
  RegExpPrototypeGetUnicode,
  RegExpPrototypeGetUnicodeSets,
  SetPrototypeGetSize,
  SymbolIterator,
  TypedArrayPrototypeGetLength,
  TypedArrayPrototypeGetSymbolToStringTag,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

/**
 * @typedef {object} Parts
 * @property {string} base text in front of the braces; alone when there is nothing to put in them
 * @property {string} style style of a base that stands alone
 * @property {string[]} braces opening and closing
 * @property {PropertyKey[]} keys properties to list
 * @property {number} shape
 * @property {((level: number) => string[]) | undefined} entries what is listed before the properties
 * @property {boolean} empty without keys there is nothing to list
 * @property {boolean} oneLine shown below the depth limit as well
 */

/**
 * @param {Context} ctx
 * @param {Parts} parts without keys
 * @returns {string | undefined} the whole text, unless there are entries
 */
export function emptyText(ctx, parts) {
  if (!parts.empty) return undefined;
  if (parts.base === '') return `${parts.braces[0]}${parts.braces[1]}`;
  return parts.style === '' ? parts.base : ctx.stylize(parts.base, parts.style);
}

/**
 * @param {PropertyKey[]} keys
 * @param {string} opening
 * @param {string} closing
 * @param {((level: number) => string[]) | undefined} entries
 * @param {boolean} empty
 * @param {number} [shape]
 * @returns {Parts}
 */
function listed(keys, opening, closing, entries, empty, shape = Shape.OBJECT) {
  return { base: '', style: '', braces: [opening, closing], keys, shape, entries, empty, oneLine: false };
}

/**
 * @param {PropertyKey[]} keys
 * @param {string} base
 * @param {string} style '' when the base is styled already
 * @param {boolean} [oneLine]
 * @returns {Parts}
 */
function labelled(keys, base, style, oneLine = false) {
  return {
    base, style, braces: ['{', '}'], keys, shape: Shape.OBJECT, entries: undefined, empty: true, oneLine,
  };
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {number} kind
 * @param {string | null} constructor
 * @param {string} tag
 * @param {number} level
 * @param {boolean} bytesShown
 * @returns {Parts}
 */
export function describe(ctx, value, kind, constructor, tag, level, bytesShown) {
  if (constructor === 'Object' && typeof value !== 'function' && !isIterableList(value, kind)) {
    // Whatever is inside, a script has made it a plain object to those who use it.
    const opening = kind === Kind.ARGUMENTS ? '[Arguments] {' : '{';
    return listed(ownKeys(value, ctx.showHidden), tag === '' ? opening : `${prefix(constructor, tag, 'Object')}{`, '}',
      undefined, true);
  }
  if (ArrayIsArray(value)) {
    const keys = nonIndexKeys(value, ctx.showHidden);
    const name = constructor !== 'Array' || tag !== '' ? prefix(constructor, tag, 'Array', `(${value.length})`) : '';
    return listed(keys, `${name}[`, ']', (inner) => formatArray(ctx, value, inner), value.length === 0, Shape.ARRAY);
  }
  if (kind === Kind.TYPED_ARRAY) {
    const keys = nonIndexKeys(value, ctx.showHidden);
    const length = TypedArrayPrototypeGetLength(value);
    const name = prefix(constructor, tag, TypedArrayPrototypeGetSymbolToStringTag(value), `(${length})`);
    return listed(keys, `${name}[`, ']', (inner) => formatTypedArray(ctx, value, inner),
      length === 0 && !ctx.showHidden, Shape.ARRAY);
  }
  const keys = ownKeys(value, ctx.showHidden);
  if (typeof value === 'function') return labelled(keys, functionLabel(ctx, value, constructor, tag), 'special');
  switch (kind) {
    case Kind.SET: {
      const size = SetPrototypeGetSize(value);
      const name = prefix(constructor, tag, 'Set', `(${size})`);
      return listed(keys, `${name}{`, '}', (inner) => formatSet(ctx, value, size, inner), size === 0);
    }
    case Kind.MAP: {
      const size = MapPrototypeGetSize(value);
      const name = prefix(constructor, tag, 'Map', `(${size})`);
      return listed(keys, `${name}{`, '}', (inner) => formatMap(ctx, value, size, inner), size === 0);
    }
    case Kind.MAP_ITERATOR: return describeIterator(ctx, value, 'Map', keys, tag);
    case Kind.SET_ITERATOR: return describeIterator(ctx, value, 'Set', keys, tag);
    case Kind.WEAK_SET: return describeWeak(ctx, value, 'WeakSet', keys, constructor, tag);
    case Kind.WEAK_MAP: return describeWeak(ctx, value, 'WeakMap', keys, constructor, tag);
    case Kind.PROMISE:
      return listed(keys, `${prefix(constructor, tag, 'Promise')}{`, '}',
        (inner) => formatPromise(ctx, value, inner), false);
    case Kind.REG_EXP:
      return labelled(keys, ctx.stylize(named(regExpText(value), 'RegExp', constructor, tag), 'regexp'), '', true);
    case Kind.DATE: {
      const time = DatePrototypeGetTime(value);
      const text = NumberIsNaN(time) ? DatePrototypeToString(value) : DatePrototypeToISOString(value);
      return labelled(keys, named(text, 'Date', constructor, tag), 'date');
    }
    case Kind.ARRAY_BUFFER:
      return describeBuffer(ctx, value, 'ArrayBuffer', ArrayBufferPrototypeGetByteLength(value), keys, constructor, tag,
        bytesShown);
    case Kind.SHARED_ARRAY_BUFFER:
      return describeBuffer(ctx, value, 'SharedArrayBuffer', sharedByteLength(value), keys,
        constructor, tag, bytesShown);
    case Kind.DATA_VIEW:
      return listed(keys, `${prefix(constructor, tag, 'DataView')}{`, '}', (inner) => formatDataView(ctx, value, inner),
        false);
    case Kind.MODULE_NAMESPACE:
      return listed([], `${prefix(constructor, tag, 'Module')}{`, '}',
        (inner) => formatNamespace(ctx, value, keys, inner), keys.length === 0);
    case Kind.BOXED_NUMBER:
    case Kind.BOXED_STRING:
    case Kind.BOXED_BOOLEAN:
    case Kind.BOXED_BIGINT:
    case Kind.BOXED_SYMBOL:
      return labelled(keys, boxLabel(ctx, value, kind, keys, constructor, tag), '');
    case Kind.ARGUMENTS:
      return listed(keys, `${prefix(constructor, tag, 'Arguments')}{`, '}', undefined, true);
  }
  if (kind === Kind.ERROR || ObjectPrototypeIsPrototypeOf(ErrorPrototype, value)) {
    return labelled(keys, formatError(ctx, value, constructor, tag, keys, level), '');
  }
  return listed(keys, `${prefix(constructor, tag, 'Object')}{`, '}', undefined, true);
}

/**
 * @param {any} value
 * @param {number} kind
 * @returns {boolean}
 */
function isIterableList(value, kind) {
  switch (kind) {
    case Kind.MAP:
    case Kind.SET:
    case Kind.MAP_ITERATOR:
    case Kind.SET_ITERATOR:
    case Kind.TYPED_ARRAY:
      return SymbolIterator in value;
    default:
      return ArrayIsArray(value) && SymbolIterator in value;
  }
}

/**
 * What `RegExp.prototype.toString` (ECMA-262 §22.2.6.17) returns, which would look `source` and each flag up.
 *
 * @param {any} value
 * @returns {string}
 */
function regExpText(value) {
  let flags = '';
  if (RegExpPrototypeGetHasIndices(value)) flags += 'd';
  if (RegExpPrototypeGetGlobal(value)) flags += 'g';
  if (RegExpPrototypeGetIgnoreCase(value)) flags += 'i';
  if (RegExpPrototypeGetMultiline(value)) flags += 'm';
  if (RegExpPrototypeGetDotAll(value)) flags += 's';
  if (RegExpPrototypeGetUnicode(value)) flags += 'u';
  if (RegExpPrototypeGetUnicodeSets(value)) flags += 'v';
  if (RegExpPrototypeGetSticky(value)) flags += 'y';
  return `/${RegExpPrototypeGetSource(value)}/${flags}`;
}

/**
 * @param {string} text
 * @param {string} type
 * @param {string | null} constructor
 * @param {string} tag
 * @returns {string} the text, after its class when that is not the usual one
 */
function named(text, type, constructor, tag) {
  const name = prefix(constructor, tag, type);
  return name === `${type} ` ? text : `${name}${text}`;
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {string} kind
 * @param {PropertyKey[]} keys
 * @param {string} tag
 * @returns {Parts}
 */
function describeIterator(ctx, value, kind, keys, tag) {
  const parts = listed(keys, iteratorBrace(kind, 'Iterator', tag), '}', undefined, false);
  parts.entries = (inner) => formatIterator(ctx, value, parts.braces, kind, tag, inner);
  return parts;
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {string} type
 * @param {PropertyKey[]} keys
 * @param {string | null} constructor
 * @param {string} tag
 * @returns {Parts}
 */
function describeWeak(ctx, value, type, keys, constructor, tag) {
  return listed(keys, `${prefix(constructor, tag, type)}{`, '}', (inner) => formatWeak(ctx, value, inner), false);
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {string} type
 * @param {number} byteLength
 * @param {PropertyKey[]} keys
 * @param {string | null} constructor
 * @param {string} tag
 * @param {boolean} bytesShown
 * @returns {Parts}
 */
function describeBuffer(ctx, value, type, byteLength, keys, constructor, tag, bytesShown) {
  const opening = `${prefix(constructor, tag, type)}{`;
  const length = formatNumber(ctx.stylize, byteLength, ctx.numericSeparator);
  if (bytesShown && keys.length === 0) return labelled(keys, `${opening} [byteLength]: ${length} }`, '', true);
  return listed(keys, opening, '}', () => {
    const output = bytesShown ? [] : formatArrayBuffer(ctx, value);
    ArrayPrototypePush(output, `${formatInternalName(ctx, 'byteLength')}: ${length}`);
    return output;
  }, false);
}

/**
 * @param {Context} ctx
 * @param {any} view
 * @param {number} level
 * @returns {string[]}
 */
function formatDataView(ctx, view, level) {
  let byteLength = 0;
  let byteOffset = 0;
  try {
    byteLength = DataViewPrototypeGetByteLength(view);
    byteOffset = DataViewPrototypeGetByteOffset(view);
  } catch {
    // Detached or out of bounds (ECMA-262 §25.3.1): nothing is left to view.
  }
  ctx.indentation += 2;
  const output = [
    `${formatInternalName(ctx, 'byteLength')}: ${formatNumber(ctx.stylize, byteLength, ctx.numericSeparator)}`,
    `${formatInternalName(ctx, 'byteOffset')}: ${formatNumber(ctx.stylize, byteOffset, ctx.numericSeparator)}`,
    `${formatInternalName(ctx, 'buffer')}: ${formatValue(ctx, DataViewPrototypeGetBuffer(view), level)}`,
  ];
  ctx.indentation -= 2;
  return output;
}
