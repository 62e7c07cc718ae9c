// @ts-check
// Streams §4.9.1 "ReadableByteStreamTee".

import { cloneAsUint8Array } from './buffers.js';
import { kDone, queueMicrotaskSteps } from './promises.js';
import { getByobRequest, readByob, respond, respondWithNewView } from './pull_into.js';
import { closeByteController, createReadableBytes, enqueueBytes, errorByteController } from './readable_byte_controller.js';
import { byobRequestView } from './readable_byte_interfaces.js';
import { acquireReader, readDefault, releaseReader } from './readable_state.js';
import { TeeState } from './tee.js';

class ByteTee extends TeeState {
  // Declared, so that they are own properties from the start: an assignment to one that is not would call a setter that a script put on Object.prototype.
  branch1;
  branch2;

  #reader;
  #readAgainForBranch1 = false;
  #readAgainForBranch2 = false;

  /** @param {import('./readable_state.js').ReadableState} stream */
  constructor(stream) {
    super(stream);
    this.#reader = acquireReader(stream);
    this.branch1 = createReadableBytes(
      () => this.#pull1(),
      (reason) => this.cancel1(reason),
    );
    this.branch2 = createReadableBytes(
      () => this.#pull2(),
      (reason) => this.cancel2(reason),
    );
    this.#forwardReaderError();
  }

  #forwardReaderError() {
    const reader = this.#reader;
    reader.closed.react(undefined, (error) => {
      // A reader that was swapped for the other kind "errors" on release.
      if (reader !== this.#reader) return;
      errorByteController(this.branch1.controller, error);
      errorByteController(this.branch2.controller, error);
      this.sourceEnded();
    });
  }

  /** @param {boolean} isByob */
  #swapReader(isByob) {
    if (this.#reader.isByob === isByob) return;
    releaseReader(this.#reader);
    this.#reader = acquireReader(this.stream, isByob);
    this.#forwardReaderError();
  }

  #pull1() {
    if (this.reading) this.#readAgainForBranch1 = true;
    else this.#pull(this.branch1, false);
    return kDone;
  }

  #pull2() {
    if (this.reading) this.#readAgainForBranch2 = true;
    else this.#pull(this.branch2, true);
    return kDone;
  }

  /**
   * @param {import('./readable_state.js').ReadableState} branch
   * @param {boolean} forBranch2
   */
  #pull(branch, forBranch2) {
    this.reading = true;
    const byobRequest = getByobRequest(branch.controller);
    if (byobRequest === null) this.#pullWithDefaultReader();
    else this.#pullWithByobReader(byobRequestView(byobRequest), forBranch2);
  }

  #readFinished() {
    this.reading = false;
    if (this.#readAgainForBranch1) this.#pull1();
    else if (this.#readAgainForBranch2) this.#pull2();
  }

  /**
   * @param {any} chunk
   * @returns {Uint8Array | undefined} undefined when that failed, and both branches with it
   */
  #clone(chunk) {
    try {
      return cloneAsUint8Array(chunk);
    } catch (error) {
      errorByteController(this.branch1.controller, error);
      errorByteController(this.branch2.controller, error);
      this.sourceFailed(error);
      return undefined;
    }
  }

  // In both kinds of read the chunk waits for a microtask, as errors of the source do (see tee.js).

  #pullWithDefaultReader() {
    this.#swapReader(false);
    const { branch1, branch2 } = this;
    readDefault(this.#reader, {
      chunkSteps: (chunk) => {
        queueMicrotaskSteps(() => {
          this.#readAgainForBranch1 = false;
          this.#readAgainForBranch2 = false;
          let chunk2 = chunk;
          if (!this.canceled1 && !this.canceled2) {
            chunk2 = this.#clone(chunk);
            if (chunk2 === undefined) return;
          }
          if (!this.canceled1) enqueueBytes(branch1.controller, chunk);
          if (!this.canceled2) enqueueBytes(branch2.controller, chunk2);
          this.#readFinished();
        });
      },
      closeSteps: () => {
        this.reading = false;
        if (!this.canceled1) closeByteController(branch1.controller);
        if (!this.canceled2) closeByteController(branch2.controller);
        if (branch1.controller.pendingPullIntos.length > 0) respond(branch1.controller, 0);
        if (branch2.controller.pendingPullIntos.length > 0) respond(branch2.controller, 0);
        this.sourceEnded();
      },
      errorSteps: () => {
        this.reading = false;
      },
    });
  }

  /**
   * @param {Uint8Array} view
   * @param {boolean} forBranch2
   */
  #pullWithByobReader(view, forBranch2) {
    this.#swapReader(true);
    const byobBranch = forBranch2 ? this.branch2 : this.branch1;
    const otherBranch = forBranch2 ? this.branch1 : this.branch2;
    const byobCanceled = () => (forBranch2 ? this.canceled2 : this.canceled1);
    const otherCanceled = () => (forBranch2 ? this.canceled1 : this.canceled2);
    readByob(this.#reader, view, 1, {
      chunkSteps: (chunk) => {
        queueMicrotaskSteps(() => {
          this.#readAgainForBranch1 = false;
          this.#readAgainForBranch2 = false;
          if (!otherCanceled()) {
            const clone = this.#clone(chunk);
            if (clone === undefined) return;
            if (!byobCanceled()) respondWithNewView(byobBranch.controller, chunk);
            enqueueBytes(otherBranch.controller, clone);
          } else if (!byobCanceled()) {
            respondWithNewView(byobBranch.controller, chunk);
          }
          this.#readFinished();
        });
      },
      closeSteps: (chunk) => {
        this.reading = false;
        if (!byobCanceled()) closeByteController(byobBranch.controller);
        if (!otherCanceled()) closeByteController(otherBranch.controller);
        if (chunk !== undefined) {
          if (!byobCanceled()) respondWithNewView(byobBranch.controller, chunk);
          if (!otherCanceled() && otherBranch.controller.pendingPullIntos.length > 0) respond(otherBranch.controller, 0);
        }
        this.sourceEnded();
      },
      errorSteps: () => {
        this.reading = false;
      },
    });
  }
}

/**
 * @param {import('./readable_state.js').ReadableState} stream
 * @returns {TeeState}
 */
export function teeBytes(stream) {
  return new ByteTee(stream);
}
