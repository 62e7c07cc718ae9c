// @ts-check
//# allFunctionsCalledOnLoad
// DOM §2.2 "Interface Event" and §2.4 "Defining event interfaces" (CustomEvent).
//
// There is no tree: the path of an event is its target alone. So `eventPhase`, `composedPath()` and the dispatch flag are all
// told by one flag: an event has a current target, which is its target, from the start of a dispatch to its end and at no other time.

import { ops } from '../ops.js';
import { primordials } from '../primordials.js';
import {
  configureInterface,
  defineConstants,
  kConstruct,
  requiredArguments,
  toAny,
  toBoolean,
  toDictionary,
  toDOMString,
} from '../webidl.js';

const { ObjectDefineProperty, ObjectGetOwnPropertyDescriptor } = primordials;

const STOP_PROPAGATION = 1;
const STOP_IMMEDIATE = 2;
const CANCELED = 4;
const IN_PASSIVE_LISTENER = 8;
const BUBBLES = 16;
const CANCELABLE = 32;
const COMPOSED = 64;
const TRUSTED = 128;
const DISPATCHED = 256;

const eventInitMembers = [
  { key: 'bubbles', converter: toBoolean, defaultValue: false },
  { key: 'cancelable', converter: toBoolean, defaultValue: false },
  { key: 'composed', converter: toBoolean, defaultValue: false },
];

/**
 * @typedef {object} EventInit
 * @property {boolean} [bubbles]
 * @property {boolean} [cancelable]
 * @property {boolean} [composed]
 */

/**
 * Starts a dispatch and returns the event's type.
 * @type {(event: Event, target: object) => string}
 */
export let beginDispatch;

/**
 * Ends a dispatch; false if the event was canceled.
 * @type {(event: Event) => boolean}
 */
export let endDispatch;

/** @type {(event: Event) => boolean} */
export let isBeingDispatched;

/** @type {(event: Event) => boolean} */
export let isPropagationStopped;

/** @type {(event: Event) => boolean} */
export let isImmediatePropagationStopped;

/**
 * "Set the canceled flag": no more than `preventDefault()`, out of reach of scripts.
 * @type {(event: Event) => void}
 */
export let cancelEvent;

/** @type {(event: Event, inPassiveListener: boolean) => void} */
export let setInPassiveListener;

/**
 * Starts the dispatch of a copy of a blank event (`message_event.js`), at a time in milliseconds.
 * @type {(event: Event, target: object, time: number) => void}
 */
export let beginCopy;

/** @type {(event: Event, trusted: boolean) => void} */
export let setTrusted;

/** @type {(value: any) => value is Event} */
export let isEvent;

/**
 * "Initialize" (§2.2) for the legacy `init…Event` methods; false, and nothing done, while the event is being dispatched.
 * @type {(event: Event, type: string, bubbles: boolean, cancelable: boolean) => boolean}
 */
export let initializeEvent;

/**
 * For events that the glue has just made.
 * @type {(event: Event) => void}
 */
export let makeCancelable;

/**
 * `isTrusted` is [LegacyUnforgeable]: an own accessor of every event, with one getter for all.
 * @type {PropertyDescriptor}
 */
let isTrustedDescriptor;

/**
 * The same, inheriting from Object.prototype.
 * @type {PropertyDescriptor}
 */
let plainDescriptor;

export class Event {
  /** @type {string} */
  #type;
  #flags = 0;
  /** @type {object | null} */
  #target = null;
  // Undefined at first, and thereby never a field that V8 keeps as a bare double: copies of an event would share its box.
  /** @type {number} */
  #timeStamp;

