import { Refusal } from '../errors.mjs';
import { crc32 } from './crc32.mjs';

/** PNG §5.2, "PNG signature". */
export const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** PNG §5.3, "Chunk layout": four-byte integers stop at 2^31 - 1. */
const MOST_LENGTH = 0x7fffffff;

/** Length and type before a chunk's data, CRC after it. */
const FRAME = 12;

function typeName(bytes, at) {
  const codes = bytes.subarray(at, at + 4);
  const letters = codes.every((c) => (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a));
  if (!letters) throw new Refusal(`byte ${at}: a chunk type is wanted, these are not four letters`);
  return String.fromCharCode(...codes);
}

/**
 * The chunks of a PNG file, in order and with a correct CRC, up to IEND. Bytes after IEND are not
 * part of the picture and are not looked at.
 * @param {Uint8Array} bytes the whole file
 * @returns {Generator<{ type: string, data: Uint8Array, at: number }>} `data` is a view of `bytes`
 */
export function* readChunks(bytes) {
  if (!SIGNATURE.every((byte, i) => bytes[i] === byte)) {
    throw new Refusal('not a PNG file (its first eight bytes are not the PNG signature)');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = SIGNATURE.length; ; ) {
    const left = bytes.length - at;
    if (left === 0) throw new Refusal('the file is cut off: it ends without an IEND chunk');
    if (left < FRAME) throw new Refusal(`the file is cut off inside the chunk at byte ${at}`);
    const length = view.getUint32(at);
    const type = typeName(bytes, at + 4);
    if (length > MOST_LENGTH) {
      throw new Refusal(`chunk ${type} at byte ${at}: its length ${length} is above what PNG allows`);
    }
    if (length > left - FRAME) {
      throw new Refusal(
        `the file is cut off: chunk ${type} at byte ${at} should have ${length} bytes of data, ` +
          `the file has ${left - FRAME} left for it`,
      );
    }
    const end = at + 8 + length;
    // The CRC covers type and data, not the length.
    if (crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
      throw new Refusal(`chunk ${type} at byte ${at}: the CRC does not match, the data is damaged`);
    }
    yield { type, data: bytes.subarray(at + 8, end), at };
    if (type === 'IEND') return;
    at = end + 4;
  }
}

/**
 * One chunk, ready to be written.
 * @param {string} type @param {Uint8Array} data @returns {Uint8Array}
 */
export function makeChunk(type, data) {
  const chunk = new Uint8Array(data.length + FRAME);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i += 1) chunk[4 + i] = type.charCodeAt(i);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, data.length + 8)));
  return chunk;
}
