// @ts-check
//# allFunctionsCalledOnLoad
// DOM §2.7 "Interface EventTarget" and §2.9 "Dispatching events".
//
// The global object is an EventTarget too, but no constructor made it: `setGlobalTarget` names it, and a hidden EventTarget holds its
// state. `holderOf` leads from a target to the object that holds its private fields, and is the brand check.

import { createDOMException } from '../dom_exception.js';
import { primordials } from '../primordials.js';
import { configureInterface, illegalInvocation, isObject, requiredArguments, throwConversionError, toDOMString } from '../webidl.js';
import { callErrorHandler, isErrorEvent } from './error_event.js';
import {
  beginDispatch,
  cancelEvent,
  endDispatch,
  isBeingDispatched,
  isEvent,
  isImmediatePropagationStopped,
  isPropagationStopped,
  setInPassiveListener,
  setTrusted,
} from './event.js';
import { callListener, HandlerSlot, Listener, ListenerList } from './listener_list.js';
import { beginMessageEvent } from './message_event.js';
import { reportException } from './report.js';

const { FunctionPrototypeCall, SafeMap } = primordials;

/** @import { Event } from './event.js' */
/** @import { MessageEvent } from './message_event.js' */

/**
 * What abort.js tells this file about AbortSignal, which is built on EventTarget.
 * @typedef {object} AbortHooks
 * @property {(value: any) => boolean} isAbortSignal
 * @property {(signal: any) => boolean} isAborted
 * @property {(signal: any, algorithm: () => void) => void} addAbortAlgorithm
 * @property {(signal: any, algorithm: () => void) => void} removeAbortAlgorithm
 */

/** @type {AbortHooks} */
let abortHooks;

/** @param {AbortHooks} hooks */
export function setAbortHooks(hooks) {
  abortHooks = hooks;
}

/** @type {any} */
let globalTarget = null;
/** @type {EventTarget | null} */
let globalHolder = null;

/**
 * Dispatches a trusted event to a target; false if it was canceled.
 * @type {(target: any, event: Event) => boolean}
 */
export let dispatchTrusted;

/**
 * Dispatches the trusted event of a message. None is made if nobody listens. `blank`: see `endMessageTask`.
 * @type {(target: any, data: any, ports: any[] | undefined, blank: MessageEvent | undefined) => void}
 */
export let dispatchMessage;

/**
 * @type {(target: any, type: string) => number}
 */
export let listenerCount;

/**
 * Calls `hook(type, added, target)` after each listener that comes (`added`) or goes. One hook per target; null takes it away.
 * @type {(target: any, hook: ((type: string, added: boolean, target: any) => void) | null) => void}
 */
export let setListenerHook;

/** @type {(value: any) => value is EventTarget} */
export let isEventTarget;

/**
 * The value of an event handler attribute (handlers.js).
 * @type {(target: any, type: string) => any}
 */
export let getHandler;

/**
 * @type {(target: any, type: string, value: any) => void}
 */
export let setHandler;

/**
 * Makes `object` (the global) a target: operations called without a receiver go to it, and `onerror` has its five arguments there.
 * @type {(object: any) => void}
 */
export let setGlobalTarget;

export class EventTarget {
  /**
   * Lists by type, none of them empty.
   * @type {any}
   */
  #lists = null;
  /** The list of `message`, which is asked for with every message. @type {ListenerList | null} */
  #messageList = null;
  /** @type {any} */
  #handlers = null;
  /** @type {((type: string, added: boolean, target: any) => void) | null} */
  #hook = null;

