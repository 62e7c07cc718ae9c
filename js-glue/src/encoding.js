// @ts-check
/** `TextEncoder` and `TextDecoder` (WHATWG Encoding §7). */
import { ops } from './ops.js';
import { primordials } from './primordials.js';
import { configureInterface, isObject, requiredArguments, throwConversionError, toBoolean, toDOMString } from './webidl.js';
import { isArrayBuffer, isSharedArrayBuffer } from './webidl.js';

const {
  ArrayBufferIsView,
  ObjectGetOwnPropertyDescriptor,
  RangeError,
  SafeFinalizationRegistry,
  TypedArrayPrototypeGetSymbolToStringTag,
  TypeError,
  Uint32Array,
  Uint8Array,
  uncurryThis,
} = primordials;

/** Where the host leaves code units read and bytes written. Ops run no script, so one array serves all. */
const counts = new Uint32Array(2);
const noBytes = new Uint8Array(0);

/**
 * Frees the host's half of decoders that were dropped in the middle of a stream. Made at first use: the snapshot cannot hold one.
 * @type {FinalizationRegistry<number> | undefined}
 */
let abandoned;

/**
 * Web IDL §3.2.17: undefined and null stand for the empty dictionary.
 * @param {unknown} value
 * @param {string} prefix
 * @returns {any} an object, or undefined
 */
function optionsObject(value, prefix) {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throwConversionError(prefix, 'Argument 2 is not an object');
  return value;
}

/** Departure, here and in `TextDecoder`: views of resizable buffers are accepted too. Growing WebAssembly memory is one, and text lives in it. */
export class TextEncoder {
  #brand = true;

  /** @returns {'utf-8'} */
  get encoding() {
    this.#brand;
    return 'utf-8';
  }

  /**
   * The UTF-8 bytes of a string; lone surrogates become U+FFFD.
   * @param {string} [input]
   * @returns {Uint8Array}
   */
  encode(input = '') {
    this.#brand;
    return ops.encodeUtf8(toDOMString(input, "Failed to execute 'encode' on 'TextEncoder'", 'Argument 1'));
  }

  /**
   * Writes as many whole characters of `source` as fit.
   * @param {string} source
   * @param {Uint8Array} destination
   * @returns {{ read: number, written: number }} UTF-16 code units and bytes
   */
  encodeInto(source, destination) {
    this.#brand;
    const prefix = "Failed to execute 'encodeInto' on 'TextEncoder'";
    requiredArguments(arguments.length, 2, prefix);
    const text = toDOMString(source, prefix, 'Argument 1');
    if (TypedArrayPrototypeGetSymbolToStringTag(destination) !== 'Uint8Array') throw new TypeError(`${prefix}: Argument 2 is not a Uint8Array`);
    ops.encodeUtf8Into(text, destination, counts);
    return { read: counts[0], written: counts[1] };
  }
}
configureInterface(TextEncoder);

export class TextDecoder {
  /** @type {string} */
  #encoding;
  #fatal = false;
  #ignoreBOM = false;
  /** The host's decoder while a stream is under way. @type {number | undefined} */
  #stream = undefined;

  /**
   * @param {string} [label]
   * @param {{ fatal?: boolean, ignoreBOM?: boolean }} [options]
   */
  constructor(label = 'utf-8', options = undefined) {
    const prefix = "Failed to construct 'TextDecoder'";
    const text = toDOMString(label, prefix, 'Argument 1');
    const dictionary = optionsObject(options, prefix);
    if (dictionary !== undefined) {
      this.#fatal = toBoolean(dictionary.fatal);
      this.#ignoreBOM = toBoolean(dictionary.ignoreBOM);
    }
    const name = text === 'utf-8' ? text : ops.encodingName(text);
    if (name === undefined) throw new RangeError(`${prefix}: '${text}' is not the label of an encoding`);
    this.#encoding = name;
  }

  /** @returns {string} */
  get encoding() {
    return this.#encoding;
  }

  /** @returns {boolean} */
  get fatal() {
    return this.#fatal;
  }

  /** @returns {boolean} */
  get ignoreBOM() {
    return this.#ignoreBOM;
  }

  /**
   * Decodes bytes; with `stream`, an unfinished character at the end waits for the next call.
   * @param {ArrayBuffer | SharedArrayBuffer | ArrayBufferView} [input]
   * @param {{ stream?: boolean }} [options]
   * @returns {string}
   */
  decode(input = undefined, options = undefined) {
    const encoding = this.#encoding;
    const prefix = "Failed to execute 'decode' on 'TextDecoder'";
    // Views first: theirs is the only test that is cheap. Shared memory is welcome (`AllowSharedBufferSource`).
    if (input !== undefined && !ArrayBufferIsView(input) && !isArrayBuffer(input) && !isSharedArrayBuffer(input)) {
      throwConversionError(prefix, 'Argument 1 is neither a buffer nor a view of one');
    }
    const dictionary = optionsObject(options, prefix);
    const more = dictionary !== undefined && toBoolean(dictionary.stream);
    const bytes = input ?? noBytes;

    let text;
    if (more || this.#stream !== undefined) text = this.#decodePiece(bytes, more);
    else if (encoding === 'utf-8') text = ops.decodeUtf8(bytes, this.#fatal, this.#ignoreBOM);
    else text = ops.decodeOnce(bytes, encoding, this.#fatal, this.#ignoreBOM);
    if (text === undefined) throw new TypeError(`${prefix}: the bytes are not valid ${encoding}`);
    return text;
  }

  /**
   * @param {ArrayBuffer | SharedArrayBuffer | ArrayBufferView} bytes
   * @param {boolean} more
   */
  #decodePiece(bytes, more) {
    let id = this.#stream;
    if (id === undefined) {
      id = this.#stream = /** @type {number} */ (ops.decoderNew(this.#encoding, this.#ignoreBOM));
      abandoned ??= /** @type {FinalizationRegistry<number>} */ (new SafeFinalizationRegistry((/** @type {number} */ lost) => ops.resourceFree(lost)));
      abandoned.register(this, id, this);
    }
    try {
      return ops.decoderDecode(id, bytes, this.#fatal, !more);
    } finally {
      if (!more) {
        // The next call starts afresh (§7.2 "decode", step 1), whether this one succeeded or not.
        this.#stream = undefined;
        /** @type {FinalizationRegistry<number>} */ (abandoned).unregister(this);
        ops.resourceFree(id);
      }
    }
  }
}
configureInterface(TextDecoder);

// The classes' own members, whatever becomes of their prototypes.
/** @type {(encoder: TextEncoder, text: string) => Uint8Array} */
export const encode = uncurryThis(TextEncoder.prototype.encode);
/** @type {(decoder: TextDecoder, input?: any, options?: any) => string} */
export const decode = uncurryThis(TextDecoder.prototype.decode);
/** @param {string} name @returns {(decoder: TextDecoder) => any} */
const decoderGetter = (name) => uncurryThis(/** @type {any} */ (ObjectGetOwnPropertyDescriptor(TextDecoder.prototype, name)).get);
export const getEncoding = decoderGetter('encoding');
export const getFatal = decoderGetter('fatal');
export const getIgnoreBOM = decoderGetter('ignoreBOM');