  /**
   * The glue passes `kConstruct` for a trusted event that neither bubbles nor can be canceled.
   * @param {string} type
   * @param {EventInit | symbol} [eventInitDict]
   */
  constructor(type, eventInitDict = undefined) {
    if (eventInitDict === kConstruct) {
      this.#type = type;
      this.#flags = TRUSTED;
    } else {
      const prefix = "Failed to construct 'Event'";
      requiredArguments(arguments.length, 1, prefix);
      this.#type = toDOMString(type, prefix, 'Argument 1');
      if (eventInitDict !== undefined) {
        const init = toDictionary(eventInitDict, eventInitMembers, prefix, 'Argument 2');
        this.#flags =
          (init.bubbles ? BUBBLES : 0) | (init.cancelable ? CANCELABLE : 0) | (init.composed ? COMPOSED : 0);
      }
    }
    this.#timeStamp = ops.now();
    // This call is most of what an event costs, and V8 reads a plain descriptor much faster than one without a prototype, as long as
    // Object.prototype is as it was. What a script may have put there must not get in.
    const polluted = 'value' in plainDescriptor || 'writable' in plainDescriptor || 'set' in plainDescriptor;
    ObjectDefineProperty(this, 'isTrusted', polluted ? isTrustedDescriptor : plainDescriptor);
  }

  /** @returns {string} */
  get type() {
    return this.#type;
  }

  /** @returns {object | null} */
  get target() {
    return this.#target;
  }

  /** @returns {object | null} */
  get srcElement() {
    return this.#target;
  }

