// @ts-check
//# allFunctionsCalledOnLoad
// The event listener list of one target and one type (DOM §2.7).
//
// The standard clones the list for each pass of a dispatch. A linked list does without: listeners carry a rising number, a
// pass notes the highest one at its start and ends there, so what is added meanwhile is not called; a listener taken out
// keeps its `next` and is flagged `removed`, so a pass that stands on it finds its way on.

import { primordials } from '../primordials.js';

const { FunctionPrototypeCall, TypeError } = primordials;

export class Listener {
  // Declared, so that they are own properties from the start: an assignment to one that is not would call a setter that a script put on Object.prototype.
  callback;
  capture;
  once;
  passive;
  slot;
  plain;
  removed;
  order;
  /** @type {Listener | null} */
  next;
  /** @type {Listener | null} */
  previous;
  /** @type {ListenerList | null} */
  list;
  /** @type {any} */
  signal;
  /** @type {(() => void) | null} */
  abortAlgorithm;

  /**
   * @param {any} callback A function, an object with `handleEvent`; null for an event handler attribute.
   * @param {boolean} capture
   * @param {boolean} once
   * @param {boolean} passive
   * @param {HandlerSlot | null} slot
   */
  constructor(callback, capture, once, passive, slot) {
    this.callback = callback;
    this.capture = capture;
    this.once = once;
    this.passive = passive;
    this.slot = slot;
    /** Nothing but a function to call: what the short way of a dispatch asks for. */
    this.plain = typeof callback === 'function' && !once && !passive;
    this.removed = false;
    this.order = 0;
    this.next = null;
    this.previous = null;
    this.list = null;
    /** The `signal` option and the algorithm added to it; removed with the listener. @type {any} */
    this.signal = null;
    this.abortAlgorithm = null;
  }
}

/** The state of one event handler IDL attribute that is not null (HTML §8.1.8.1, "event handler"). */
export class HandlerSlot {
  value;
  listener;

  /** @param {any} value */
  constructor(value) {
    this.value = value;
    /** @type {Listener} */
    this.listener = new Listener(null, false, false, false, this);
  }
}

export class ListenerList {
  type;
  /** @type {Listener | null} */
  first;
  /** @type {Listener | null} */
  last;
  count;
  captureCount;
  lastOrder;

  /** @param {string} type */
  constructor(type) {
    this.type = type;
    this.first = null;
    this.last = null;
    this.count = 0;
    this.captureCount = 0;
    this.lastOrder = 0;
  }

  /**
   * @param {any} callback
   * @param {boolean} capture
   * @returns {Listener | null}
   */
  find(callback, capture) {
    for (let listener = this.first; listener !== null; listener = listener.next) {
      if (listener.callback === callback && listener.capture === capture) return listener;
    }
    return null;
  }

  /** @param {Listener} listener */
  append(listener) {
    listener.list = this;
    listener.order = ++this.lastOrder;
    listener.previous = this.last;
    if (this.last === null) this.first = listener;
    else this.last.next = listener;
    this.last = listener;
    this.count++;
    if (listener.capture) this.captureCount++;
  }

  /** @param {Listener} listener Of this list and not removed yet. */
  remove(listener) {
    const { previous, next } = listener;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.last = previous;
    else next.previous = previous;
    listener.previous = null;
    listener.removed = true;
    this.count--;
    if (listener.capture) this.captureCount--;
  }
}

/**
 * "Call a user object's operation" `handleEvent` (Web IDL §3.11) of a callback that may be a function too.
 * @param {any} callback
 * @param {object} currentTarget
 * @param {any} event
 */
export function callListener(callback, currentTarget, event) {
  if (typeof callback === 'function') {
    FunctionPrototypeCall(callback, currentTarget, event);
    return;
  }
  const { handleEvent } = callback;
  if (typeof handleEvent !== 'function') throw new TypeError('The handleEvent property of an event listener is not a function');
  FunctionPrototypeCall(handleEvent, callback, event);
}
