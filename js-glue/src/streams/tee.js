// @ts-check
// Streams §4.9.1 "ReadableStreamDefaultTee".

import { primordials } from '../primordials.js';
import { kDone, queueMicrotaskSteps } from './promises.js';
import { closeController, createReadable, enqueueChunk, errorController } from './readable_default_controller.js';
import { acquireReader, cancelReadable, readDefault } from './readable_state.js';

const { newPromise } = primordials;

/** What both kinds of tee share: two branches, and a source that is cancelled once both of them are. */
export class TeeState {
  reading = false;
  canceled1 = false;
  canceled2 = false;
  /** @type {import('./readable_state.js').ReadableState} */
  stream;
  /** @type {any} */
  branch1 = undefined;
  /** @type {any} */
  branch2 = undefined;
  #cancelCapability = newPromise();
  /** @type {any} */
  #reason1 = undefined;
  /** @type {any} */
  #reason2 = undefined;

  /** @param {import('./readable_state.js').ReadableState} stream */
  constructor(stream) {
    this.stream = stream;
  }

  /** @param {any} reason @returns {Promise<any>} */
  cancel1(reason) {
    this.canceled1 = true;
    this.#reason1 = reason;
    if (this.canceled2) this.#cancelSource();
    return this.#cancelCapability.promise;
  }

  /** @param {any} reason @returns {Promise<any>} */
  cancel2(reason) {
    this.canceled2 = true;
    this.#reason2 = reason;
    if (this.canceled1) this.#cancelSource();
    return this.#cancelCapability.promise;
  }

  #cancelSource() {
    this.#cancelCapability.resolve(cancelReadable(this.stream, [this.#reason1, this.#reason2]));
  }

  /** The source has ended: a branch's cancellation waits for nothing more. */
  sourceEnded() {
    if (!this.canceled1 || !this.canceled2) this.#cancelCapability.resolve(undefined);
  }

  /** A chunk could not be copied. @param {any} error */
  sourceFailed(error) {
    this.#cancelCapability.resolve(cancelReadable(this.stream, error));
  }
}

/**
 * @param {import('./readable_state.js').ReadableState} stream
 * @returns {TeeState}
 */
export function teeDefault(stream) {
  const reader = acquireReader(stream);
  const tee = new TeeState(stream);
  let readAgain = false;

  const request = {
    __proto__: null,
    /** @param {any} chunk */
    chunkSteps(chunk) {
      // An error of the source takes a microtask to be seen. It must reach both branches before a chunk that happens to be there already.
      queueMicrotaskSteps(() => {
        readAgain = false;
        if (!tee.canceled1) enqueueChunk(tee.branch1.controller, chunk);
        if (!tee.canceled2) enqueueChunk(tee.branch2.controller, chunk);
        tee.reading = false;
        if (readAgain) pull();
      });
    },
    closeSteps() {
      tee.reading = false;
      if (!tee.canceled1) closeController(tee.branch1.controller);
      if (!tee.canceled2) closeController(tee.branch2.controller);
      tee.sourceEnded();
    },
    errorSteps() {
      tee.reading = false;
    },
  };

  const pull = () => {
    if (tee.reading) {
      readAgain = true;
    } else {
      tee.reading = true;
      readDefault(reader, request);
    }
    return kDone;
  };

  tee.branch1 = createReadable(pull, (reason) => tee.cancel1(reason));
  tee.branch2 = createReadable(pull, (reason) => tee.cancel2(reason));
  reader.closed.react(undefined, (error) => {
    errorController(tee.branch1.controller, error);
    errorController(tee.branch2.controller, error);
    tee.sourceEnded();
  });
  return tee;
}
