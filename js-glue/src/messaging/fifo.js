// @ts-check
//# allFunctionsCalledOnLoad
// A queue of objects of the glue's, linked by a field of their own, so that an entry costs no second object. (An array that is filled at one end and
// emptied at the other grows while it is never quite empty, and filling one looks up its prototype, which a script may have changed.)

/**
 * @template T
 * @typedef {T & { next: Entry<T> | undefined }} Entry
 */

/** @template T */
export class Fifo {
  /** @type {Entry<T> | undefined} */
  #first;
  /** @type {Entry<T> | undefined} */
  #last;

  get isEmpty() {
    return this.#first === undefined;
  }

  /** @param {Entry<T>} entry In no other queue; its `next` is undefined. */
  push(entry) {
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
  }

  /** The oldest entry; undefined if there is none. @returns {T | undefined} */
  shift() {
    const entry = this.#first;
    if (entry === undefined) return undefined;
    this.#first = entry.next;
    if (entry.next === undefined) this.#last = undefined;
    entry.next = undefined;
    return entry;
  }
}
