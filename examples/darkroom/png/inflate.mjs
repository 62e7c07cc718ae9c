import { Refusal } from '../errors.mjs';

/**
 * Bytes given to the inflater at a time. It may put out all that they hold before the next read, a
 * thousand times as much: this bounds it to some 16 MiB.
 */
const PIECE = 16 * 1024;

async function feed(writable, parts) {
  const writer = writable.getWriter();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE) await writer.write(part.subarray(at, at + PIECE));
  }
  await writer.close();
}

async function* inflate(parts) {
  const stream = new DecompressionStream('deflate');
  // Whatever goes wrong on the way in comes out of the readable side too, and is reported there.
  feed(stream.writable, parts).catch(() => {});
  const reader = stream.readable.getReader();
  let ended = false;
  try {
    while (true) {
      let result;
      try {
        result = await reader.read();
      } catch (error) {
        ended = true;
        throw new Refusal(`the image data is not a sound zlib stream (${error.message})`);
      }
      if (result.done) {
        ended = true;
        return;
      }
      yield result.value;
    }
  } finally {
    // The consumer left early: stop inflating, a small file can hide a lot of zeros.
    if (!ended) await reader.cancel();
  }
}

/**
 * Inflates the IDAT data and cuts it into rows. Anything but exactly `count` rows is refused.
 * @param {Uint8Array[]} parts the data of the IDAT chunks
 * @param {number} length bytes of a row with its filter type
 * @param {number} count
 * @param {(row: Uint8Array, y: number) => void} onRow the row is only lent
 */
export async function inflateRows(parts, length, count, onRow) {
  const row = new Uint8Array(length);
  let filled = 0;
  let y = 0;
  for await (const bytes of inflate(parts)) {
    for (let at = 0; at < bytes.length; ) {
      if (y === count) throw new Refusal(`there is more image data than ${count} rows need`);
      const piece = bytes.subarray(at, at + length - filled);
      row.set(piece, filled);
      at += piece.length;
      filled += piece.length;
      if (filled === length) {
        onRow(row, y);
        filled = 0;
        y += 1;
      }
    }
  }
  if (y !== count) throw new Refusal(`the image data ends in row ${y + 1} of ${count}`);
}
