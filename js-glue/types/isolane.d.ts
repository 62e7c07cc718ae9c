/**
 * What Isolane gives a script beside the web's own APIs: the module `isolane:wasm`, and additions to the web's interfaces.
 *
 * The web's APIs are declared by TypeScript's library "WebWorker", which this file adds to and does not repeat. So a script's `tsconfig.json`
 * (TypeScript 5.7 or newer) names both:
 *
 * ```json
 * {
 *   "compilerOptions": {
 *     "lib": ["ESNext", "WebWorker"],
 *     "types": [],
 *     "target": "ESNext",
 *     "module": "ESNext",
 *     "moduleResolution": "Bundler",
 *     "moduleDetection": "force",
 *     "strict": true,
 *     "rootDir": "src",
 *     "outDir": "dist"
 *   },
 *   "include": ["src", "path/to/isolane.d.ts"]
 * }
 * ```
 *
 * `tsc` then writes programs to `dist`: `isolane run dist/main.js`. For scripts in JavaScript, leave out the folders and add `"allowJs": true, "checkJs": true, "noEmit": true`. For `node:` modules and the globals that are
 * Node's (`process`, `global`, `setImmediate`), install `@types/node` and write `"types": ["node"]`. Both libraries declare more than Isolane has; `docs/guides/scripts.md` tells what there is.
 */

/** Guests: WebAssembly modules that run beside JavaScript in memory which workers share. */
declare module 'isolane:wasm' {
  /** How large a {@link SharedMemory} is. */
  export interface SharedMemoryDescriptor {
    /** Pages of 64 KiB that there are from the start. */
    initial: number;
    /** Pages that there may ever be: 65536 at most, and not fewer than `initial`. */
    maximum: number;
  }

  /**
   * A linear memory that workers and guests share. A message carries it by reference: whoever receives one has the same bytes.
   *
   * ```js
   * const memory = new SharedMemory({ initial: 1, maximum: 16 });
   * worker.postMessage(memory);
   * ```
   */
  export class SharedMemory {
    /** Reserves the memory, filled with zeros. Throws a RangeError if the sizes are out of range, or the memory is not to be had. */
    constructor(descriptor: SharedMemoryDescriptor);

    /**
     * The memory's bytes. After growth this is another, longer buffer; earlier ones stay valid and show the same bytes, as far as they reach.
     */
    get buffer(): SharedArrayBuffer;

    /** Pages that there may ever be. */
    get maximum(): number;

    /**
     * Adds pages to the end, for all who share the memory.
     *
     * @param pages Pages to add.
     * @returns The number of pages before. Throws a RangeError where there would be more than `maximum`.
     */
    grow(pages: number): number;
  }

  /** What a module's import or export is. */
  export type GuestItemKind = 'function' | 'global' | 'memory' | 'table' | 'tag';

  /** One export of a {@link Guest}. */
  export interface GuestExport {
    /** Its name. */
    name: string;
    /** What it is. */
    kind: GuestItemKind;
  }

  /** One import of a {@link Guest}. */
  export interface GuestImport {
    /** The name of the module that it is imported from, the first of the two. */
    module: string;
    /** Its name there. */
    name: string;
    /** What it is. */
    kind: GuestItemKind;
  }

  /**
   * Functions that a guest imports, by module and by name. They are given numbers (`i32`, `f32`, `f64`) and bigints (`i64`). What one throws
   * leaves the guest and reaches the script that called it.
   */
  export type GuestImports = Record<string, Record<string, (...values: any[]) => unknown>>;

  /** What an instance is made with. */
  export interface InstantiateOptions {
    /** Serves as the memory that the guest imports. A guest that imports none needs none. */
    memory?: SharedMemory;
    /** Every function that the guest imports. */
    imports?: GuestImports;
  }

  /**
   * A compiled WebAssembly module. A message carries it by reference: it is compiled once, and each worker makes its own instance.
   *
   * ```js
   * const guest = await Guest.compile(new URL('./kernel.wasm', import.meta.url));
   * const { exports } = guest.instantiate({ memory });
   * ```
   */
  export class Guest {
    private constructor();

    /**
     * Compiles a module.
     *
     * @param source A `file:` URL, or the module's bytes; the binary format or the text format (`.wat`). What may be imported may be read here.
     * @returns The module, when it is compiled. Rejects if the file cannot be read, or the module is not valid; the error tells where.
     */
    static compile(source: URL | string | ArrayBufferLike | ArrayBufferView): Promise<Guest>;

    /**
     * Makes an instance in this worker, and runs the module's start function.
     *
     * @param options The memory and the functions that it imports.
     * @returns The instance. Throws a TypeError if an import is missing or of another kind, and a {@link GuestTrap} if the start function traps.
     */
    instantiate(options?: InstantiateOptions): GuestInstance;

    /** What the module exports, in the module's order. */
    get exports(): GuestExport[];

    /** What the module imports, in the module's order. */
    get imports(): GuestImport[];
  }

  /** A guest in this worker. It cannot be sent: send the {@link Guest} and the {@link SharedMemory}, and make another. */
  export class GuestInstance {
    private constructor();

