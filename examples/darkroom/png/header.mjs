import { Refusal } from '../errors.mjs';

/** PNG §11.2.1, table "Allowed combinations of colour type and bit depth". */
export const ColourType = Object.freeze({ GREY: 0, RGB: 2, PALETTE: 3, GREY_ALPHA: 4, RGBA: 6 });

/** Bit depths that the standard allows for a colour type, and samples a pixel. */
const KINDS = new Map([
  [ColourType.GREY, { depths: [1, 2, 4, 8, 16], channels: 1 }],
  [ColourType.RGB, { depths: [8, 16], channels: 3 }],
  [ColourType.PALETTE, { depths: [1, 2, 4, 8], channels: 1 }],
  [ColourType.GREY_ALPHA, { depths: [8, 16], channels: 2 }],
  [ColourType.RGBA, { depths: [8, 16], channels: 4 }],
]);

/** Longest side. With `MOST_PIXELS` it keeps every offset in the shared memory below 2^31. */
const MOST_SIDE = 32768;

/** The four planes of layout.mjs take 16 bytes a pixel: 1 GiB for this many. */
const MOST_PIXELS = 2 ** 26;

function checkSize(width, height) {
  if (width === 0 || height === 0) throw new Refusal(`IHDR: a picture of ${width} x ${height} pixels`);
  if (width > MOST_SIDE || height > MOST_SIDE || width * height > MOST_PIXELS) {
    throw new Refusal(
      `${width} x ${height} pixels are too many: a side may have ${MOST_SIDE}, ` +
        `the whole picture ${MOST_PIXELS} pixels`,
    );
  }
}

/**
 * Reads and checks IHDR.
 * @param {Uint8Array} data
 * @returns {{ width: number, height: number, colourType: number, channels: number }}
 */
export function readHeader(data) {
  if (data.length !== 13) throw new Refusal(`IHDR: ${data.length} bytes instead of 13`);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, colourType, compression, filter, interlace] = data.subarray(8);
  const kind = KINDS.get(colourType);
  if (kind === undefined) throw new Refusal(`IHDR: there is no colour type ${colourType}`);
  if (!kind.depths.includes(depth)) {
    throw new Refusal(`IHDR: bit depth ${depth} does not go with colour type ${colourType}`);
  }
  if (compression !== 0) throw new Refusal(`IHDR: there is no compression method ${compression}`);
  if (filter !== 0) throw new Refusal(`IHDR: there is no filter method ${filter}`);
  if (interlace > 1) throw new Refusal(`IHDR: there is no interlace method ${interlace}`);
  if (interlace === 1) throw new Refusal('interlaced pictures (Adam7) are not supported');
  if (depth !== 8) throw new Refusal(`bit depth ${depth} is not supported, only 8`);
  checkSize(width, height);
  return { width, height, colourType, channels: kind.channels };
}

/**
 * The data of an IHDR chunk for a picture of bit depth 8 without interlace.
 * @param {{ width: number, height: number, colourType: number }} header
 */
export function makeHeader({ width, height, colourType }) {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  data[8] = 8;
  data[9] = colourType;
  return data;
}
