import { Refusal } from '../errors.mjs';
import { readChunks } from './chunks.mjs';
import { rowExpander } from './expand.mjs';
import { unfilterRow } from './filters.mjs';
import { ColourType, readHeader } from './header.mjs';
import { inflateRows } from './inflate.mjs';

/**
 * Chunks that say what the samples mean, and so are still true of the sharpened picture. The rest
 * (texts, thumbnails, time of change, …) is left out of it.
 */
const KEPT = new Set(['cHRM', 'cICP', 'gAMA', 'iCCP', 'sRGB', 'pHYs']);

/** PNG §5.4, "Chunk naming conventions": a capital first letter means that it must be understood. */
function isCritical(type) {
  return type[0] === type[0].toUpperCase();
}

function checkPalette(data, { colourType }) {
  if (colourType === ColourType.GREY || colourType === ColourType.GREY_ALPHA) {
    throw new Refusal('PLTE: a grey picture has no palette');
  }
  if (data.length === 0 || data.length % 3 !== 0 || data.length > 768) {
    throw new Refusal(`PLTE: ${data.length} bytes are not 1 to 256 colours of 3 bytes`);
  }
}

function checkTransparency(data, { colourType, palette }) {
  if (colourType === ColourType.PALETTE) {
    if (palette === null) throw new Refusal('tRNS: it comes before the palette (PLTE)');
    const entries = palette.length / 3;
    if (data.length === 0 || data.length > entries) {
      throw new Refusal(`tRNS: ${data.length} alpha values for a palette of ${entries} colours`);
    }
    return;
  }
  const lengths = { [ColourType.GREY]: 2, [ColourType.RGB]: 6 };
  const wanted = lengths[colourType];
  if (wanted === undefined) throw new Refusal('tRNS: the picture has an alpha channel already');
  if (data.length !== wanted) throw new Refusal(`tRNS: ${data.length} bytes instead of ${wanted}`);
}

/** Takes one chunk after IHDR into `image`; `previous` is the type of the chunk before. */
function takeChunk(image, { type, data }, previous) {
  const beforeData = image.data.length === 0;
  switch (type) {
    case 'IHDR':
      throw new Refusal('IHDR: there are two of them');
    case 'PLTE':
      if (image.palette !== null) throw new Refusal('PLTE: there are two of them');
      if (!beforeData) throw new Refusal('PLTE: it comes after the image data (IDAT)');
      if (image.transparency !== null) throw new Refusal('PLTE: it comes after tRNS');
      checkPalette(data, image);
      image.palette = data;
      return;
    case 'tRNS':
      if (image.transparency !== null) throw new Refusal('tRNS: there are two of them');
      if (!beforeData) throw new Refusal('tRNS: it comes after the image data (IDAT)');
      checkTransparency(data, image);
      image.transparency = data;
      return;
    case 'IDAT':
      if (!beforeData && previous !== 'IDAT') throw new Refusal(`IDAT: ${previous} comes between two of them`);
      if (beforeData && image.colourType === ColourType.PALETTE && image.palette === null) {
        throw new Refusal('IDAT: it comes before the palette (PLTE)');
      }
      image.data.push(data);
      return;
    case 'IEND':
      if (data.length !== 0) throw new Refusal(`IEND: ${data.length} bytes of data instead of none`);
      if (beforeData) throw new Refusal('there is no image data (IDAT)');
      return;
    default:
      if (isCritical(type)) throw new Refusal(`chunk ${type} is unknown and must not be ignored`);
      if (beforeData && KEPT.has(type) && !image.kept.some((chunk) => chunk.type === type)) {
        image.kept.push({ type, data: data.slice() });
      }
  }
}

/**
 * Reads and checks everything but the pixels, which `decodePixels` inflates later.
 * @param {Uint8Array} bytes the whole file
 */
export function parsePng(bytes) {
  let image = null;
  let previous = '';
  for (const chunk of readChunks(bytes)) {
    if (image === null) {
      if (chunk.type !== 'IHDR') throw new Refusal(`chunk ${chunk.type} comes before IHDR`);
      const header = readHeader(chunk.data);
      image = { ...header, palette: null, transparency: null, data: [], kept: [] };
    } else {
      takeChunk(image, chunk, previous);
    }
    previous = chunk.type;
  }
  return image;
}

/**
 * Decodes the pixels as RGBA.
 * @param {ReturnType<typeof parsePng>} image
 * @param {Uint8Array} target where row y starts at byte `y * stride`; may be shared memory
 * @param {number} stride
 */
export async function decodePixels(image, target, stride) {
  const { width, height, channels } = image;
  const expand = rowExpander(image);
  const above = new Uint8Array(width * channels);
  await inflateRows(image.data, 1 + above.length, height, (line, y) => {
    const row = line.subarray(1);
    try {
      unfilterRow(line[0], row, above, channels);
      expand(row, target.subarray(y * stride, y * stride + width * 4));
    } catch (error) {
      throw error instanceof Refusal ? error.about(`row ${y + 1}`) : error;
    }
    above.set(row);
  });
}
