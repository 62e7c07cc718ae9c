// Sharpens a PNG photo on several workers. README.md tells the steps and the arithmetic.
import process from 'node:process';
import { Guest, SharedMemory } from 'isolane:wasm';
import { encodeOnWorker } from './encoder.mjs';
import { Refusal } from './errors.mjs';
import { readInput, writeOutput } from './files.mjs';
import { planMemory, planTiles } from './layout.mjs';
import { USAGE, parseOptions } from './options.mjs';
import { decodePixels, parsePng } from './png/decode.mjs';
import { ColourType } from './png/header.mjs';
import { FilterPool } from './pool.mjs';
import { Progress } from './progress.mjs';

/** Steps of the progress bar that are not tiles: reading, starting the workers, encoding, writing. */
const OTHER_STEPS = 4;

function reserve({ pages }) {
  try {
    return new SharedMemory({ initial: pages, maximum: pages });
  } catch (error) {
    throw new Refusal(`${Math.ceil(pages / 16)} MiB of shared memory are not to be had (${error.message})`);
  }
}

/** The target plane without its padding, in a buffer that can be handed over. */
function copyPixels(memory, { width, height, stride, target }) {
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    pixels.set(new Uint8Array(memory.buffer, target + y * stride, width * 4), y * width * 4);
  }
  return pixels;
}

async function filter(pool, setup, progress) {
  const { count } = setup.tiles;
  await pool.prepare(setup);
  progress.step();
  progress.begin('blurring');
  await pool.run(0, count, () => progress.step());
  progress.begin('sharpening');
  await pool.run(count, 2 * count, () => progress.step());
}

/** Everything between the two files: the bytes of one in, the bytes of the other out. */
async function develop(bytes, options, startProgress) {
  const image = parsePng(bytes);
  const layout = planMemory(image.width, image.height);
  const tiles = planTiles(layout.height, options.workers);
  // A worker that could not get a tile is not worth its start.
  const workers = Math.min(options.workers, tiles.count);
  const progress = startProgress(2 * tiles.count + OTHER_STEPS);
  progress.begin('reading');
  const memory = reserve(layout);
  await decodePixels(image, new Uint8Array(memory.buffer, layout.source), layout.stride);
  progress.step();

  progress.begin('starting workers');
  const guest = await Guest.compile(new URL('./kernel.wat', import.meta.url));
  const pool = new FilterPool(workers);
  try {
    await filter(pool, { memory, guest, layout, tiles, radius: options.radius }, progress);
  } finally {
    pool.stop();
  }

  progress.begin('encoding');
  const { width, height, colourType, kept } = image;
  const grey = colourType === ColourType.GREY || colourType === ColourType.GREY_ALPHA;
  const png = await encodeOnWorker({ width, height, grey, kept, pixels: copyPixels(memory, layout) });
  progress.step();
  return { png, width, height, workers };
}

async function run(options) {
  const start = performance.now();
  let progress;
  const startProgress = (total) => (progress = new Progress(process.stderr, total));
  try {
    const bytes = await readInput(options.input);
    const result = await develop(bytes, options, startProgress).catch((error) => {
      throw error instanceof Refusal ? error.about(options.input) : error;
    });
    progress.begin('writing');
    await writeOutput(options.output, result.png);
    progress.step();
    return { ...result, milliseconds: performance.now() - start };
  } finally {
    progress?.clear();
  }
}

function summary(options, { width, height, workers, milliseconds }) {
  const crew = workers === 1 ? '1 worker' : `${workers} workers`;
  return (
    `${options.output}: ${width} x ${height} pixels, radius ${options.radius}, ` +
    `sharpened in ${Math.round(milliseconds)} ms on ${crew}\n`
  );
}

try {
  const options = parseOptions(process.argv.slice(2));
  process.stdout.write(options.help ? USAGE : summary(options, await run(options)));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`darkroom: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
