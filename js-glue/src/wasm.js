// @ts-check
// `isolane:wasm`: shared linear memory, and WebAssembly guests that run on wasmtime beside V8's own `WebAssembly`.

import { primordials } from './primordials.js';
import { registerCloneable } from './messaging/clone.js';
import { ops } from './ops.js';
import { sharedByteLength } from './shared_buffer.js';
import {
  configureInterface,
  illegalConstructor,
  illegalInvocation,
  kConstruct,
  toEnforceRangeUnsignedLong,
} from './webidl.js';

const {
  Error,
  ObjectDefineProperty,
  ObjectFreeze,
  PromisePrototypeThen,
  PromiseReject,
  RangeError,
  SafeFinalizationRegistry,
  String,
  TypeError,
} = primordials;

/** Frees host objects whose script object is garbage. Made at first use: the start-up snapshot cannot hold one. @type {any} */
let registry;
/** @param {object} owner @param {number} resource */
function freeWith(owner, resource) {
  registry ??= new SafeFinalizationRegistry((/** @type {number} */ id) => ops.resourceFree(id));
  registry.register(owner, resource);
}

/** 4 GiB in pages of 64 KiB. */
const MOST_PAGES = 65536;

/**
 * Linear memory that scripts and guests of every worker see at once. Posting it shares it.
 */
export class SharedMemory {
  #resource;
  #maximum;
  /** @type {SharedArrayBuffer | undefined} */
  #buffer;

