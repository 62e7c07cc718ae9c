// @ts-check
// Streams §4.9.1 "ReadableStreamPipeTo".
//
// A pipe reads while the destination wants more and writes at once what it has read. It allocates nothing per chunk: it is its own read request and
// its own write request. Reading and writing never happen inside a call that a script made into the source or the destination (`enqueue()`, say),
// but after it, so the sink is not run from within the source.

import { abortReason, addAbortAlgorithm, isAborted, removeAbortAlgorithm } from '../abort.js';
import { primordials } from '../primordials.js';
import { kDone, queueMicrotaskSteps } from './promises.js';
import { acquireReader, cancelReadable, readDefault, releaseReader } from './readable_state.js';
import {
  abortWritable,
  acquireWriter,
  closeWithErrorPropagation,
  isCloseQueuedOrInFlight,
  releaseWriter,
  writeChunk,
  writerDesiredSize,
} from './writable_state.js';

const { newPromise, PromisePrototypeThen, TypeError } = primordials;

/** @typedef {import('../abort.js').AbortSignal} AbortSignal */
/** @typedef {import('./readable_state.js').ReadableState} ReadableState */
/** @typedef {import('./writable_state.js').WritableState} WritableState */

class Pipe {
  capability = newPromise();
  #source;
  #dest;
  #preventClose;
  #preventAbort;
  #preventCancel;
  #signal;
  #reader;
  #writer;
  #shuttingDown = false;
  /** A read has been asked for and not answered. */
  #reading = false;
  /** Inside the call that asked: the answer is picked up after it. */
  #inRead = false;
  /** A chunk that has been read and not yet written. */
  #hasChunk = false;
  /** @type {any} */
  #chunk = undefined;
  #unsettledWrites = 0;
  /** What waits for the last of them. @type {(() => void) | undefined} */
  #onWritesSettled = undefined;
  #step = () => this.#pump();
  #abortAlgorithm = () => this.#abort();

  /**
   * @param {ReadableState} source
   * @param {WritableState} dest
   * @param {boolean} preventClose
   * @param {boolean} preventAbort
   * @param {boolean} preventCancel
   * @param {AbortSignal | undefined} signal
   */
  constructor(source, dest, preventClose, preventAbort, preventCancel, signal) {
    this.#source = source;
    this.#dest = dest;
    this.#preventClose = preventClose;
    this.#preventAbort = preventAbort;
    this.#preventCancel = preventCancel;
    this.#signal = signal;
    this.#reader = acquireReader(source);
    this.#writer = acquireWriter(dest);
    source.disturbed = true;
  }

