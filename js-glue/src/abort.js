// @ts-check
// AbortController and AbortSignal (DOM §3).
//
// Lifetime (DOM §3.2.2): a source must not keep its dependent signals alive unless someone waits for them, that is, unless they
// have `abort` listeners or abort algorithms; nor does the timer of `AbortSignal.timeout` keep its signal alive otherwise. Both
// hold a `Link`: a weak reference, joined by a strong one while the signal is awaited ("pinned"). The other way round the reference is
// strong: a dependent signal keeps its sources, for a script may look at nothing but its `aborted`.

import { createDOMException } from './dom_exception.js';
import { createEvent, defineEventHandler, dispatchTrusted, EventTarget, reportException, setListenerHook } from './events.js';
import { setAbortHooks } from './events/event_target.js';
import { primordials } from './primordials.js';
import {
  configureInterface,
  createInterfaceConverter,
  illegalConstructor,
  kConstruct,
  requiredArguments,
  toEnforceRangeUnsignedLongLong,
  toSequence,
} from './webidl.js';

const { ArrayPrototypePush, SafeSet, SafeWeakRef } = primordials;

/** @typedef {(callback: () => void, milliseconds: number, options: { unref: boolean }) => any} TimerSource */

/** @type {TimerSource} */
let setTimer;

/**
 * Told by timers.js. The source must take any whole number of milliseconds up to 2^53 - 1.
 * @param {TimerSource} source
 */
export function setTimerSource(source) {
  setTimer = source;
}

class Link {
  // Declared, so that they are own properties from the start: an assignment to one that is not would call a setter that a script put on Object.prototype.
  reference;
  /** @type {any} */
  pinned;

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.reference = new SafeWeakRef(signal);
    /** @type {AbortSignal | null} */
    this.pinned = null;
  }

  /** @returns {AbortSignal | undefined} */
  signal() {
    return this.pinned ?? this.reference.deref();
  }
}

/**
 * The dependent signals of one source, in the order in which they were made. Links to collected signals are swept out whenever the set has
 * doubled since the last sweep, so a long-lived source costs no more than twice what is alive.
 */
class DependentSet {
  #links = new SafeSet();
  #sweepAt = 16;

  /** @param {Link} link */
  add(link) {
    if (this.#links.size >= this.#sweepAt) {
      this.#links.forEach((/** @type {Link} */ candidate) => {
        if (candidate.signal() === undefined) this.#links.delete(candidate);
      });
      this.#sweepAt = this.#links.size < 8 ? 16 : this.#links.size * 2;
    }
    this.#links.add(link);
  }

  /** @param {Link} link */
  delete(link) {
    this.#links.delete(link);
  }

  /** @returns {AbortSignal[]} */
  signals() {
    /** @type {AbortSignal[]} */
    const signals = [];
    this.#links.forEach((/** @type {Link} */ link) => {
      const signal = link.signal();
      if (signal !== undefined) ArrayPrototypePush(signals, signal);
    });
    return signals;
  }
}

/**
 * A signal that is not aborted and depends on nothing.
 * @type {() => AbortSignal}
 */
export let createAbortSignal;

/** @type {(value: any) => value is AbortSignal} */
export let isAbortSignal;

/** @type {(signal: AbortSignal) => boolean} */
export let isAborted;

/**
 * What the signal was aborted with; undefined before that.
 * @type {(signal: AbortSignal) => any}
 */
export let abortReason;

/**
 * "Signal abort" (DOM §3.2); without a reason, with a fresh AbortError.
 * @type {(signal: AbortSignal, reason?: any) => void}
 */
export let signalAbort;

/**
 * Has `algorithm` called once, when the signal aborts, before the `abort` event. Not called, and not kept, if it is aborted already.
 * @type {(signal: AbortSignal, algorithm: () => void) => void}
 */
export let addAbortAlgorithm;

/** @type {(signal: AbortSignal, algorithm: () => void) => void} */
export let removeAbortAlgorithm;

/**
 * "Create a dependent abort signal" (DOM §3.2), `AbortSignal.any` for the glue's own use.
 * @type {(signals: AbortSignal[]) => AbortSignal}
 */
export let createDependentSignal;

const toAbortSignal = createInterfaceConverter((value) => isAbortSignal(value), 'AbortSignal');

export class AbortSignal extends EventTarget {
  #aborted = false;
  /** @type {any} */
  #reason = undefined;
  /** @type {any} */
  #algorithms = null;
  /** Set for a dependent signal, which is never a source itself. @type {any} */
  #sources = null;
  /** @type {DependentSet | null} */
  #dependents = null;
  /** Set if something holds this signal weakly. @type {Link | null} */
  #link = null;
  /** Of a linked signal: its `abort` listeners, abort algorithms and pinned dependents. */
  #pins = 0;

  /** @param {any} token */
  constructor(token) {
    if (token !== kConstruct) illegalConstructor();
    super();
  }

  /**
   * @param {any} [reason]
   * @returns {AbortSignal}
   */
  static abort(reason = undefined) {
    const signal = new AbortSignal(kConstruct);
    signal.#setReason(reason);
    return signal;
  }

  /**
   * @param {number} milliseconds
   * @returns {AbortSignal}
   */
  static timeout(milliseconds) {
    const prefix = "Failed to execute 'timeout' on 'AbortSignal'";
    requiredArguments(arguments.length, 1, prefix);
    const delay = toEnforceRangeUnsignedLongLong(milliseconds, prefix, 'Argument 1');
    const signal = new AbortSignal(kConstruct);
    startTimeout(signal.#makeLink(), delay);
    return signal;
  }

  /**
   * @param {Iterable<AbortSignal>} signals
   * @returns {AbortSignal}
   */
  static any(signals) {
    const prefix = "Failed to execute 'any' on 'AbortSignal'";
    requiredArguments(arguments.length, 1, prefix);
    return createDependentSignal(toSequence(signals, toAbortSignal, prefix, 'Argument 1'));
  }

  /** @returns {boolean} */
  get aborted() {
    return this.#aborted;
  }

  /** @returns {any} */
  get reason() {
    return this.#reason;
  }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  /** @param {any} reason */
  #setReason(reason) {
    this.#aborted = true;
    this.#reason = reason === undefined ? createDOMException('This operation was aborted', 'AbortError') : reason;
  }

