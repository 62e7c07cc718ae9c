// @ts-check
// What a value is called: its constructor's name, the prefix before its braces, the label of functions and boxes.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { isBuiltInName } from './built_ins.js';
import { Kind } from './kinds.js';
import { Shape } from './layout.js';
import { stylizeNoColor } from './options.js';
import { isData, ownValue } from './own.js';
import { formatProperty } from './property.js';
import { formatPrimitive } from './strings.js';
import { formatValue } from './value.js';

const {
  ArrayPrototypePush,
  BigIntPrototypeValueOf,
  BooleanPrototypeValueOf,
  FunctionPrototypeToString,
  NumberPrototypeValueOf,
  ObjectGetOwnPropertyDescriptor,
  ObjectGetPrototypeOf,
  ObjectPrototypeHasOwnProperty,
  ObjectPrototypePropertyIsEnumerable,
  ReflectOwnKeys,
  RegExpPrototypeExec,
  SafeSet,
  StringPrototypeEndsWith,
  StringPrototypeIncludes,
  StringPrototypeIndexOf,
  StringPrototypeSlice,
  StringPrototypeStartsWith,
  StringPrototypeToLowerCase,
  StringPrototypeValueOf,
  SymbolPrototypeToString,
  SymbolPrototypeValueOf,
  SymbolToStringTag,
} = primordials;

/** @typedef {import('./options.js').Context} Context */

// Behind the keyword comes a name or `extends`; a method called `class` has its parameter list there.
const classHead = /^class(?:\s|\/\*[^]*?\*\/|\/\/.*\n)+[^\s(/]/;

/** How many prototypes `showHidden` looks through for accessors and data. */
const MAX_PROTOTYPES = 3;

/**
 * @param {any} value
 * @param {any} constructor
 * @returns {boolean}
 */
function isInstance(value, constructor) {
  try {
    return value instanceof constructor;
  } catch {
    return false; // A bound or arrow function has no prototype; @@hasInstance may throw.
  }
}

/**
 * The name of the nearest constructor on the prototype chain of which the value is an instance; null when the chain
 * ends at once, and a description of the chain when it ends without one.
 *
 * @param {Context} ctx
 * @param {any} value
 * @param {number} level
 * @param {string[]} [inherited] receives the formatted properties of user-made prototypes
 * @returns {string | null}
 */
export function constructorName(ctx, value, level, inherited) {
  let firstPrototype;
  for (let object = value; object !== null && object !== undefined;) {
    const constructor = ownValue(object, 'constructor');
    const name = typeof constructor === 'function' ? constructor.name : '';
    if (typeof name === 'string' && name !== '' && isInstance(value, constructor)) {
      if (inherited !== undefined && (firstPrototype !== object || !isBuiltInName(name))) {
        addInherited(ctx, value, firstPrototype ?? value, level, inherited);
      }
      return name;
    }
    object = ObjectGetPrototypeOf(object);
    if (firstPrototype === undefined) firstPrototype = object;
  }
  if (firstPrototype === null || firstPrototype === undefined) return null;

  const name = ops.constructorName(value);
  if (ctx.depth !== null && level > ctx.depth) return `${name} <Complex prototype>`;
  const outer = constructorName(ctx, firstPrototype, level + 1, inherited);
  if (outer !== null) return `${name} <${outer}>`;
  const plain = { ...ctx, customInspect: false, depth: -1, seen: [], circular: undefined };
  return `${name} <${formatValue(plain, firstPrototype, 0)}>`;
}

/**
 * @param {Context} ctx
 * @param {any} main the value that inherits
 * @param {any} from where to start on its chain
 * @param {number} level
 * @param {string[]} inherited
 */
function addInherited(ctx, main, from, level, inherited) {
  const shadowed = new SafeSet();
  let object = from;
  for (let step = 0; step < MAX_PROTOTYPES; step++) {
    if (step !== 0 || object === main) {
      object = ObjectGetPrototypeOf(object);
      if (object === null) return;
      const constructor = ownValue(object, 'constructor');
      if (typeof constructor === 'function' && isBuiltInName(constructor.name)) return;
    }
    const keys = ReflectOwnKeys(object);
    ArrayPrototypePush(ctx.seen, main);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (key === 'constructor' || ObjectPrototypeHasOwnProperty(main, key) || shadowed.has(key)) continue;
      const descriptor = ObjectGetOwnPropertyDescriptor(object, key);
      if (descriptor === undefined || (isData(descriptor) && typeof descriptor.value === 'function')) continue;
      const text = formatProperty(ctx, object, level, key, Shape.OBJECT, descriptor, main);
      ArrayPrototypePush(inherited, ctx.colors ? `\u001b[2m${text}\u001b[22m` : text);
    }
    ctx.seen.length--;
    for (let i = 0; i < keys.length; i++) shadowed.add(keys[i]);
  }
}

/**
 * The value's `Symbol.toStringTag` when it says more than its properties do.
 *
 * @param {Context} ctx
 * @param {any} value
 * @returns {string}
 */
export function toStringTag(ctx, value) {
  let tag;
  try {
    tag = value[SymbolToStringTag];
  } catch {
    return '';
  }
  if (typeof tag !== 'string' || tag === '') return '';
  // An own tag is listed among the properties already.
  const listed = ctx.showHidden ? ObjectPrototypeHasOwnProperty : ObjectPrototypePropertyIsEnumerable;
  return listed(value, SymbolToStringTag) ? '' : tag;
}

/**
 * @param {string | null} constructor
 * @param {string} tag
 * @param {string} fallback the kind of object, for when it has no constructor
 * @param {string} [size] `(n)`
 * @returns {string} ends in a space
 */
