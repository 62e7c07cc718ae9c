// @ts-check
/**
 * The language's own functions, taken before any script has run.
 *
 * Scripts may replace `Array.prototype.push`, `Promise.prototype.then` or `Symbol.iterator`'s holders at any time; glue that called them by name
 * would then run a tenant's code with the glue's privileges. So every file of the glue takes what it needs from here, by one naming rule:
 *
 * | property                          | name here                       | call                       |
 * |-----------------------------------|---------------------------------|----------------------------|
 * | `Array.prototype.push`            | `ArrayPrototypePush`            | `(array, item)`            |
 * | `Map.prototype.size` (a getter)   | `MapPrototypeGetSize`           | `(map)`                    |
 * | `Object.defineProperty`           | `ObjectDefineProperty`          | as it is                   |
 * | `Array.prototype[Symbol.iterator]`| `ArrayPrototypeSymbolIterator`  | `(array)`                  |
 * | `Symbol.iterator`                 | `SymbolIterator`                | a value                    |
 * | `Map`                             | `Map`; `SafeMap` for instances  | `new`                      |
 *
 * `Safe…` classes carry their own copies of the prototype's members, so that an instance can be used with plain method syntax.
 */

const { bind, call, apply } = Function.prototype;
/** `uncurryThis(f)(self, ...args)` is `f.call(self, ...args)`, whatever becomes of `Function.prototype.call`. @type {(f: Function) => any} */
const uncurryThis = bind.bind(call);
/** `applyBind(f)(self, args)` is `f.apply(self, args)`. @type {(f: Function) => any} */
const applyBind = bind.bind(apply);

const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
const { ownKeys } = Reflect;

/** @type {any} */
const primordials = { __proto__: null, uncurryThis, applyBind };

/**
 * `byteLength` → `ByteLength`, `Symbol.iterator` → `SymbolIterator`.
 * @param {string | symbol} key
 */
function nameOf(key) {
  if (typeof key === 'symbol') {
    const description = key.description ?? '';
    return `Symbol${description[7].toUpperCase()}${description.slice(8)}`;
  }
  return `${key[0].toUpperCase()}${key.slice(1)}`;
}

/**
 * Copies `source`'s own properties under `prefix`; functions of a prototype take their receiver as first argument.
 * @param {any} source
 * @param {string} prefix
 * @param {boolean} isPrototype
 */
function copyProperties(source, prefix, isPrototype) {
  for (const key of ownKeys(source)) {
    if (key === '') continue;
    const descriptor = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(source, key));
    const name = nameOf(key);
    if (descriptor.get !== undefined) {
      primordials[`${prefix}Get${name}`] = isPrototype ? uncurryThis(descriptor.get) : descriptor.get;
      if (descriptor.set !== undefined) primordials[`${prefix}Set${name}`] = uncurryThis(descriptor.set);
      continue;
    }
    const { value } = descriptor;
    if (typeof value === 'function') {
      // Static functions of a class need their class as receiver (`Promise.resolve`, `Array.from`).
      primordials[`${prefix}${name}`] = isPrototype ? uncurryThis(value) : value.bind(source);
      // A variadic twin that takes its arguments as an array, with no iterator involved.
      if (isPrototype ? key === 'push' || key === 'concat' || key === 'unshift' : key === 'of' || key === 'fromCharCode') {
        primordials[`${prefix}${name}Apply`] = isPrototype ? applyBind(value) : (/** @type {any[]} */ args) => apply.call(value, source, args);
      }
    } else {
      primordials[`${prefix}${name}`] = value;
    }
  }
}

const namespaces = ['Atomics', 'JSON', 'Math', 'Reflect'];
for (const name of namespaces) copyProperties(/** @type {any} */ (globalThis)[name], name, false);

const constructors = [
  'AggregateError', 'Array', 'ArrayBuffer', 'BigInt', 'BigInt64Array', 'BigUint64Array', 'Boolean', 'DataView', 'Date', 'Error', 'EvalError',
  'FinalizationRegistry', 'Float16Array', 'Float32Array', 'Float64Array', 'Function', 'Int16Array', 'Int32Array', 'Int8Array', 'Map', 'Number',
  'Object', 'Promise', 'Proxy', 'RangeError', 'ReferenceError', 'RegExp', 'Set', 'SharedArrayBuffer', 'String', 'SuppressedError', 'Symbol',
  'SyntaxError', 'TypeError', 'URIError', 'Uint16Array', 'Uint32Array', 'Uint8Array', 'Uint8ClampedArray', 'WeakMap', 'WeakRef', 'WeakSet',
];
for (const name of constructors) {
  const constructor = /** @type {any} */ (globalThis)[name];
  if (constructor === undefined) continue;
  primordials[name] = constructor;
  copyProperties(constructor, name, false);
  if (constructor.prototype !== undefined) copyProperties(constructor.prototype, `${name}Prototype`, true);
}