  /** @returns {object | null} */
  get currentTarget() {
    return (this.#flags & DISPATCHED) === 0 ? null : this.#target;
  }

  /** @returns {object[]} */
  composedPath() {
    return (this.#flags & DISPATCHED) === 0 ? [] : [/** @type {object} */ (this.#target)];
  }

  /** @returns {number} */
  get eventPhase() {
    return (this.#flags & DISPATCHED) === 0 ? 0 : 2;
  }

  stopPropagation() {
    this.#flags |= STOP_PROPAGATION;
  }

  /** @returns {boolean} */
  get cancelBubble() {
    return (this.#flags & STOP_PROPAGATION) !== 0;
  }

  /** @param {any} value */
  set cancelBubble(value) {
    const flags = this.#flags;
    if (value) this.#flags = flags | STOP_PROPAGATION;
  }

  stopImmediatePropagation() {
    this.#flags |= STOP_PROPAGATION | STOP_IMMEDIATE;
  }

  /** @returns {boolean} */
  get bubbles() {
    return (this.#flags & BUBBLES) !== 0;
  }

  /** @returns {boolean} */
  get cancelable() {
    return (this.#flags & CANCELABLE) !== 0;
  }

  /** @returns {boolean} */
  get returnValue() {
    return (this.#flags & CANCELED) === 0;
  }

  /** @param {any} value */
  set returnValue(value) {
    const flags = this.#flags;
    if (!value) this.#flags = canceled(flags);
  }

  preventDefault() {
    this.#flags = canceled(this.#flags);
  }

  /** @returns {boolean} */
  get defaultPrevented() {
    return (this.#flags & CANCELED) !== 0;
  }

  /** @returns {boolean} */
  get composed() {
    return (this.#flags & COMPOSED) !== 0;
  }

  /** @returns {number} */
  get timeStamp() {
    return this.#timeStamp;
  }

  /**
   * @param {string} type
   * @param {boolean} [bubbles]
   * @param {boolean} [cancelable]
   */
  initEvent(type, bubbles = false, cancelable = false) {
    const prefix = "Failed to execute 'initEvent' on 'Event'";
    this.#flags; // the brand before the arguments
    requiredArguments(arguments.length, 1, prefix);
    initializeEvent(this, toDOMString(type, prefix, 'Argument 1'), toBoolean(bubbles), toBoolean(cancelable));
  }

  static {
    const { get } = /** @type {PropertyDescriptor} */ (
      ObjectGetOwnPropertyDescriptor(
        {
          /**
           * @this {Event}
           * @returns {boolean}
           */
          get isTrusted() {
            return (this.#flags & TRUSTED) !== 0;
          },
        },
        'isTrusted',
      )
    );
    isTrustedDescriptor = /** @type {any} */ ({ __proto__: null, get, enumerable: true, configurable: false });
    plainDescriptor = { get, enumerable: true, configurable: false };

    isEvent = /** @type {typeof isEvent} */ (
      (value) => typeof value === 'object' && value !== null && #flags in value
    );
    beginDispatch = (event, target) => {
      event.#target = target;
      event.#flags |= DISPATCHED;
      return event.#type;
    };
    beginCopy = (event, target, time) => {
      event.#target = target;
      event.#timeStamp = time;
      event.#flags |= DISPATCHED;
    };
    endDispatch = (event) => {
      const flags = event.#flags & ~(STOP_PROPAGATION | STOP_IMMEDIATE | DISPATCHED);
      event.#flags = flags;
      return (flags & CANCELED) === 0;
    };
    isBeingDispatched = (event) => (event.#flags & DISPATCHED) !== 0;
    isPropagationStopped = (event) => (event.#flags & STOP_PROPAGATION) !== 0;
    isImmediatePropagationStopped = (event) => (event.#flags & STOP_IMMEDIATE) !== 0;
    cancelEvent = (event) => {
      event.#flags = canceled(event.#flags);
    };
    setInPassiveListener = (event, inPassiveListener) => {
      if (inPassiveListener) event.#flags |= IN_PASSIVE_LISTENER;
      else event.#flags &= ~IN_PASSIVE_LISTENER;
    };
    setTrusted = (event, trusted) => {
      if (trusted) event.#flags |= TRUSTED;
      else event.#flags &= ~TRUSTED;
    };
    makeCancelable = (event) => {
      event.#flags |= CANCELABLE;
    };
    initializeEvent = (event, type, bubbles, cancelable) => {
      if ((event.#flags & DISPATCHED) !== 0) return false;
      event.#type = type;
      event.#target = null;
      event.#flags = (event.#flags & COMPOSED) | (bubbles ? BUBBLES : 0) | (cancelable ? CANCELABLE : 0);
      return true;
    };
  }
}

/**
 * "Set the canceled flag" (§2.2): only of a cancelable event, and not by a passive listener.
 * @param {number} flags
 * @returns {number}
 */
function canceled(flags) {
  return (flags & (CANCELABLE | IN_PASSIVE_LISTENER)) === CANCELABLE ? flags | CANCELED : flags;
}

configureInterface(Event);
defineConstants(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });

/**
 * A trusted event of the plain interface.
 * @param {string} type
 * @param {boolean} [cancelable]
 * @returns {Event}
 */
export function createEvent(type, cancelable = false) {
  const event = new Event(type, kConstruct);
  if (cancelable) makeCancelable(event);
  return event;
}

const customEventInitMembers = [{ key: 'detail', converter: toAny, defaultValue: null }];

export class CustomEvent extends Event {
  /** @type {any} */
  #detail = null;

  /**
   * @param {string} type
   * @param {EventInit & { detail?: any }} [eventInitDict]
   */
  constructor(type, eventInitDict = undefined) {
    const prefix = "Failed to construct 'CustomEvent'";
    requiredArguments(arguments.length, 1, prefix);
    super(type, eventInitDict);
    if (eventInitDict !== undefined) {
      this.#detail = toDictionary(eventInitDict, customEventInitMembers, prefix, 'Argument 2').detail;
    }
  }

  /** @returns {any} */
  get detail() {
    return this.#detail;
  }

  /**
   * @param {string} type
   * @param {boolean} [bubbles]
   * @param {boolean} [cancelable]
   * @param {any} [detail]
   */
  initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
    const prefix = "Failed to execute 'initCustomEvent' on 'CustomEvent'";
    this.#detail; // the brand before the arguments
    requiredArguments(arguments.length, 1, prefix);
    const typeText = toDOMString(type, prefix, 'Argument 1');
    if (initializeEvent(this, typeText, toBoolean(bubbles), toBoolean(cancelable))) this.#detail = detail;
  }
}

configureInterface(CustomEvent);