    /**
     * The functions, the globals and the memory given that the module exports, by name; frozen. Tables, tags and memories of its own are not among them.
     *
     * A function takes and gives numbers (`i32`, `f32`, `f64`) and bigints (`i64`); several results are an array, which an
     * imported function of several results has to return as well. It throws a {@link GuestTrap}
     * when the guest traps. A global is its value at the time of reading; a memory is the {@link SharedMemory} that the instance was made with.
     */
    get exports(): Record<string, any>;
  }

  /** A guest trapped: it divided by zero, reached for what lies outside its memory, came to `unreachable`. */
  export class GuestTrap extends Error {
    /**
     * @param message What happened.
     * @param options The guest's stack, for a trap that a script makes itself.
     */
    constructor(message: string, options?: { trace?: string });

    /** The guest's stack at the trap, innermost function first. Empty if it is not known. */
    readonly trace: string;
  }
}

// Interfaces of the web, named here so that this file stands without the library too, as the type check of Isolane's own JavaScript needs it.
interface Event {}
interface URL {}

/** What a sender learns of its receiver's progress, named as WebRTC's data channels name it. */
interface IsolaneFlowControl {
  /**
   * Bytes that were posted here and not received yet: 64 for a number, a boolean and the like, up to 320 for a string of 128 units, and what an object or
   * buffer takes.
   */
  readonly bufferedAmount: number;

  /** Bytes that may be left when `ready()` resolves and `bufferedamountlow` comes. 0 at first. */
  bufferedAmountLowThreshold: number;

  /**
   * Resolves when no more bytes than the threshold are left. A sender that awaits it now and then holds memory flat. Rejects with an InvalidStateError
   * DOMException if the port is closed, at either side, or sent away.
   */
  ready(): Promise<void>;
}

interface MessagePortEventMap {
  /** No more bytes than `bufferedAmountLowThreshold` are left of what was posted. */
  bufferedamountlow: Event;

  /** The other side is gone, and all that it sent was delivered (HTML). */
  close: Event;
}

/** The web's port, with the methods of Node's. */
interface MessagePort extends IsolaneFlowControl {
  /** Called when no more bytes than `bufferedAmountLowThreshold` are left of what was posted. */
  onbufferedamountlow: ((this: MessagePort, event: Event) => any) | null;

  /** Called when the other side is gone and all that it sent was delivered (HTML). */
  onclose: ((this: MessagePort, event: Event) => any) | null;

  /**
   * Calls the listener with each message, not with an event, as Node's ports do. The first such listener starts the port; when the last
   * one is taken away, the port pauses.
   */
  on(type: 'message' | 'messageerror', listener: (value: any) => void): this;
  /** Calls the listener when the port has closed. */
  on(type: 'close', listener: () => void): this;

  /** As `on`, for the next message alone. */
  once(type: 'message' | 'messageerror', listener: (value: any) => void): this;
  /** As `on`. */
  once(type: 'close', listener: () => void): this;

  /** Takes away a listener that `on` or `once` added. */
  off(type: 'message' | 'messageerror' | 'close', listener: (value: any) => void): this;

  /** As `on`. */
  addListener(type: 'message' | 'messageerror' | 'close', listener: (value: any) => void): this;

  /** As `off`. */
  removeListener(type: 'message' | 'messageerror' | 'close', listener: (value: any) => void): this;

  /** Takes away all listeners that `on` or `once` added, of one type or of every type. */
  removeAllListeners(type?: string): this;

  /** How many listeners `on` and `once` added. */
  listenerCount(type: string): number;

  /** Calls the listeners that `on` and `once` added. Whether there were any. */
  emit(type: string, value?: any): boolean;

  /** Lets the port keep the worker alive while it is open and started, whether or not anything listens. */
  ref(): this;

  /** Lets the worker end although the port is open. */
  unref(): this;

  /** Whether the port keeps the worker alive now. */
  hasRef(): boolean;
}

interface WorkerEventMap {
  /** No more bytes than `bufferedAmountLowThreshold` are left of what was posted. */
  bufferedamountlow: Event;

  /** The worker has ended, and all that it sent was delivered. */
  close: Event;
}

/** The web's worker, which may also be let go. */
interface Worker extends IsolaneFlowControl {
  /** Called when no more bytes than `bufferedAmountLowThreshold` are left of what was posted. */
  onbufferedamountlow: ((this: Worker, event: Event) => any) | null;

  /** Called when the worker has ended and all that it sent was delivered. */
  onclose: ((this: Worker, event: Event) => any) | null;

  /** Lets the worker keep its maker alive, as it does from the start. */
  ref(): this;

  /** Lets the maker end although the worker runs; it ends then too. */
  unref(): this;
}

/** In a web worker, of what it posts to its maker: the global's. */
interface DedicatedWorkerGlobalScope extends IsolaneFlowControl {
  /** Called when no more bytes than `bufferedAmountLowThreshold` are left of what was posted. */
  onbufferedamountlow: ((this: DedicatedWorkerGlobalScope, event: Event) => any) | null;
}

interface ImportMeta {
  /** Path of the module's file. Only modules from `file:` URLs have it. */
  filename: string;
  /** Path of the folder of the module's file. Only modules from `file:` URLs have it. */
  dirname: string;
  /** Whether this is the first module of its worker. */
  main: boolean;
}