// Intrinsics that no global names.
const arrayIteratorPrototype = getPrototypeOf([][Symbol.iterator]());
const asyncFunctionPrototype = getPrototypeOf(async function () {});
const generatorPrototype = getPrototypeOf(function* () {}).prototype;
for (const [name, prototype] of /** @type {[string, any][]} */ ([
  ['TypedArray', getPrototypeOf(Uint8Array.prototype)],
  ['ArrayIterator', arrayIteratorPrototype],
  ['StringIterator', getPrototypeOf(''[Symbol.iterator]())],
  ['MapIterator', getPrototypeOf(new Map()[Symbol.iterator]())],
  ['SetIterator', getPrototypeOf(new Set()[Symbol.iterator]())],
  ['Generator', generatorPrototype],
  ['AsyncGenerator', getPrototypeOf(async function* () {}).prototype],
])) {
  primordials[`${name}Prototype`] = prototype;
  copyProperties(prototype, `${name}Prototype`, true);
}
primordials.TypedArray = getPrototypeOf(Uint8Array);
copyProperties(primordials.TypedArray, 'TypedArray', false);
primordials.IteratorPrototype = getPrototypeOf(arrayIteratorPrototype);
primordials.AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}.prototype));
primordials.AsyncFunctionPrototype = asyncFunctionPrototype;
primordials.AsyncFunction = asyncFunctionPrototype.constructor;

for (const name of ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'parseFloat', 'parseInt', 'isNaN', 'isFinite']) {
  primordials[name] = /** @type {any} */ (globalThis)[name];
}
primordials.globalThis = globalThis;
primordials.queueMicrotask = undefined; // the host's own; see microtasks.js

/**
 * A subclass whose prototype holds copies of all that its parent's prototype holds and inherits nothing, so that `safe.get(key)` cannot be patched.
 * @param {any} Parent
 * @param {any} Safe
 */
function makeSafe(Parent, Safe) {
  for (const key of ownKeys(Parent.prototype)) {
    if (key === 'constructor') continue;
    const descriptor = /** @type {any} */ (getOwnPropertyDescriptor(Parent.prototype, key));
    if (getOwnPropertyDescriptor(Safe.prototype, key) === undefined) defineProperty(Safe.prototype, key, { __proto__: null, ...descriptor });
  }
  setPrototypeOf(Safe.prototype, null);
  freeze(Safe.prototype);
  freeze(Safe);
  return Safe;
}
primordials.makeSafe = makeSafe;
primordials.SafeMap = makeSafe(
  Map,
  class SafeMap extends Map {
    // Explicit: a default constructor would spread its arguments with the array iterator of the moment.
    /** @param {any} [argument] */
    constructor(argument = undefined) {
      super(argument);
    }
  },
);
primordials.SafeSet = makeSafe(
  Set,
  class SafeSet extends Set {
    // Explicit: a default constructor would spread its arguments with the array iterator of the moment.
    /** @param {any} [argument] */
    constructor(argument = undefined) {
      super(argument);
    }
  },
);
primordials.SafeWeakMap = makeSafe(
  WeakMap,
  class SafeWeakMap extends /** @type {any} */ (WeakMap) {
    // Explicit: a default constructor would spread its arguments with the array iterator of the moment.
    /** @param {any} [argument] */
    constructor(argument = undefined) {
      super(argument);
    }
  },
);
primordials.SafeWeakSet = makeSafe(
  WeakSet,
  class SafeWeakSet extends /** @type {any} */ (WeakSet) {
    // Explicit: a default constructor would spread its arguments with the array iterator of the moment.
    /** @param {any} [argument] */
    constructor(argument = undefined) {
      super(argument);
    }
  },
);
primordials.SafeWeakRef = makeSafe(
  WeakRef,
  class SafeWeakRef extends /** @type {any} */ (WeakRef) {
    // Explicit: a default constructor would spread its arguments with the array iterator of the moment.
    /** @param {any} [argument] */
    constructor(argument = undefined) {
      super(argument);
    }
  },
);
primordials.SafeFinalizationRegistry = makeSafe(
  FinalizationRegistry,
  class SafeFinalizationRegistry extends /** @type {any} */ (FinalizationRegistry) {
    // Explicit: a default constructor would spread its arguments with the array iterator of the moment.
    /** @param {any} [argument] */
    constructor(argument = undefined) {
      super(argument);
    }
  },
);

const { ArrayPrototypeSymbolIterator, ArrayIteratorPrototypeNext } = primordials;
/** `for (const item of new SafeArrayIterator(array))`: iterates with the original array iterator. */
class SafeArrayIterator {
  #iterator;
  /** @param {ArrayLike<any>} array */
  constructor(array) {
    this.#iterator = ArrayPrototypeSymbolIterator(array);
  }
  next() {
    return ArrayIteratorPrototypeNext(this.#iterator);
  }
  [Symbol.iterator]() {
    return this;
  }
}
setPrototypeOf(SafeArrayIterator.prototype, null);
freeze(SafeArrayIterator.prototype);
primordials.SafeArrayIterator = SafeArrayIterator;

const { Promise: OriginalPromise, PromisePrototypeThen } = primordials;
/** A promise with its two settling functions. @returns {{ promise: Promise<any>, resolve: (value?: any) => void, reject: (reason: any) => void }} */
primordials.newPromise = function newPromise() {
  /** @type {any} */
  const capability = { __proto__: null, promise: undefined, resolve: undefined, reject: undefined };
  capability.promise = new OriginalPromise((/** @type {any} */ resolve, /** @type {any} */ reject) => {
    capability.resolve = resolve;
    capability.reject = reject;
  });
  return capability;
};
/** Marks a promise as handled. @param {Promise<any>} promise */
primordials.markPromiseAsHandled = function markPromiseAsHandled(promise) {
  PromisePrototypeThen(promise, undefined, () => {});
};

// The build takes away what nothing reads, and freezes the rest.

export { primordials };