  /** @param {any} descriptor `{ initial, maximum }` in pages, or the construction token. @param {any} [resource] @param {any} [maximum] */
  constructor(descriptor, resource = undefined, maximum = undefined) {
    if (descriptor === kConstruct) {
      this.#resource = resource;
      this.#maximum = maximum;
    } else {
      const prefix = "Failed to construct 'SharedMemory'";
      if (typeof descriptor !== 'object' || descriptor === null) throw new TypeError(`${prefix}: a descriptor object is needed`);
      const initial = toEnforceRangeUnsignedLong(descriptor.initial, prefix, '"initial"');
      this.#maximum = toEnforceRangeUnsignedLong(descriptor.maximum, prefix, '"maximum"');
      if (this.#maximum > MOST_PAGES) throw new RangeError(`${prefix}: "maximum" is over ${MOST_PAGES} pages`);
      if (initial > this.#maximum) throw new RangeError(`${prefix}: "initial" is over "maximum"`);
      this.#resource = ops.memoryCreate(initial, this.#maximum);
    }
    freeWith(this, this.#resource);
  }

  /** The bytes, at the length that they have now. After growth this is a longer buffer; earlier ones stay valid. @returns {SharedArrayBuffer} */
  get buffer() {
    if (!(#resource in this)) illegalInvocation();
    const current = ops.memoryBuffer(this.#resource);
    // The same object as long as the length is the same, as WebAssembly.Memory has it.
    if (this.#buffer === undefined || sharedByteLength(this.#buffer) !== sharedByteLength(current)) {
      this.#buffer = current;
    }
    return /** @type {SharedArrayBuffer} */ (this.#buffer);
  }

  /** @returns {number} Pages that it may grow to. */
  get maximum() {
    if (!(#resource in this)) illegalInvocation();
    return this.#maximum;
  }

  /**
   * @param {number} pages
   * @returns {number} The size before, in pages.
   */
  grow(pages) {
    if (!(#resource in this)) illegalInvocation();
    const prefix = "Failed to execute 'grow' on 'SharedMemory'";
    const before = ops.memoryGrow(this.#resource, toEnforceRangeUnsignedLong(pages, prefix, 'the number of pages'));
    if (before === undefined) throw new RangeError(`${prefix}: the memory would exceed its maximum of ${this.#maximum} pages`);
    return before;
  }

  static {
    isMemory = (value) => typeof value === 'object' && value !== null && #resource in value;
    memoryResource = (memory) => memory.#resource;
    registerCloneable('SharedMemory', {
      is: isMemory,
      write: (memory) => [ops.attachShared(memory.#resource), memory.#maximum],
      read: (data) => new SharedMemory(kConstruct, ops.detachShared(data[0]), data[1]),
    });
  }
}
/** @type {(value: any) => boolean} */
var isMemory;
/** @type {(memory: any) => number} */
var memoryResource;
configureInterface(SharedMemory);

/** A trap of a guest. `trace` is the guest's backtrace, innermost frame first. */
export class GuestTrap extends Error {
  /** @param {string} message @param {{ trace?: string }} [options] */
  constructor(message, options = undefined) {
    super(message);
    ObjectDefineProperty(this, 'trace', { __proto__: null, value: options?.trace ?? '', writable: true, configurable: true });
  }
}
ObjectDefineProperty(GuestTrap.prototype, 'name', { __proto__: null, value: 'GuestTrap', writable: true, configurable: true });

/** The host's entry. @param {string} message @param {string} trace */
export function createGuestTrap(message, trace) {
  const trap = new GuestTrap(message, { trace });
  if (trace !== '') {
    ObjectDefineProperty(trap, 'stack', { __proto__: null, value: `${trap.stack}\n${trace}`, writable: true, configurable: true });
  }
  return trap;
}

/** A compiled module. Posting it shares the code. */
export class Guest {
  #resource;

  /** @param {any} token @param {any} resource */
  constructor(token, resource) {
    if (token !== kConstruct) illegalConstructor();
    this.#resource = resource;
    freeWith(this, resource);
  }

  /**
   * Compiles a module on another thread.
   * @param {any} source Bytes of the binary or the text format; or a `file:` URL.
   * @returns {Promise<Guest>}
   */
  static compile(source) {
    try {
      const isBytes = typeof source === 'object' && source !== null && (primordials.ArrayBufferIsView(source) || isBuffer(source));
      return PromisePrototypeThen(
        ops.guestCompile(isBytes ? source : String(source)),
        (/** @type {number} */ resource) => new Guest(kConstruct, resource),
      );
    } catch (error) {
      return PromiseReject(error);
    }
  }

  /** @returns {{ name: string, kind: string }[]} */
  get exports() {
    if (!(#resource in this)) illegalInvocation();
    const rows = ops.guestExports(this.#resource);
    for (let i = 0; i < rows.length; i++) rows[i] = { name: rows[i][0], kind: rows[i][1] };
    return rows;
  }

  /** @returns {{ module: string, name: string, kind: string }[]} */
  get imports() {
    if (!(#resource in this)) illegalInvocation();
    const rows = ops.guestImports(this.#resource);
    for (let i = 0; i < rows.length; i++) rows[i] = { module: rows[i][0], name: rows[i][1], kind: rows[i][2] };
    return rows;
  }

  /**
   * @param {{ memory?: SharedMemory, imports?: Record<string, Record<string, Function>> }} [options]
   * @returns {GuestInstance}
   */
  instantiate(options = undefined) {
    if (!(#resource in this)) illegalInvocation();
    const memory = options?.memory;
    if (memory !== undefined && !isMemory(memory)) throw new TypeError("Failed to execute 'instantiate' on 'Guest': \"memory\" is not a SharedMemory");
    const answer = ops.guestInstantiate(this.#resource, memory === undefined ? undefined : memoryResource(memory), options?.imports);
    return new GuestInstance(kConstruct, answer[0], memory, answer[1]);
  }

  static {
    registerCloneable('Guest', {
      is: (value) => typeof value === 'object' && value !== null && #resource in value,
      write: (guest) => ops.attachShared(guest.#resource),
      read: (number) => new Guest(kConstruct, ops.detachShared(number)),
    });
  }
}
configureInterface(Guest, { constructible: false });

/** @param {any} value */
function isBuffer(value) {
  return ops.valueKind(value) === 16 || ops.valueKind(value) === 17;
}

/** A module's instance in one worker. */
export class GuestInstance {
  #exports;
  /** What the guest imports: the host holds it weakly, so that an import may close over the exports. @type {any} */
  #functions;

  /** @param {any} token @param {any} resource @param {any} memory @param {any} functions */
  constructor(token, resource, memory, functions) {
    if (token !== kConstruct) illegalConstructor();
    this.#functions = functions;
    freeWith(this, resource);
    const exports = { __proto__: null };
    // Each export's closure holds the instance, so that an export that outlives it keeps the host's alive, whose number would else become another's.
    const owner = this;
    const rows = ops.guestInstanceExports(resource);
    for (let i = 0; i < rows.length; i++) {
      const name = rows[i][0];
      const kind = rows[i][1];
      if (kind === 'function') {
        defineExport(exports, name, {
          /** @param {any[]} args */
          [name](...args) {
            void owner.#functions;
            return ops.guestCall(resource, name, args);
          },
        }[name]);
      } else if (kind === 'global') {
        const get = () => {
          void owner.#functions;
          return ops.guestInstanceExports(resource)[i][2];
        };
        ObjectDefineProperty(exports, name, { __proto__: null, get, enumerable: true });
      } else if (kind === 'memory') {
        defineExport(exports, name, memory);
      }
    }
    this.#exports = ObjectFreeze(exports);
  }

  /** @returns {Record<string, any>} */
  get exports() {
    if (!(#exports in this)) illegalInvocation();
    return this.#exports;
  }

  static {
    registerCloneable('GuestInstance', { is: (value) => typeof value === 'object' && value !== null && #exports in value });
  }
}
configureInterface(GuestInstance, { constructible: false });

/** @param {any} target @param {string} name @param {any} value */
function defineExport(target, name, value) {
  ObjectDefineProperty(target, name, { __proto__: null, value, enumerable: true });
}

/** The module's exports. @type {any} */
export const wasm = { SharedMemory, Guest, GuestInstance, GuestTrap };
