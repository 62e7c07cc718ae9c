// @ts-check
//# allFunctionsCalledOnLoad
// Views of one segment of a lane: `guest-abi/src/layout.rs` holds its layout.

import { primordials } from '../primordials.js';
import { sharedByteLength } from '../shared_buffer.js';

const { BigUint64Array, Float64Array, Int32Array, Uint8Array } = primordials;

const HEADER_BYTES = 256;
const SLOT_BYTES = 64;
/** Words (of 32 bits) before the ring's first slot. */
export const HEADER_WORDS = HEADER_BYTES >> 2;
export const SLOT_WORDS = SLOT_BYTES >> 2;
/** Words of the longest record, and so of the longest text in one. */
export const MAX_RECORD_WORDS = 78;

export class Segment {
  // Declared, so that they are own properties from the start: an assignment to one that is not would call a setter that a script put on Object.prototype.
  /** Slots. */
  capacity;
  /** Slots less one. */
  mask;
  /** Words of the ring less one. */
  wordMask;
  i32;
  f64;
  u64;
  u8;

  /** @param {SharedArrayBuffer} buffer */
  constructor(buffer) {
    this.capacity = (sharedByteLength(buffer) - HEADER_BYTES) / SLOT_BYTES;
    this.mask = this.capacity - 1;
    this.wordMask = this.capacity * SLOT_WORDS - 1;
    this.i32 = new Int32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.u64 = new BigUint64Array(buffer);
    this.u8 = new Uint8Array(buffer);
  }
}
