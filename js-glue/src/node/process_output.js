// @ts-check
// `process.stdout` and `process.stderr`: write-only, synchronous, never full.

import { primordials } from '../primordials.js';
import { ops } from '../ops.js';
import { deferred } from '../deferred.js';
import { invalidArgType, nodeError } from './errors.js';
import { EventEmitter } from './event_emitter.js';
import { nextTick } from './next_tick.js';

const { ArrayBufferIsView, Error, SymbolToStringTag } = primordials;

/** @type {() => typeof import('./encodings.js')} */
const encodings = deferred('node/encodings.js');

/** `any`: the EventEmitter is a function of the old kind, which the type checker does not extend. @type {any} */
const Emitter = EventEmitter;

/**
 * An output of the worker. What is written has left for the embedder's sink when `write` returns, so there is neither
 * buffering nor back-pressure: `write` always answers true.
 */
export class OutputStream extends Emitter {
  #fd;
  #ended = false;

  /** @param {1 | 2} fd */
  constructor(fd) {
    super();
    this.#fd = fd;
  }

  get fd() {
    return this.#fd;
  }

  get writable() {
    return !this.#ended;
  }

  get writableEnded() {
    return this.#ended;
  }

  /** True for a terminal, undefined otherwise. */
  get isTTY() {
    return ops.isTerminal(this.#fd) ? true : undefined;
  }

  get columns() {
    return this.isTTY ? ops.terminalSize(this.#fd)?.[0] : undefined;
  }

  get rows() {
    return this.isTTY ? ops.terminalSize(this.#fd)?.[1] : undefined;
  }

  /** Bits per pixel: 1, 4, 8 or 24, from the terminal's kind, `NO_COLOR` and `FORCE_COLOR`. */
  getColorDepth() {
    return ops.colorDepth(this.#fd);
  }

  /** @param {number} [count] */
  hasColors(count = 16) {
    return count <= 2 ** ops.colorDepth(this.#fd);
  }

  getWindowSize() {
    return [this.columns, this.rows];
  }

  /**
   * @param {string | ArrayBufferView} chunk
   * @param {string | ((error?: any) => void)} [encoding]
   * @param {(error?: any) => void} [callback]
   * @returns {boolean}
   */
  write(chunk, encoding, callback) {
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof chunk !== 'string' && !ArrayBufferIsView(chunk)) {
      throw invalidArgType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
    }
    if (this.#ended) {
      const error = nodeError(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
      nextTick(() => {
        done?.(error);
        this.emit('error', error);
      });
      return false;
    }
    if (typeof chunk !== 'string') {
      ops.writeBytes(chunk, this.#fd === 2);
    } else {
      const { encodeText, isUtf8, normalizeEncoding } = encodings();
      const name = normalizeEncoding(typeof encoding === 'string' ? encoding : undefined);
      if (isUtf8(name)) {
        ops.print(chunk, this.#fd === 2);
      } else {
        ops.writeBytes(encodeText(chunk, name), this.#fd === 2);
      }
    }
    if (typeof done === 'function') {
      nextTick(done);
    }
    return true;
  }

  /**
   * Ends the stream for this worker; the output itself stays open, since others share it.
   *
   * @param {any} [chunk]
   * @param {any} [encoding]
   * @param {any} [callback]
   * @returns {this}
   */
  end(chunk, encoding, callback) {
    let done = callback;
    if (typeof chunk === 'function') {
      done = chunk;
    } else {
      if (typeof encoding === 'function') {
        done = encoding;
      }
      if (chunk !== undefined && chunk !== null) {
        this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
      }
    }
    if (!this.#ended) {
      this.#ended = true;
      nextTick(() => this.emit('finish'));
    }
    if (typeof done === 'function') {
      nextTick(done);
    }
    return this;
  }

  get [SymbolToStringTag]() {
    return 'WriteStream';
  }
}
