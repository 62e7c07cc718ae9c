// @ts-check
// TextEncoderStream and TextDecoderStream (Encoding §7.4, §7.5).

import { decode, encode, getEncoding, getFatal, getIgnoreBOM, TextDecoder, TextEncoder } from './encoding.js';
import { primordials } from './primordials.js';
import { createTransform } from './streams/transform_stream.js';
import { configureInterface, toBufferSource, toDOMString } from './webidl.js';

const { StringPrototypeCharCodeAt, StringPrototypeSlice, Uint8Array } = primordials;

const encoder = new TextEncoder();
const streaming = { __proto__: null, stream: true };
/** An own `stream`, so that none is looked for on `Object.prototype`. */
const last = { __proto__: null, stream: false };
const bytesAllowed = { __proto__: null, allowShared: true, allowResizable: true };

export class TextEncoderStream {
  #transform;

  constructor() {
    /** A leading surrogate whose other half may be in the next chunk. */
    let carry = '';
    this.#transform = createTransform(
      (chunk, state) => {
        let text = toDOMString(chunk, '', 'The chunk');
        if (text.length === 0) return;
        text = carry + text;
        const end = text.length - 1;
        if ((StringPrototypeCharCodeAt(text, end) & 0xfc00) === 0xd800) {
          carry = StringPrototypeSlice(text, end);
          text = StringPrototypeSlice(text, 0, end);
          if (text === '') return;
        } else {
          carry = '';
        }
        state.enqueue(encode(encoder, text));
      },
      (state) => {
        if (carry !== '') state.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
      },
    );
  }

  /** @returns {'utf-8'} */
  get encoding() {
    this.#transform;
    return 'utf-8';
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}
configureInterface(TextEncoderStream);

export class TextDecoderStream {
  #decoder;
  #transform;

  /**
   * @param {string} [label]
   * @param {{ fatal?: boolean, ignoreBOM?: boolean }} [options]
   */
  constructor(label = 'utf-8', options = undefined) {
    const decoder = new TextDecoder(label, options);
    this.#decoder = decoder;
    this.#transform = createTransform(
      (chunk, state) => {
        const text = decode(decoder, toBufferSource(chunk, '', 'The chunk', bytesAllowed), streaming);
        if (text !== '') state.enqueue(text);
      },
      (state) => {
        const text = decode(decoder, undefined, last);
        if (text !== '') state.enqueue(text);
      },
      () => {
        // Ends the decoder's stream, and with it the host's part of it.
        try {
          decode(decoder, undefined, last);
        } catch {
          // Half a character is no matter to a stream that is given up.
        }
      },
    );
  }

  /** @returns {string} */
  get encoding() {
    return getEncoding(this.#decoder);
  }

  /** @returns {boolean} */
  get fatal() {
    return getFatal(this.#decoder);
  }

  /** @returns {boolean} */
  get ignoreBOM() {
    return getIgnoreBOM(this.#decoder);
  }

  get readable() {
    return this.#transform.readable;
  }

  get writable() {
    return this.#transform.writable;
  }
}
configureInterface(TextDecoderStream);
