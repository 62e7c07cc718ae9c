// Times one operation of a cell, and tells the driver on a line of its own.

/** How long one run should take, in milliseconds: long beside the clock's step and a thread's wake-up. */
const RUN = 30;
const RUNS = 3;

/**
 * @param {string} cell
 * @param {(count: number) => any} run Does the operation so many times.
 * @param {number} [first] Operations of the first run.
 */
export async function measure(cell, run, first = 8) {
  let count = first;
  for (;;) {
    const took = await time(run, count);
    if (took >= RUN || count >= 1 << 22) break;
    count = Math.ceil(count * Math.min(8, Math.max(1.5, (1.2 * RUN) / Math.max(took, 0.01))));
  }
  const samples = [];
  for (let i = 0; i < RUNS; i++) samples.push((await time(run, count)) / count);
  tell(cell, samples.sort((a, b) => a - b)[RUNS >> 1] * 1e6);
}

async function time(run, count) {
  const begin = performance.now();
  await run(count);
  return performance.now() - begin;
}

/** @param {string} cell @param {number} figure Nanoseconds of one operation, or bytes where the cell says so. */
export function tell(cell, figure) {
  console.log(JSON.stringify({ cell, figure }));
}