  /**
   * @param {string} type
   * @param {any} callback
   * @param {any} [options]
   */
  addEventListener(type, callback, options = undefined) {
    const prefix = "Failed to execute 'addEventListener' on 'EventTarget'";
    const target = receiver(this);
    const holder = EventTarget.#holderOf(target);
    requiredArguments(arguments.length, 2, prefix);
    const typeText = toDOMString(type, prefix, 'Argument 1');
    checkCallback(callback, prefix);

    // "Flatten more" (§2.7); members in the order of the two dictionaries.
    let capture = false;
    let once = false;
    let passive = false;
    let signal = null;
    if (isObject(options)) {
      capture = !!options.capture;
      once = !!options.once;
      passive = !!options.passive;
      const given = options.signal;
      if (given !== undefined) {
        if (!abortHooks.isAbortSignal(given)) {
          throwConversionError(prefix, "'signal' of Argument 3 is not of type 'AbortSignal'");
        }
        signal = given;
      }
    } else {
      capture = !!options;
    }

    if (callback === null || callback === undefined) return;
    if (signal !== null && abortHooks.isAborted(signal)) return;
    if (holder.#lists?.get(typeText)?.find(callback, capture)) return;
    const listener = new Listener(callback, capture, once, passive, null);
    if (signal !== null) {
      listener.signal = signal;
      listener.abortAlgorithm = () => EventTarget.#remove(target, listener);
    }
    EventTarget.#append(target, typeText, listener);
    if (signal !== null) abortHooks.addAbortAlgorithm(signal, /** @type {() => void} */ (listener.abortAlgorithm));
  }

  /**
   * @param {string} type
   * @param {any} callback
   * @param {any} [options]
   */
  removeEventListener(type, callback, options = undefined) {
    const prefix = "Failed to execute 'removeEventListener' on 'EventTarget'";
    const target = receiver(this);
    const holder = EventTarget.#holderOf(target);
    requiredArguments(arguments.length, 2, prefix);
    const typeText = toDOMString(type, prefix, 'Argument 1');
    checkCallback(callback, prefix);
    const capture = isObject(options) ? !!options.capture : !!options;
    if (callback === null || callback === undefined) return;
    const listener = holder.#lists?.get(typeText)?.find(callback, capture);
    if (listener) EventTarget.#remove(target, listener);
  }

  /**
   * @param {Event} event
   * @returns {boolean}
   */
  dispatchEvent(event) {
    const prefix = "Failed to execute 'dispatchEvent' on 'EventTarget'";
    const target = receiver(this);
    EventTarget.#holderOf(target);
    requiredArguments(arguments.length, 1, prefix);
    if (!isEvent(event)) throwConversionError(prefix, "Argument 1 is not of type 'Event'");
    if (isBeingDispatched(event)) throw createDOMException(`${prefix}: the event is already being dispatched`, 'InvalidStateError');
    setTrusted(event, false);
    return EventTarget.#dispatch(target, event);
  }

  /**
   * @param {any} target
   * @returns {EventTarget}
   */
  static #holderOf(target) {
    // The global first: V8 looks for a private name on it the long way.
    if (target === globalTarget && globalHolder !== null) return globalHolder;
    if (isObject(target) && #lists in target) return target;
    return illegalInvocation();
  }

  /**
   * @param {any} target
   * @param {string} type
   * @param {Listener} listener
   */
  static #append(target, type, listener) {
    const holder = EventTarget.#holderOf(target);
    const lists = (holder.#lists ??= new SafeMap());
    let list = lists.get(type);
    if (list === undefined) {
      lists.set(type, (list = new ListenerList(type)));
      if (type === 'message') holder.#messageList = list;
    }
    list.append(listener);
    if (holder.#hook !== null) holder.#hook(type, true, target);
  }

  /**
   * @param {any} target
   * @param {Listener} listener
   */
  static #remove(target, listener) {
    const { list, signal, abortAlgorithm } = listener;
    if (list === null || listener.removed) return;
    const holder = EventTarget.#holderOf(target);
    list.remove(listener);
    if (list.count === 0) {
      holder.#lists.delete(list.type);
      if (list === holder.#messageList) holder.#messageList = null;
    }
    // Otherwise a long-lived signal would keep every listener it was ever given.
    if (signal !== null && abortAlgorithm !== null) abortHooks.removeAbortAlgorithm(signal, abortAlgorithm);
    if (holder.#hook !== null) holder.#hook(list.type, false, target);
  }

  /**
   * "Dispatch" with a path of one: both passes are at the target, capturing listeners before the others.
   * @param {any} target
   * @param {Event} event
   * @returns {boolean}
   */
  static #dispatch(target, event) {
    const holder = EventTarget.#holderOf(target);
    const type = beginDispatch(event, target);
    return EventTarget.#dispatchBegun(holder, type, target, event);
  }

  /**
   * @param {EventTarget} holder
   * @param {string} type
   * @param {any} target
   * @param {Event} event
   * @returns {boolean}
   */
  static #dispatchBegun(holder, type, target, event) {
    const list = holder.#lists === null ? undefined : holder.#lists.get(type);
    if (list !== undefined && !isPropagationStopped(event)) {
      const { first } = list;
      if (list.count === 1 && first.plain) {
        // The short way of most messages: one function to call.
        try {
          FunctionPrototypeCall(first.callback, target, event);
        } catch (error) {
          reportException(error);
        }
        // A listener added by a capturing one is in time for the second pass.
        if (first.capture && !isPropagationStopped(event)) EventTarget.#secondPass(holder, type, target, event);
      } else if (list.captureCount === 0) {
        EventTarget.#invoke(list, false, target, event);
      } else {
        EventTarget.#invoke(list, true, target, event);
        if (!isPropagationStopped(event)) EventTarget.#secondPass(holder, type, target, event);
      }
    }
    return endDispatch(event);
  }

  /**
   * Looks the list up again: the first pass may have emptied it, and a new one may be in its place.
   * @param {EventTarget} holder
   * @param {string} type
   * @param {any} target
   * @param {Event} event
   */
  static #secondPass(holder, type, target, event) {
    const list = holder.#lists.get(type);
    if (list !== undefined) EventTarget.#invoke(list, false, target, event);
  }

