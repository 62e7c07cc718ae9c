// @ts-check
// CompressionStream and DecompressionStream (WHATWG Compression §5, §6).
//
// The host works in pieces of bounded size. A decompression waits for its reader between two of them, so that a small chunk which stands for
// gigabytes never fills the memory: at most two pieces exist at a time. Departure that follows: the write of such a chunk is done only once all but
// its last two pieces have been read.

import { ops } from './ops.js';
import { primordials } from './primordials.js';
import { createTransform } from './streams/transform_stream.js';
import { configureInterface, requiredArguments, toBufferSource, toEnum } from './webidl.js';

const { PromisePrototypeThen, SafeFinalizationRegistry } = primordials;

/** @typedef {import('./streams/transform_state.js').TransformState} TransformState */

/** @type {('deflate' | 'deflate-raw' | 'gzip')[]} */
const formats = ['deflate', 'deflate-raw', 'gzip'];

/**
 * Frees the host's half of streams that were dropped before their end. Made at first use: the snapshot cannot hold one.
 * @type {any}
 */
let abandoned;

class Codec {
  /** The host's half; undefined once freed. @type {number | undefined} */
  #id;
  #decompress;
  #finishing = false;

  /**
   * @param {string} format
   * @param {boolean} decompress
   */
  constructor(format, decompress) {
    const id = ops.compressorNew(format, decompress);
    this.#id = id;
    this.#decompress = decompress;
    abandoned ??= new SafeFinalizationRegistry((/** @type {number} */ lost) => ops.resourceFree(lost));
    abandoned.register(this, id, this);
  }

  /**
   * @param {any} chunk
   * @param {TransformState} state
   * @returns {void | Promise<any>}
   */
  write(chunk, state) {
    const bytes = toBufferSource(chunk, '', 'The chunk');
    try {
      return this.#pass(ops.compressorWrite(this.#id, bytes), state);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /**
   * @param {TransformState} state
   * @returns {void | Promise<any>}
   */
  finish(state) {
    this.#finishing = true;
    try {
      return this.#pass(ops.compressorFinish(this.#id), state);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  free() {
    const id = this.#id;
    if (id === undefined) return;
    this.#id = undefined;
    abandoned.unregister(this);
    ops.resourceFree(id);
  }

  /**
   * Passes on the pieces, one behind: what is wrong with the input must not keep back what came before.
   * @param {Uint8Array | undefined} piece
   * @param {TransformState} state
   * @returns {void | Promise<any>}
   */
  #pass(piece, state) {
    while (piece !== undefined) {
      /** @type {Uint8Array | undefined} */
      let next;
      try {
        next = ops.compressorPull(this.#id);
      } catch (error) {
        state.enqueue(piece);
        throw error;
      }
      state.enqueue(piece);
      piece = next;
      if (next !== undefined && this.#decompress && state.backpressure) return this.#passLater(next, state);
    }
    if (this.#finishing) this.free();
  }

  /**
   * @param {Uint8Array} piece
   * @param {TransformState} state
   * @returns {Promise<any>}
   */
  #passLater(piece, state) {
    return PromisePrototypeThen(state.backpressureChange, () => {
      // Cancelled or aborted meanwhile: the end that did it has freed the host's half.
      if (this.#id === undefined) return;
      try {
        return this.#pass(piece, state);
      } catch (error) {
        this.free();
        throw error;
      }
    });
  }
}

/**
 * @param {any} format
 * @param {number} argumentCount
 * @param {string} name
 * @param {boolean} decompress
 */
function createCodecTransform(format, argumentCount, name, decompress) {
  const prefix = `Failed to construct '${name}'`;
  requiredArguments(argumentCount, 1, prefix);
  const codec = new Codec(toEnum(format, formats, 'CompressionFormat', prefix, 'Argument 1'), decompress);
  return createTransform(
    (chunk, state) => codec.write(chunk, state),
    (state) => codec.finish(state),
    () => codec.free(),
  );
}

export class CompressionStream {
  #transform;

  /** @param {'deflate' | 'deflate-raw' | 'gzip'} format */
  constructor(format) {
    this.#transform = createCodecTransform(format, arguments.length, 'CompressionStream', false);
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}
configureInterface(CompressionStream);

export class DecompressionStream {
  #transform;

  /** @param {'deflate' | 'deflate-raw' | 'gzip'} format */
  constructor(format) {
    this.#transform = createCodecTransform(format, arguments.length, 'DecompressionStream', true);
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}
configureInterface(DecompressionStream);
