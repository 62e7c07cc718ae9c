// @ts-check
//# allFunctionsCalledOnLoad
// Timers: HTML §8.6 `setTimeout` and `setInterval`, with Node's `setImmediate` and handles' `ref`/`unref`.
//
// A binary heap by due time, and by order of creation among equals. The host is told when the first is due and how many keep the loop alive, and
// calls `runTimers` when it is time.

import { isClosing } from './closing.js';
import { primordials } from './primordials.js';
import { reportException } from './events.js';
import { ops } from './ops.js';

const {
  FunctionPrototypeCall,
  MathMax,
  MathTrunc,
  NumberIsFinite,
  Number,
  ReflectApply,
  SafeMap,
  String,
  SymbolDispose,
  SymbolToPrimitive,
  TypeError,
} = primordials;

/** Longer delays do not fit the standard's `long` and wrap to 0, as everywhere. */
const MAX_DELAY = 2 ** 31 - 1;
/** Nested timers from this depth on wait at least 4 ms (HTML §8.6, step 11). */
const NESTING_LIMIT = 5;
const NESTED_DELAY = 4;

class Timer {
  /** @type {number} */ id = 0;
  /** @type {number} */ due = 0;
  /** @type {any} */ callback;
  /** @type {any[] | undefined} */ args;
  /** Milliseconds between runs; -1: once. */
  repeat = -1;
  nesting = 0;
  referenced = true;
  active = true;
  /** Handles are shown to scripts by Node's functions only. @type {Timeout | undefined} */
  handle;
}

/** @type {Timer[]} */
const heap = [];
/** Active timers by id. */
const byId = new SafeMap();
let nextId = 1;
let referenced = 0;
let currentNesting = 0;

/** @param {Timer} a @param {Timer} b */
function before(a, b) {
  return a.due < b.due || (a.due === b.due && a.id < b.id);
}

/** @param {Timer} timer */
function heapPush(timer) {
  let index = heap.length;
  heap[index] = timer;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!before(timer, heap[parent])) break;
    heap[index] = heap[parent];
    index = parent;
  }
  heap[index] = timer;
}

