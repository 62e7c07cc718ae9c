import { Refusal } from '../errors.mjs';
import { ColourType } from './header.mjs';

function expandGrey(key) {
  return (row, out) => {
    for (let i = 0, o = 0; i < row.length; i += 1, o += 4) {
      const grey = row[i];
      out[o] = grey;
      out[o + 1] = grey;
      out[o + 2] = grey;
      out[o + 3] = key !== null && grey === key[0] ? 0 : 255;
    }
  };
}

function expandRgb(key) {
  return (row, out) => {
    for (let i = 0, o = 0; i < row.length; i += 3, o += 4) {
      const r = row[i];
      const g = row[i + 1];
      const b = row[i + 2];
      out[o] = r;
      out[o + 1] = g;
      out[o + 2] = b;
      out[o + 3] = key !== null && r === key[0] && g === key[1] && b === key[2] ? 0 : 255;
    }
  };
}

function expandGreyAlpha(row, out) {
  for (let i = 0, o = 0; i < row.length; i += 2, o += 4) {
    const grey = row[i];
    out[o] = grey;
    out[o + 1] = grey;
    out[o + 2] = grey;
    out[o + 3] = row[i + 1];
  }
}

function expandPalette(palette, alphas) {
  const entries = palette.length / 3;
  return (row, out) => {
    for (let i = 0, o = 0; i < row.length; i += 1, o += 4) {
      const index = row[i];
      if (index >= entries) {
        throw new Refusal(`pixel ${i + 1} has colour ${index}, the palette has ${entries} (0 to ${entries - 1})`);
      }
      out[o] = palette[index * 3];
      out[o + 1] = palette[index * 3 + 1];
      out[o + 2] = palette[index * 3 + 2];
      out[o + 3] = alphas !== null && index < alphas.length ? alphas[index] : 255;
    }
  };
}

/** PNG §11.3.1.1, "tRNS": two bytes a sample, of which a depth of 8 uses the low one. */
function colourKey(transparency) {
  return transparency === null ? null : transparency.filter((_, i) => i % 2 === 1);
}

/**
 * The function that writes one row of samples as RGBA, 4 bytes a pixel.
 * @param {{ colourType: number, palette: Uint8Array | null, transparency: Uint8Array | null }} image
 * @returns {(row: Uint8Array, out: Uint8Array) => void}
 */
export function rowExpander({ colourType, palette, transparency }) {
  switch (colourType) {
    case ColourType.GREY:
      return expandGrey(colourKey(transparency));
    case ColourType.RGB:
      return expandRgb(colourKey(transparency));
    case ColourType.PALETTE:
      return expandPalette(palette, transparency);
    case ColourType.GREY_ALPHA:
      return expandGreyAlpha;
    default:
      return (row, out) => out.set(row);
  }
}