  /**
   * "Inner invoke" (§2.9).
   * @param {ListenerList} list
   * @param {boolean} capture
   * @param {any} target
   * @param {Event} event
   */
  static #invoke(list, capture, target, event) {
    const { lastOrder } = list;
    for (let listener = list.first; listener !== null && listener.order <= lastOrder; listener = listener.next) {
      if (listener.removed || listener.capture !== capture) continue;
      if (listener.once) EventTarget.#remove(target, listener);
      if (listener.passive) setInPassiveListener(event, true);
      try {
        if (listener.slot === null) callListener(listener.callback, target, event);
        else runHandler(listener.slot.value, list.type, target, event);
      } catch (error) {
        reportException(error);
      }
      if (listener.passive) setInPassiveListener(event, false);
      if (isImmediatePropagationStopped(event)) return;
    }
  }

  static {
    dispatchTrusted = (target, event) => {
      setTrusted(event, true);
      return EventTarget.#dispatch(target, event);
    };
    dispatchMessage = (target, data, ports, blank) => {
      const holder = EventTarget.#holderOf(target);
      const list = holder.#messageList;
      if (list === null) return;
      const event = beginMessageEvent(target, data, ports, blank);
      const first = /** @type {Listener} */ (list.first);
      if (list.count !== 1 || first.slot === null) {
        EventTarget.#dispatchBegun(holder, 'message', target, event);
        return;
      }
      // The way of most messages: `onmessage` alone. What it returns says nothing of an event that cannot be canceled.
      const handler = first.slot.value;
      if (typeof handler === 'function') {
        try {
          FunctionPrototypeCall(handler, target, event);
        } catch (error) {
          reportException(error);
        }
      }
      endDispatch(event);
    };
    listenerCount = (target, type) => {
      const list = EventTarget.#holderOf(target).#lists?.get(type);
      return list === undefined ? 0 : list.count;
    };
    setListenerHook = (target, hook) => {
      EventTarget.#holderOf(target).#hook = hook;
    };
    isEventTarget = /** @type {typeof isEventTarget} */ (
      (value) => isObject(value) && (#lists in value || value === globalTarget)
    );
    getHandler = (target, type) => {
      const slot = EventTarget.#holderOf(target).#handlers?.get(type);
      return slot === undefined ? null : slot.value;
    };
    setHandler = (target, type, value) => {
      const holder = EventTarget.#holderOf(target);
      const slot = holder.#handlers?.get(type);
      if (value === null) {
        // "Deactivate an event handler": set again, it goes to the end of the list.
        if (slot === undefined) return;
        holder.#handlers.delete(type);
        EventTarget.#remove(target, slot.listener);
      } else if (slot !== undefined) {
        slot.value = value;
      } else {
        const created = new HandlerSlot(value);
        (holder.#handlers ??= new SafeMap()).set(type, created);
        EventTarget.#append(target, type, created.listener);
      }
    };
    setGlobalTarget = (object) => {
      if (object === globalTarget) return;
      globalTarget = object;
      globalHolder = new EventTarget();
    };
  }
}

configureInterface(EventTarget);

/**
 * Web IDL §3.7.7: an operation called without a receiver is called on the global object.
 * @param {any} self
 * @returns {any}
 */
export function receiver(self) {
  return self === undefined || self === null ? globalTarget : self;
}

/**
 * @param {any} callback
 * @param {string} prefix
 */
function checkCallback(callback, prefix) {
  if (callback !== null && callback !== undefined && !isObject(callback)) {
    throwConversionError(prefix, 'Argument 2 is not an object');
  }
}

/**
 * "The event handler processing algorithm" (HTML §8.1.8.1).
 * @param {any} handler An object; one that cannot be called does nothing ([LegacyTreatNonObjectAsNull]).
 * @param {string} type
 * @param {any} target
 * @param {Event} event
 */
function runHandler(handler, type, target, event) {
  if (typeof handler !== 'function') return;
  if (type === 'error' && target === globalTarget && isErrorEvent(event)) {
    if (callErrorHandler(handler, target, event) === true) cancelEvent(event);
  } else if (FunctionPrototypeCall(handler, target, event) === false) {
    cancelEvent(event);
  }
}
