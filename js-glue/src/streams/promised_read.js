// @ts-check
// The read request behind a promise that a script waits for.

import { primordials } from '../primordials.js';

const { newPromise, PromiseReject, PromiseResolve } = primordials;

/** @typedef {{ done: boolean, value: any }} ReadResult */

/** An outcome that is there before anybody asks for the promise needs no capability of it. */
export class PromisedRead {
  /** @type {any} */
  #capability = undefined;
  /** @type {'waiting' | 'fulfilled' | 'rejected'} */
  #state = 'waiting';
  /** @type {any} */
  #outcome = undefined;

  /** @param {any} chunk */
  chunkSteps(chunk) {
    this.#fulfill({ done: false, value: chunk });
  }

  /** @param {any} [chunk] */
  closeSteps(chunk) {
    this.#fulfill({ done: true, value: chunk });
  }

  /** @param {any} error */
  errorSteps(error) {
    if (this.#capability !== undefined) {
      this.#capability.reject(error);
      return;
    }
    this.#state = 'rejected';
    this.#outcome = error;
  }

  /** @param {ReadResult} result */
  #fulfill(result) {
    if (this.#capability !== undefined) {
      this.#capability.resolve(result);
      return;
    }
    this.#state = 'fulfilled';
    this.#outcome = result;
  }

  /** To be asked for once. @returns {Promise<ReadResult>} */
  get promise() {
    if (this.#state === 'fulfilled') return PromiseResolve(this.#outcome);
    if (this.#state === 'rejected') return PromiseReject(this.#outcome);
    this.#capability = newPromise();
    return this.#capability.promise;
  }
}
