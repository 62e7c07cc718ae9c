import { SIGNATURE, makeChunk } from './chunks.mjs';
import { filterBest } from './filters.mjs';
import { ColourType, makeHeader } from './header.mjs';

/** Filtered bytes for one write to the compressor: fewer and larger writes cost less. */
const BATCH = 256 * 1024;

/** Data of one IDAT chunk at most. */
const IDAT = 1024 * 1024;

function isOpaque(pixels) {
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return false;
  return true;
}

/** Colour type, and the RGBA samples that it stores. */
function chooseKind(pixels, grey) {
  const opaque = isOpaque(pixels);
  if (grey) {
    return opaque
      ? { colourType: ColourType.GREY, samples: [0] }
      : { colourType: ColourType.GREY_ALPHA, samples: [0, 3] };
  }
  return opaque
    ? { colourType: ColourType.RGB, samples: [0, 1, 2] }
    : { colourType: ColourType.RGBA, samples: [0, 1, 2, 3] };
}

function packRow(pixels, start, width, samples, row) {
  for (let x = 0, o = 0; x < width; x += 1) {
    const pixel = start + x * 4;
    for (let s = 0; s < samples.length; s += 1, o += 1) row[o] = pixels[pixel + samples[s]];
  }
}

function* filteredBatches({ width, height, pixels }, samples) {
  const length = width * samples.length;
  const perBatch = Math.max(1, Math.floor(BATCH / (length + 1)));
  let row = new Uint8Array(length);
  let above = new Uint8Array(length);
  for (let first = 0; first < height; first += perBatch) {
    const count = Math.min(perBatch, height - first);
    const batch = new Uint8Array(count * (length + 1));
    for (let i = 0; i < count; i += 1) {
      packRow(pixels, (first + i) * width * 4, width, samples, row);
      const start = i * (length + 1);
      filterBest(row, above, samples.length, batch.subarray(start, start + length + 1));
      [row, above] = [above, row];
    }
    yield batch;
  }
}

function concat(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function deflate(batches) {
  const { writable, readable } = new CompressionStream('deflate');
  async function write() {
    const writer = writable.getWriter();
    for (const batch of batches) await writer.write(batch);
    await writer.close();
  }
  async function read() {
    const parts = [];
    const reader = readable.getReader();
    for (let result; !(result = await reader.read()).done; ) parts.push(result.value);
    return concat(parts);
  }
  // Both at once: the compressor takes no more when nobody takes its output.
  const [, compressed] = await Promise.all([write(), read()]);
  return compressed;
}

/**
 * Encodes RGBA pixels (rows without padding). An opaque picture is stored without alpha, a grey
 * one with one sample a pixel.
 * @param {{ width: number, height: number, pixels: Uint8Array, grey: boolean,
 *   kept: { type: string, data: Uint8Array }[] }} picture `kept` are chunks to put after IHDR
 * @returns {Promise<Uint8Array>} the file
 */
export async function encodePng(picture) {
  const { width, height, pixels, grey, kept } = picture;
  const { colourType, samples } = chooseKind(pixels, grey);
  const data = await deflate(filteredBatches(picture, samples));
  const parts = [SIGNATURE, makeChunk('IHDR', makeHeader({ width, height, colourType }))];
  for (const { type, data: content } of kept) parts.push(makeChunk(type, content));
  for (let at = 0; at < data.length; at += IDAT) parts.push(makeChunk('IDAT', data.subarray(at, at + IDAT)));
  parts.push(makeChunk('IEND', new Uint8Array(0)));
  return concat(parts);
}
