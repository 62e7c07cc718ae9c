import { Refusal } from './errors.mjs';

export const USAGE = `usage: main.mjs IN.png OUT.png [--workers N] [--radius R]

Sharpens a PNG photo on several workers that share one wasm memory.

  --workers N   filter workers, 1 to 64 (default: one per logical processor)
  --radius R    radius of the blur that is taken off, in pixels, 1 to 64 (default: 3)
  --help        show this text
`;

const LIMITS = { workers: [1, 64], radius: [1, 64] };

function usageError(reason) {
  return new Refusal(`${reason} (--help shows the usage)`, { exitCode: 2 });
}

function parseCount(name, text) {
  const [least, most] = LIMITS[name];
  // Number('') is 0 and Number('1e1') is 10: only plain digits are meant.
  const value = text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most)) {
    const given = text === undefined ? 'nothing' : `'${text}'`;
    throw usageError(`--${name}: a whole number from ${least} to ${most} is wanted, not ${given}`);
  }
  return value;
}

function defaultWorkers() {
  const [least, most] = LIMITS.workers;
  return Math.min(most, Math.max(least, navigator.hardwareConcurrency));
}

/**
 * Reads the command line (without the program's own name).
 * @param {string[]} args
 * @returns {{ help: true } | { help: false, input: string, output: string, workers: number, radius: number }}
 */
export function parseOptions(args) {
  const files = [];
  const counts = {};
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i];
    if (arg === '--') {
      files.push(...args.slice(i + 1));
      break;
    }
    if (arg === '--help' || arg === '-h') return { help: true };
    if (!arg.startsWith('-')) {
      files.push(arg);
      continue;
    }
    const match = /^--(workers|radius)(?:=(.*))?$/s.exec(arg);
    if (match === null) throw usageError(`unknown option '${arg}'`);
    const [, name, attached] = match;
    if (name in counts) throw usageError(`--${name} is given twice`);
    counts[name] = parseCount(name, attached ?? args[(i += 1)]);
  }
  if (files.length !== 2 || files.includes('')) {
    throw usageError(`two file names are wanted, IN.png and OUT.png; ${files.length} given`);
  }
  const [input, output] = files;
  return {
    help: false,
    input,
    output,
    workers: counts.workers ?? defaultWorkers(),
    radius: counts.radius ?? 3,
  };
}
