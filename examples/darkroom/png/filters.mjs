import { Refusal } from '../errors.mjs';

// PNG §9, "Filtering". A row is predicted from the bytes to the left (a), above (b) and above left
// (c); bytes outside the picture count as 0. `step` is the distance to the byte of the same sample
// in the pixel to the left.

/** PNG §9.4, "Filter type 4: Paeth". Ties go to a, then b. */
function paeth(a, b, c) {
  const p = a + b - c;
  const pa = Math.abs(p - a);
  const pb = Math.abs(p - b);
  const pc = Math.abs(p - c);
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}

/**
 * Turns a filtered row into samples, in place.
 * @param {number} type filter type byte of the row
 * @param {Uint8Array} row @param {Uint8Array} above the samples of the row before
 * @param {number} step
 */
export function unfilterRow(type, row, above, step) {
  const length = row.length;
  switch (type) {
    case 0:
      return;
    case 1:
      for (let i = step; i < length; i += 1) row[i] += row[i - step];
      return;
    case 2:
      for (let i = 0; i < length; i += 1) row[i] += above[i];
      return;
    case 3:
      for (let i = 0; i < step; i += 1) row[i] += above[i] >> 1;
      for (let i = step; i < length; i += 1) row[i] += (row[i - step] + above[i]) >> 1;
      return;
    case 4:
      for (let i = 0; i < step; i += 1) row[i] += above[i];
      for (let i = step; i < length; i += 1) row[i] += paeth(row[i - step], above[i], above[i - step]);
      return;
    default:
      throw new Refusal(`there is no row filter ${type}`);
  }
}

/** What each filter type takes off a sample, given the bytes a, b and c around it. */
const PREDICTORS = [
  () => 0,
  (a) => a,
  (_a, b) => b,
  (a, b) => (a + b) >> 1,
  paeth,
];

function filterRow(type, row, above, step, out) {
  const predict = PREDICTORS[type];
  let cost = 0;
  out[0] = type;
  for (let i = 0; i < row.length; i += 1) {
    const left = i >= step;
    const byte = (row[i] - predict(left ? row[i - step] : 0, above[i], left ? above[i - step] : 0)) & 0xff;
    out[i + 1] = byte;
    cost += byte < 128 ? byte : 256 - byte;
  }
  return cost;
}

/**
 * Filters a row with the type that leaves the least sum of absolute differences (PNG §12.7,
 * "Filter selection").
 * @param {Uint8Array} row @param {Uint8Array} above @param {number} step
 * @param {Uint8Array} out the type byte and the filtered row: one byte longer than `row`
 */
export function filterBest(row, above, step, out) {
  let best = 0;
  let bestCost = Infinity;
  for (let type = 0; type < PREDICTORS.length; type += 1) {
    const cost = filterRow(type, row, above, step, out);
    if (cost < bestCost) [best, bestCost] = [type, cost];
  }
  if (best !== PREDICTORS.length - 1) filterRow(best, row, above, step, out);
}
