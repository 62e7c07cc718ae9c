// @ts-check
// A queue of a script's values. Linked, since an array that is filled at one end and emptied at the other grows while it is never quite empty, and since
// filling an array looks up its prototype, which a script may have changed.

/**
 * @template T
 * @typedef {{ value: T, next: Node<T> | undefined }} Node
 */

/** @template T */
export class Fifo {
  /** @type {Node<T> | undefined} */
  #first;
  /** @type {Node<T> | undefined} */
  #last;

  get isEmpty() {
    return this.#first === undefined;
  }

  /** @param {T} value */
  push(value) {
    const node = { value, next: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
  }

  /** The oldest value; undefined if there is none. @returns {T | undefined} */
  shift() {
    const node = this.#first;
    if (node === undefined) return undefined;
    this.#first = node.next;
    if (node.next === undefined) this.#last = undefined;
    return node.value;
  }
}
