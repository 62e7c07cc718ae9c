import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from './errors.mjs';

/** @param {string} path @returns {Promise<Uint8Array>} */
export async function readInput(path) {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Refusal(`${path}: ${error.message}`);
  }
}

/**
 * Writes a file whole or not at all: into a neighbour first, which then takes the name.
 * @param {string} path @param {Uint8Array} bytes
 */
export async function writeOutput(path, bytes) {
  // Random, so that two runs with the same output do not write into each other's file.
  const partial = `${path}.${Math.random().toString(36).slice(2, 10)}.partial`;
  try {
    await writeFile(partial, bytes);
    await rename(partial, path);
  } catch (error) {
    // The first error is the one to tell; that there may be nothing to remove is expected.
    await rm(partial, { force: true }).catch(() => {});
    if (error.code === 'ERR_ACCESS_DENIED') {
      throw new Refusal(`${path}: a neighbour of it is written first; run again with --allow-write=${dirname(path)}`);
    }
    throw new Refusal(`${path}: ${error.code === 'EISDIR' ? 'it is a folder' : error.message}`);
  }
}