  start() {
    const signal = this.#signal;
    if (signal !== undefined) {
      if (isAborted(signal)) {
        this.#abort();
        return;
      }
      addAbortAlgorithm(signal, this.#abortAlgorithm);
    }
    // "Error and close states must be propagated", in this order.
    const source = this.#source;
    const dest = this.#dest;
    if (source.state === 'errored') this.#sourceErrored();
    if (dest.state === 'errored') this.#destErrored();
    if (source.state === 'closed') this.#sourceClosed();
    if (isCloseQueuedOrInFlight(dest) || dest.state === 'closed') this.#destClosed();
    if (this.#shuttingDown) return;
    this.#reader.closed.react(
      () => this.#sourceClosed(),
      () => this.#sourceErrored(),
    );
    this.#writer.closed.react(undefined, () => this.#destErrored());
    queueMicrotaskSteps(this.#step);
  }

  #pump() {
    const dest = this.#dest;
    while (!this.#shuttingDown) {
      if (this.#hasChunk) this.#writePending();
      if (this.#shuttingDown || this.#reading || dest.state !== 'writable' || isCloseQueuedOrInFlight(dest)) return;
      const desiredSize = writerDesiredSize(this.#writer);
      if (desiredSize === null || desiredSize <= 0) {
        this.#writer.ready.react(this.#step, undefined);
        return;
      }
      this.#reading = true;
      this.#inRead = true;
      readDefault(this.#reader, this);
      this.#inRead = false;
    }
  }

  // As a read request.

  /** @param {any} chunk */
  chunkSteps(chunk) {
    this.#reading = false;
    this.#hasChunk = true;
    this.#chunk = chunk;
    if (!this.#inRead) queueMicrotaskSteps(this.#step);
  }

  // What to do about the end is decided when the reader's `closed` settles.

  closeSteps() {}

  errorSteps() {}

  // As a write request.

  resolve() {
    if (--this.#unsettledWrites > 0) return;
    const onWritesSettled = this.#onWritesSettled;
    this.#onWritesSettled = undefined;
    if (onWritesSettled !== undefined) queueMicrotaskSteps(onWritesSettled);
  }

  reject() {
    this.resolve();
  }

  #writePending() {
    const chunk = this.#chunk;
    this.#hasChunk = false;
    this.#chunk = undefined;
    this.#unsettledWrites++;
    writeChunk(this.#writer, chunk, this);
  }

  #sourceErrored() {
    const error = this.#source.storedError;
    this.#shutdown(this.#preventAbort ? undefined : () => abortWritable(this.#dest, error), true, error);
  }

  #destErrored() {
    const error = this.#dest.storedError;
    this.#shutdown(this.#preventCancel ? undefined : () => cancelReadable(this.#source, error), true, error);
  }

  #sourceClosed() {
    this.#shutdown(this.#preventClose ? undefined : () => closeWithErrorPropagation(this.#writer), false, undefined);
  }

  #destClosed() {
    const error = new TypeError('The destination was closed before everything could be written to it');
    this.#shutdown(this.#preventCancel ? undefined : () => cancelReadable(this.#source, error), true, error);
  }

  #abort() {
    const error = abortReason(/** @type {AbortSignal} */ (this.#signal));
    const action = () => {
      const aborted = !this.#preventAbort && this.#dest.state === 'writable' ? abortWritable(this.#dest, error) : kDone;
      const canceled = !this.#preventCancel && this.#source.state === 'readable' ? cancelReadable(this.#source, error) : kDone;
      return bothOf(aborted, canceled);
    };
    this.#shutdown(action, true, error);
  }

  /**
   * "Shutdown with an action", or "shutdown" without one
   * @param {(() => Promise<any>) | undefined} action
   * @param {boolean} isError
   * @param {any} error
   */
  #shutdown(action, isError, error) {
    if (this.#shuttingDown) return;
    this.#shuttingDown = true;
    const dest = this.#dest;
    const finish = () => {
      if (action === undefined) {
        this.#finalize(isError, error);
        return;
      }
      PromisePrototypeThen(
        action(),
        () => this.#finalize(isError, error),
        (/** @type {any} */ newError) => this.#finalize(true, newError),
      );
    };
    // A read that is still open must not take a chunk out of the source any more.
    if (this.#reading) {
      this.#reading = false;
      releaseReader(this.#reader);
      this.#reader = acquireReader(this.#source);
    }
    if (dest.state !== 'writable' || isCloseQueuedOrInFlight(dest)) {
      finish();
      return;
    }
    if (this.#hasChunk) this.#writePending();
    if (this.#unsettledWrites > 0) this.#onWritesSettled = finish;
    else queueMicrotaskSteps(finish);
  }

  /**
   * "Finalize"
   * @param {boolean} isError
   * @param {any} error
   */
  #finalize(isError, error) {
    releaseWriter(this.#writer);
    releaseReader(this.#reader);
    if (this.#signal !== undefined) removeAbortAlgorithm(this.#signal, this.#abortAlgorithm);
    if (isError) this.capability.reject(error);
    else this.capability.resolve(undefined);
  }
}

/**
 * "Getting a promise to wait for all", of two
 * @param {Promise<any>} first
 * @param {Promise<any>} second
 * @returns {Promise<undefined>}
 */
function bothOf(first, second) {
  const { promise, resolve, reject } = newPromise();
  let remaining = 2;
  const fulfilled = () => {
    if (--remaining === 0) resolve(undefined);
  };
  PromisePrototypeThen(first, fulfilled, reject);
  PromisePrototypeThen(second, fulfilled, reject);
  return promise;
}

/**
 * @param {ReadableState} source
 * @param {WritableState} dest
 * @param {boolean} preventClose
 * @param {boolean} preventAbort
 * @param {boolean} preventCancel
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<undefined>}
 */
export function pipeTo(source, dest, preventClose, preventAbort, preventCancel, signal) {
  const pipe = new Pipe(source, dest, preventClose, preventAbort, preventCancel, signal);
  pipe.start();
  return pipe.capability.promise;
}
