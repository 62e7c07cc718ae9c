/** Bytes of a wasm page. */
const PAGE = 65536;

/** A row starts on a full v128, so that the kernel has no remainder of columns to treat apart. */
const ROW_ALIGNMENT = 16;

/** A plane starts on its own cache line. */
const PLANE_ALIGNMENT = 64;

/** Tiles for each worker to pull, so that a slow one does not hold up the phase. */
const TILES_PER_WORKER = 4;
const LEAST_ROWS = 8;
const MOST_ROWS = 128;

function alignUp(value, alignment) {
  return Math.ceil(value / alignment) * alignment;
}

/**
 * Where things lie in the shared memory, in bytes from its start:
 *
 * | plane    | an element is          | bytes a row  |
 * |----------|------------------------|--------------|
 * | `source` | u8, RGBA as decoded    | `stride`     |
 * | `sums`   | u16, sum along the row | `2 * stride` |
 * | `target` | u8, RGBA as sharpened  | `stride`     |
 *
 * The bytes between a row's last pixel and `stride` are scratch: computed with, never shown.
 * @param {number} width @param {number} height
 */
export function planMemory(width, height) {
  const stride = alignUp(width * 4, ROW_ALIGNMENT);
  const plane = alignUp(stride * height, PLANE_ALIGNMENT);
  return {
    width,
    height,
    stride,
    source: 0,
    sums: plane,
    target: 3 * plane,
    pages: Math.ceil((4 * plane) / PAGE),
  };
}

/**
 * Cuts the picture into bands of whole rows. The result does not depend on the cut (README.md,
 * "Arithmetic"), so it may follow the number of workers. Bands have an even number of rows because
 * the kernel's first pass takes two rows at a time.
 * @param {number} height @param {number} workers
 */
export function planTiles(height, workers) {
  const fair = Math.ceil(height / (workers * TILES_PER_WORKER));
  const rows = alignUp(Math.min(MOST_ROWS, Math.max(LEAST_ROWS, fair)), 2);
  return { rows, count: Math.ceil(height / rows) };
}