  /** @returns {Link} */
  #makeLink() {
    this.#link = new Link(this);
    setListenerHook(this, AbortSignal.#listenersChanged);
    return this.#link;
  }

  /**
   * @param {string} type
   * @param {boolean} added
   * @param {AbortSignal} signal
   */
  static #listenersChanged(type, added, signal) {
    if (type === 'abort') signal.#pin(added ? 1 : -1);
  }

  /** @param {1 | -1} change */
  #pin(change) {
    const link = this.#link;
    // An aborted signal is waited for no longer, whatever listens.
    if (link === null || this.#aborted) return;
    this.#pins += change;
    const pinned = this.#pins > 0;
    if (pinned === (link.pinned !== null)) return;
    link.pinned = pinned ? this : null;
    this.#sources?.forEach((/** @type {AbortSignal} */ source) => source.#pin(change));
  }

  /** Leaves the sources and gives up every link, so that an aborted signal holds and is held by nothing. */
  #unlink() {
    const link = this.#link;
    if (link === null) return;
    const wasPinned = link.pinned !== null;
    this.#sources?.forEach((/** @type {AbortSignal} */ source) => {
      source.#dependents?.delete(link);
      if (wasPinned) source.#pin(-1);
    });
    this.#sources?.clear();
    link.pinned = null;
    this.#link = null;
    setListenerHook(this, null);
  }

  /** "Run the abort steps" (DOM §3.2). */
  #runAbortSteps() {
    // The set stays in place meanwhile: an algorithm may take out one whose turn has not come.
    this.#algorithms?.forEach((/** @type {() => void} */ algorithm) => {
      try {
        algorithm();
      } catch (error) {
        reportException(error);
      }
    });
    this.#algorithms = null;
    dispatchTrusted(this, createEvent('abort'));
  }

  static {
    createAbortSignal = () => new AbortSignal(kConstruct);
    isAbortSignal = /** @type {typeof isAbortSignal} */ (
      (value) => typeof value === 'object' && value !== null && #aborted in value
    );
    isAborted = (signal) => signal.#aborted;
    abortReason = (signal) => signal.#reason;

    signalAbort = (signal, reason = undefined) => {
      if (signal.#aborted) return;
      signal.#setReason(reason);
      // All reasons are set before the first step runs: a listener sees every dependent signal aborted.
      const dependents = signal.#dependents === null ? [] : signal.#dependents.signals();
      signal.#dependents = null;
      /** @type {AbortSignal[]} */
      const toAbort = [];
      for (let i = 0; i < dependents.length; i++) {
        if (dependents[i].#aborted) continue;
        dependents[i].#setReason(signal.#reason);
        ArrayPrototypePush(toAbort, dependents[i]);
      }
      signal.#unlink();
      for (let i = 0; i < toAbort.length; i++) toAbort[i].#unlink();
      signal.#runAbortSteps();
      for (let i = 0; i < toAbort.length; i++) toAbort[i].#runAbortSteps();
    };

    addAbortAlgorithm = (signal, algorithm) => {
      if (signal.#aborted) return;
      const algorithms = (signal.#algorithms ??= new SafeSet());
      if (algorithms.has(algorithm)) return;
      algorithms.add(algorithm);
      signal.#pin(1);
    };

    removeAbortAlgorithm = (signal, algorithm) => {
      if (signal.#algorithms?.delete(algorithm)) signal.#pin(-1);
    };

    createDependentSignal = (signals) => {
      const result = new AbortSignal(kConstruct);
      for (let i = 0; i < signals.length; i++) {
        if (!signals[i].#aborted) continue;
        result.#setReason(signals[i].#reason);
        return result;
      }
      const sources = new SafeSet();
      const link = result.#makeLink();
      result.#sources = sources;
      const addSource = (/** @type {AbortSignal} */ source) => {
        if (sources.has(source)) return;
        sources.add(source);
        (source.#dependents ??= new DependentSet()).add(link);
      };
      for (let i = 0; i < signals.length; i++) {
        // A dependent signal stands for its sources, so the graph is never deeper than one step.
        const indirect = signals[i].#sources;
        if (indirect === null) addSource(signals[i]);
        else indirect.forEach(addSource);
      }
      return result;
    };
  }
}

/**
 * A function of its own, so that the timer's closure holds the link and not the signal.
 * @param {Link} link
 * @param {number} delay
 */
function startTimeout(link, delay) {
  const expire = () => {
    const signal = link.signal();
    if (signal !== undefined) signalAbort(signal, createDOMException('The operation timed out', 'TimeoutError'));
  };
  setTimer(expire, delay, /** @type {any} */ ({ __proto__: null, unref: true }));
}

configureInterface(AbortSignal, { constructible: false });
defineEventHandler(AbortSignal.prototype, 'abort', { check: (target) => isAbortSignal(target) });
setAbortHooks({ isAbortSignal, isAborted, addAbortAlgorithm, removeAbortAlgorithm });

export class AbortController {
  #signal = createAbortSignal();

  /** @returns {AbortSignal} */
  get signal() {
    return this.#signal;
  }

  /** @param {any} [reason] */
  abort(reason = undefined) {
    signalAbort(this.#signal, reason);
  }
}

configureInterface(AbortController);
