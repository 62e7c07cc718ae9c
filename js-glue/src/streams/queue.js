// @ts-check
// Streams §8.1 "Queue-with-sizes", and the lists of pending requests.

import { primordials } from '../primordials.js';

const { NumberIsNaN, NumberPOSITIVE_INFINITY, RangeError } = primordials;

/** Written out, so that every slot is the array's own: a store never looks for a setter on `Array.prototype`. */
const newSegment = () => ({
  __proto__: null,
  /** @type {any[]} */
  slots: [
    undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined,
    undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined,
  ],
  /** @type {any} */
  next: undefined,
});
const kSegmentLength = 16;

/** First in, first out: a chain of fixed segments. A queue that stays short lives in one segment and allocates nothing. */
export class Queue {
  /** @type {ReturnType<typeof newSegment> | undefined} */
  #head = undefined;
  #headIndex = 0;
  /** @type {any} */
  #tail = undefined;
  #tailIndex = 0;
  length = 0;

  /** @param {any} value */
  push(value) {
    if (this.#tail === undefined) {
      this.#head = this.#tail = newSegment();
    } else if (this.#tailIndex === kSegmentLength) {
      this.#tail = this.#tail.next = newSegment();
      this.#tailIndex = 0;
    }
    this.#tail.slots[this.#tailIndex++] = value;
    this.length++;
  }

  /** @returns {any} the first value; there must be one */
  peek() {
    const head = /** @type {any} */ (this.#head);
    return this.#headIndex === kSegmentLength ? head.next.slots[0] : head.slots[this.#headIndex];
  }

  /** @returns {any} the first value; there must be one */
  shift() {
    if (this.#headIndex === kSegmentLength) {
      this.#head = /** @type {any} */ (this.#head).next;
      this.#headIndex = 0;
    }
    const { slots } = /** @type {any} */ (this.#head);
    const value = slots[this.#headIndex];
    slots[this.#headIndex++] = undefined;
    if (--this.length === 0) {
      this.#head = this.#tail;
      this.#headIndex = this.#tailIndex = 0;
    }
    return value;
  }

  clear() {
    this.#head = this.#tail = undefined;
    this.#headIndex = this.#tailIndex = this.length = 0;
  }
}

/** A queue that knows the sum of its values' sizes. */
export class SizedQueue {
  /** Values and sizes in turn. */
  #entries = new Queue();
  /** "[[queueTotalSize]]" */
  totalSize = 0;

  get isEmpty() {
    return this.#entries.length === 0;
  }

  /**
   * "EnqueueValueWithSize"
   * @param {any} value
   * @param {number} size
   */
  enqueue(value, size) {
    if (size < 0 || NumberIsNaN(size) || size === NumberPOSITIVE_INFINITY) {
      throw new RangeError('The size of a chunk must be a finite, non-negative number');
    }
    this.#entries.push(value);
    this.#entries.push(size);
    this.totalSize += size;
  }

  /** "DequeueValue" @returns {any} */
  dequeue() {
    const value = this.#entries.shift();
    this.totalSize -= this.#entries.shift();
    // Rounding errors may leave a little less than nothing.
    if (this.totalSize < 0) this.totalSize = 0;
    return value;
  }

  /** "PeekQueueValue" @returns {any} */
  peek() {
    return this.#entries.peek();
  }

  /** "ResetQueue" */
  reset() {
    this.#entries.clear();
    this.totalSize = 0;
  }
}