export function prefix(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    const extra = tag !== '' && fallback !== tag ? ` [${tag}]` : '';
    return `[${fallback}${size}: null prototype]${extra} `;
  }
  if (tag === '' || constructor === tag) return `${constructor}${size} `;
  // The tag is the qualified name: `WebAssembly.Memory`.
  if (StringPrototypeEndsWith(tag, `.${constructor}`)) return `${tag}${size} `;
  return `${constructor}${size} [${tag}] `;
}

/**
 * What stands for a value below the depth limit.
 *
 * @param {Context} ctx
 * @param {any} value
 * @param {string | null} constructor
 * @param {string} tag
 * @returns {string}
 */
export function placeholder(ctx, value, constructor, tag) {
  if (constructor === null) {
    // The engine's answer for an object without prototype is its class, or else its tag.
    const kind = ops.constructorName(value);
    const name = prefix(null, tag, kind === tag ? 'Object' : kind);
    return ctx.stylize(StringPrototypeSlice(name, 0, -1), 'special');
  }
  return ctx.stylize(`[${StringPrototypeSlice(prefix(constructor, tag, 'Object'), 0, -1)}]`, 'special');
}

/**
 * @param {Context} ctx
 * @param {any} value
 * @param {string | null} constructor
 * @param {string} tag
 * @returns {string} `[Function: name]`, `[class A extends B]` and the like
 */
export function functionLabel(ctx, value, constructor, tag) {
  const source = FunctionPrototypeToString(value);
  if (isClassSource(source)) return classLabel(value, constructor, tag);
  const type = functionType(value);
  let label = `[${type}`;
  if (constructor === null) label += ' (null prototype)';
  const { name } = value;
  if (name === '') label += ' (anonymous)';
  else label += `: ${typeof name === 'string' ? name : formatValue(ctx, name, 0)}`;
  label += ']';
  if (constructor !== type && constructor !== null) label += ` ${constructor}`;
  if (tag !== '' && constructor !== tag) label += ` [${tag}]`;
  return label;
}

/**
 * @param {string} source
 * @returns {boolean}
 */
function isClassSource(source) {
  if (!StringPrototypeStartsWith(source, 'class') || !StringPrototypeEndsWith(source, '}')) return false;
  const head = StringPrototypeSlice(source, 5, StringPrototypeIndexOf(source, '{'));
  // The heritage of a class, or a comment in it, may have parentheses as well.
  return !StringPrototypeIncludes(head, '(') || RegExpPrototypeExec(classHead, source) !== null;
}

/**
 * @param {any} value
 * @returns {string}
 */
function functionType(value) {
  switch (ops.valueKind(value)) {
    case Kind.ASYNC_FUNCTION: return 'AsyncFunction';
    case Kind.GENERATOR_FUNCTION: return 'GeneratorFunction';
    case Kind.ASYNC_GENERATOR_FUNCTION: return 'AsyncGeneratorFunction';
    default: return 'Function';
  }
}

/**
 * @param {any} value
 * @param {string | null} constructor
 * @param {string} tag
 * @returns {string}
 */
function classLabel(value, constructor, tag) {
  const name = (ObjectPrototypeHasOwnProperty(value, 'name') && value.name) || '(anonymous)';
  let label = `class ${typeof name === 'symbol' ? SymbolPrototypeToString(name) : name}`;
  if (constructor !== 'Function' && constructor !== null) label += ` [${constructor}]`;
  if (tag !== '' && constructor !== tag) label += ` [${tag}]`;
  if (constructor === null) return `[${label} extends [null prototype]]`;
  const parent = ObjectGetPrototypeOf(value).name;
  if (parent) label += ` extends ${typeof parent === 'symbol' ? SymbolPrototypeToString(parent) : parent}`;
  return `[${label}]`;
}

/**
 * @param {Context} ctx
 * @param {any} value a boxed primitive
 * @param {number} kind
 * @param {PropertyKey[]} keys its properties; the indices of a boxed string are taken off
 * @param {string | null} constructor
 * @param {string} tag
 * @returns {string} `[Number: 3]`
 */
export function boxLabel(ctx, value, kind, keys, constructor, tag) {
  let type;
  let primitive;
  switch (kind) {
    case Kind.BOXED_NUMBER:
      type = 'Number';
      primitive = NumberPrototypeValueOf(value);
      break;
    case Kind.BOXED_STRING:
      type = 'String';
      primitive = StringPrototypeValueOf(value);
      removeFirst(keys, primitive.length);
      break;
    case Kind.BOXED_BOOLEAN:
      type = 'Boolean';
      primitive = BooleanPrototypeValueOf(value);
      break;
    case Kind.BOXED_BIGINT:
      type = 'BigInt';
      primitive = BigIntPrototypeValueOf(value);
      break;
    default:
      type = 'Symbol';
      primitive = SymbolPrototypeValueOf(value);
  }
  let label = `[${type}`;
  if (constructor === null) label += ' (null prototype)';
  else if (constructor !== type) label += ` (${constructor})`;
  label += `: ${formatPrimitive(stylizeNoColor, primitive, ctx)}]`;
  if (tag !== '' && tag !== constructor) label += ` [${tag}]`;
  return keys.length !== 0 ? label : ctx.stylize(label, StringPrototypeToLowerCase(type));
}

/**
 * In place, because ArrayPrototypeSplice would ask the array's constructor for its species.
 *
 * @param {any[]} list
 * @param {number} count
 */
function removeFirst(list, count) {
  for (let i = count; i < list.length; i++) list[i - count] = list[i];
  list.length -= count;
}