/** Removes the first timer. */
function heapPop() {
  const first = heap[0];
  const last = heap[heap.length - 1];
  heap.length--;
  const { length } = heap;
  if (length > 0) {
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= length) break;
      if (child + 1 < length && before(heap[child + 1], heap[child])) child++;
      if (!before(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
  }
  return first;
}

function tellHost() {
  // Cancelled timers leave the heap when they come to its top.
  while (heap.length > 0 && !heap[0].active) heapPop();
  ops.setTimerState(heap.length > 0 ? heap[0].due : -1, referenced);
}

/**
 * @param {any} callback A function, called with `args`.
 * @param {number} delay
 * @param {any[] | undefined} args
 * @param {boolean} repeats
 * @param {boolean} isReferenced
 */
function schedule(callback, delay, args, repeats, isReferenced) {
  const timer = new Timer();
  timer.id = nextId++;
  timer.callback = callback;
  timer.args = args;
  timer.nesting = currentNesting + 1;
  if (timer.nesting > NESTING_LIMIT && delay < NESTED_DELAY) delay = NESTED_DELAY;
  timer.due = ops.now() + delay;
  timer.repeat = repeats ? MathMax(delay, 1) : -1;
  timer.referenced = isReferenced;
  if (isReferenced) referenced++;
  byId.set(timer.id, timer);
  heapPush(timer);
  tellHost();
  return timer;
}

/** @param {Timer} timer */
function cancel(timer) {
  if (!timer.active) return;
  timer.active = false;
  byId.delete(timer.id);
  if (timer.referenced) referenced--;
  timer.callback = timer.args = undefined;
  tellHost();
}

/**
 * Runs what is due. Called by the host's loop; each timer is a task of its own, with a microtask checkpoint after it.
 */
export function runTimers() {
  const now = ops.now();
  // Timers that these set are for a later turn, even if they are due at once.
  const limit = nextId;
  while (heap.length > 0 && heap[0].due <= now && heap[0].id < limit && !isClosing()) {
    const timer = heapPop();
    if (!timer.active) continue;
    const { callback, args } = timer;
    if (timer.repeat < 0) {
      timer.active = false;
      byId.delete(timer.id);
      if (timer.referenced) referenced--;
    }
    currentNesting = timer.nesting;
    try {
      if (args === undefined) FunctionPrototypeCall(callback, timer.handle ?? primordials.globalThis);
      else ReflectApply(callback, timer.handle ?? primordials.globalThis, args);
    } catch (error) {
      reportException(error);
    }
    currentNesting = 0;
    ops.checkpoint();
    if (timer.repeat >= 0 && timer.active) {
      timer.nesting++;
      if (timer.nesting > NESTING_LIMIT && timer.repeat < NESTED_DELAY) timer.repeat = NESTED_DELAY;
      timer.due = ops.now() + timer.repeat;
      heapPush(timer);
    }
  }
  tellHost();
}

/** @param {any} delay */
function toDelay(delay) {
  // `long`, as Web IDL converts it, and never below 0.
  const number = Number(delay);
  if (!NumberIsFinite(number) || number > MAX_DELAY) return 0;
  return MathMax(MathTrunc(number), 0);
}

/** @param {any} handler @param {string} name */
function toCallback(handler, name) {
  if (typeof handler === 'function') return handler;
  // TimerHandler is also a string of source; evaluating one is what every policy forbids.
  throw new TypeError(`${name}: the first argument must be a function${typeof handler === 'string' ? ', not source text' : `, got ${String(handler)}`}`);
}

/** @param {any[]} rest Arguments beyond the delay. */
function toArguments(rest) {
  return rest.length > 0 ? rest : undefined;
}

/**
 * @param {any} handler
 * @param {any} [delay]
 * @param {any[]} rest
 * @returns {number}
 */
export function setTimeout(handler, delay = 0, ...rest) {
  return schedule(toCallback(handler, 'setTimeout'), toDelay(delay), toArguments(rest), false, true).id;
}

/**
 * @param {any} handler
 * @param {any} [delay]
 * @param {any[]} rest
 * @returns {number}
 */
export function setInterval(handler, delay = 0, ...rest) {
  return schedule(toCallback(handler, 'setInterval'), toDelay(delay), toArguments(rest), true, true).id;
}

/** @param {any} [id] A number, or a handle of Node's. */
export function clearTimeout(id = undefined) {
  const timer = byId.get(typeof id === 'object' && id !== null ? Number(id) : typeof id === 'number' ? id : Number(id));
  if (timer !== undefined) cancel(timer);
}

/** @param {any} [id] */
export function clearInterval(id = undefined) {
  clearTimeout(id);
}

/**
 * Node's: after the current turn of the loop.
 * @param {any} callback
 * @param {any[]} args
 */
export function setImmediate(callback, ...args) {
  return new Timeout(schedule(toCallback(callback, 'setImmediate'), 0, toArguments(args), false, true));
}

/** @param {any} handle */
export function clearImmediate(handle) {
  clearTimeout(handle);
}

/**
 * For the glue: any whole number of milliseconds, and a choice whether it keeps the loop alive.
 * @param {() => void} callback
 * @param {number} delay
 * @param {{ unref?: boolean }} [options]
 */
export function setTimeoutInternal(callback, delay, options = undefined) {
  const timer = schedule(callback, delay, undefined, false, options?.unref !== true);
  return timer.id;
}

/** Node's handle. Converts to the number that `setTimeout` gives. */
class Timeout {
  #timer;
  /** @param {Timer} timer */
  constructor(timer) {
    this.#timer = timer;
    timer.handle = this;
  }
  ref() {
    const timer = this.#timer;
    if (!timer.referenced && timer.active) {
      timer.referenced = true;
      referenced++;
      tellHost();
    }
    return this;
  }
  unref() {
    const timer = this.#timer;
    if (timer.referenced && timer.active) {
      timer.referenced = false;
      referenced--;
      tellHost();
    }
    return this;
  }
  hasRef() {
    return this.#timer.referenced;
  }
  close() {
    cancel(this.#timer);
    return this;
  }
  [SymbolToPrimitive]() {
    return this.#timer.id;
  }
  [SymbolDispose]() {
    cancel(this.#timer);
  }
}

/**
 * `node:timers`' functions, which return handles.
 * @type {any}
 */
export const timers = {
  /** @param {any} handler @param {any} [delay] @param {any[]} rest */
  setTimeout: (handler, delay = 1, ...rest) =>
    new Timeout(schedule(toCallback(handler, 'setTimeout'), toDelay(delay), toArguments(rest), false, true)),
  /** @param {any} handler @param {any} [delay] @param {any[]} rest */
  setInterval: (handler, delay = 1, ...rest) =>
    new Timeout(schedule(toCallback(handler, 'setInterval'), toDelay(delay), toArguments(rest), true, true)),
  clearTimeout,
  clearInterval,
  setImmediate,
  clearImmediate,
};
