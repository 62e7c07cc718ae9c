// @ts-check
// MessagePort and MessageChannel (HTML §9.4), and `structuredClone` (HTML §2.7.10). A port also has the methods of Node's: `on`, `once`, `off`, `ref`,
// `unref`, `hasRef`. They are not enumerable.
//
// Web: `start()` or setting `onmessage` starts; `addEventListener` does not. Node: the first `on('message')` starts, the last `off` pauses.

import { primordials } from '../primordials.js';
import { createDOMException } from '../dom_exception.js';
import {
  createEvent,
  defineEventHandler,
  dispatchTrusted,
  EventTarget,
  listenerCount,
  setListenerHook,
  setMessagePortCheck,
} from '../events.js';
import { ops } from '../ops.js';
import {
  configureInterface,
  illegalConstructor,
  illegalInvocation,
  kConstruct,
  requiredArguments,
} from '../webidl.js';
import { isUntransferable, registerCloneable, serialize, setPortRule } from './clone.js';
import { defineFlowControl } from './flow.js';
import { movedBuffer } from './moved_buffer.js';
import { eventPort, NOTHING, Port } from './port.js';
import { NOT_PLAIN, plainCopy } from './plain_copy.js';
import { toTransferList } from './transfer_list.js';

const {
  ArrayPrototypePush,
  ArrayPrototypeSlice,
  ArrayPrototypeSplice,
  ObjectDefineProperty,
  ReflectApply,
  SafeMap,
  TypeError,
} = primordials;

/** @type {(port: MessagePort) => Port} */
let coreOf;
/** @type {(core: Port) => MessagePort} */
export let createMessagePort;
/** @type {(value: any) => value is MessagePort} */
export let isMessagePort;

export class MessagePort extends EventTarget {
  /** @type {Port} */
  #core;
  /** Node's listeners, by event; each entry is `[listener, wrapper]`. Made for the first one. @type {any} */
  #nodeListeners;
  /** Until a script says `ref` or `unref`, listening decides. @type {boolean | undefined} */
  #chosenReference;

  /** @param {any} token @param {any} core */
  constructor(token, core) {
    if (token !== kConstruct) illegalConstructor();
    super();
    this.#core = core;
    core.setOwner(this, eventPort);
    setListenerHook(this, MessagePort.#noteListener);
  }

  /** @param {string} type @param {boolean} _ @param {any} port One for all ports: an idle one has no function of its own. */
  static #noteListener(type, _, port) {
    if (type === 'message') port.#updateReference();
    else if (type === 'bufferedamountlow') port.#core.watchLow();
  }

  static {
    coreOf = (port) => port.#core;
    isMessagePort = /** @type {any} */ ((/** @type {any} */ value) => typeof value === 'object' && value !== null && #core in value);
    createMessagePort = (core) => new MessagePort(kConstruct, core);
  }

  #updateReference() {
    const core = this.#core;
    core.setReferenced(core.isOpen && core.isStarted && (this.#chosenReference ?? listenerCount(this, 'message') > 0));
  }

  /**
   * @param {any} message
   * @param {any} [options]
   */
  postMessage(message, options = undefined) {
    if (!(#core in this)) illegalInvocation();
    requiredArguments(arguments.length, 1, "Failed to execute 'postMessage' on 'MessagePort'");
    this.#core.post(message, options, "Failed to execute 'postMessage' on 'MessagePort'", this);
  }

  start() {
    if (!(#core in this)) illegalInvocation();
    this.#core.start();
    this.#updateReference();
  }

  close() {
    if (!(#core in this)) illegalInvocation();
    const core = this.#core;
    if (!core.isOpen) return;
    core.close();
    if (this.#nodeListeners !== undefined && this.#nodeListeners.size > 0) {
      // Node's ports tell of their own close as well.
      ops.enqueueMicrotask(() => dispatchTrusted(this, createEvent('close')));
    }
  }

  /** @param {string} type @param {any} listener @param {boolean} once */
  #nodeAdd(type, listener, once) {
    if (typeof listener !== 'function') throw new TypeError('The "listener" argument must be of type function');
    const wrapper = (/** @type {any} */ event) => {
      if (once) this.#nodeRemove(type, listener);
      ReflectApply(listener, this, type === 'message' || type === 'messageerror' ? [event.data] : []);
    };
    this.#nodeListeners ??= new SafeMap();
    let list = this.#nodeListeners.get(type);
    if (list === undefined) this.#nodeListeners.set(type, (list = []));
    ArrayPrototypePush(list, [listener, wrapper]);
    addListener(this, type, wrapper);
    if (type === 'message') {
      this.#core.start();
      this.#updateReference();
    }
    return this;
  }

  /** @param {string} type @param {any} listener */
  #nodeRemove(type, listener) {
    const list = this.#nodeListeners?.get(type) ?? [];
    for (let i = list.length - 1; i >= 0; i--) {
      if (list[i][0] === listener) {
        removeListener(this, type, list[i][1]);
        ArrayPrototypeSplice(list, i, 1);
        break;
      }
    }
    if (type === 'message' && list.length === 0 && listenerCount(this, 'message') === 0) {
      this.#core.pause();
      this.#updateReference();
    }
    return this;
  }

  static {
    const methods = {
      /** @this {MessagePort} @param {string} type @param {any} listener */
      on(type, listener) {
        return this.#nodeAdd(type, listener, false);
      },
      /** @this {MessagePort} @param {string} type @param {any} listener */
      addListener(type, listener) {
        return this.#nodeAdd(type, listener, false);
      },
      /** @this {MessagePort} @param {string} type @param {any} listener */
      once(type, listener) {
        return this.#nodeAdd(type, listener, true);
      },
      /** @this {MessagePort} @param {string} type @param {any} listener */
      off(type, listener) {
        return this.#nodeRemove(type, listener);
      },
      /** @this {MessagePort} @param {string} type @param {any} listener */
      removeListener(type, listener) {
        return this.#nodeRemove(type, listener);
      },
      /** @this {MessagePort} @param {string} [type] */
      removeAllListeners(type = undefined) {
        this.#nodeListeners?.forEach((/** @type {any[]} */ list, /** @type {string} */ key) => {
          if (type !== undefined && key !== type) return;
          const copy = ArrayPrototypeSlice(list);
          for (let i = 0; i < copy.length; i++) this.#nodeRemove(key, copy[i][0]);
        });
        return this;
      },
      /** @this {MessagePort} @param {string} type */
      listenerCount(type) {
        return listenerCount(this, type);
      },
      /** @this {MessagePort} @param {string} type @param {any[]} args */
      emit(type, ...args) {
        const list = this.#nodeListeners?.get(type);
        if (list === undefined || list.length === 0) return false;
        const copy = ArrayPrototypeSlice(list);
        for (let i = 0; i < copy.length; i++) ReflectApply(copy[i][0], this, args);
        return true;
      },
      /** @this {MessagePort} */
      ref() {
        this.#chosenReference = true;
        this.#updateReference();
        return this;
      },
      /** @this {MessagePort} */
      unref() {
        this.#chosenReference = false;
        this.#updateReference();
        return this;
      },
      /** @this {MessagePort} */
      hasRef() {
        return this.#core.isReferenced;
      },
    };
    nodeMethods = methods;
  }
}

/** @type {any} */
var nodeMethods;
const { addEventListener, removeEventListener } = EventTarget.prototype;
/** @param {any} target @param {string} type @param {any} listener */
function addListener(target, type, listener) {
  ReflectApply(addEventListener, target, [type, listener]);
}
/** @param {any} target @param {string} type @param {any} listener */
function removeListener(target, type, listener) {
  ReflectApply(removeEventListener, target, [type, listener]);
}

defineEventHandler(MessagePort.prototype, 'message', {
  /** @param {any} port @param {any} value */
  onSet(port, value) {
    if (value !== null) port.start();
  },
});
defineEventHandler(MessagePort.prototype, 'messageerror');
defineEventHandler(MessagePort.prototype, 'close');
defineFlowControl(MessagePort.prototype, (port) => (isMessagePort(port) ? coreOf(port) : illegalInvocation()));
configureInterface(MessagePort, { constructible: false });
const names = primordials.ObjectKeys(nodeMethods);
for (let i = 0; i < names.length; i++) {
  ObjectDefineProperty(MessagePort.prototype, names[i], {
    __proto__: null,
    value: nodeMethods[names[i]],
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

setMessagePortCheck(isMessagePort);
// Ports travel by the transfer list alone.
registerCloneable('MessagePort', { is: (value) => isMessagePort(value) });
setPortRule({
  is: (value) => isMessagePort(value),
  check(port) {
    const core = coreOf(port);
    if (!core.isOpen) throw createDOMException('A port that is closed or was sent away cannot be transferred.', 'DataCloneError');
  },
  leave: (port) => coreOf(port).leave(),
});

/** The host's entry: a port came with a message. @param {number} key */
export function adoptPort(key) {
  return createMessagePort(Port.adopt(key));
}

/**
 * Node's `receiveMessageOnPort`: a message that can be seen now, with no turn of the loop.
 * @param {any} port
 * @returns {{ message: any } | undefined}
 */
export function receiveMessageOnPort(port) {
  if (!isMessagePort(port)) throw new TypeError('The "port" argument must be a MessagePort instance');
  const core = coreOf(port);
  if (!core.isOpen) return undefined;
  const message = core.receive();
  core.tellSender();
  return message === NOTHING ? undefined : { message };
}

export class MessageChannel {
  #port1;
  #port2;

  constructor() {
    const pair = Port.pair();
    this.#port1 = createMessagePort(pair[0]);
    this.#port2 = createMessagePort(pair[1]);
  }
  get port1() {
    return this.#port1;
  }
  get port2() {
    return this.#port2;
  }
}
configureInterface(MessageChannel);

/**
 * @param {any} value
 * @param {any} [options]
 * @returns {any}
 */
export function structuredClone(value, options = undefined) {
  const prefix = "Failed to execute 'structuredClone'";
  requiredArguments(arguments.length, 1, prefix);
  if (options === undefined && (typeof value !== 'object' || value === null) && typeof value !== 'function' && typeof value !== 'symbol') return value;
  if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
    throw new TypeError(`${prefix}: the options are not an object`);
  }
  if (options === undefined && typeof value === 'object') {
    const copy = plainCopy(value);
    if (copy !== NOT_PLAIN) return copy;
  }
  const transfer = options === undefined || options === null ? [] : toTransferList({ __proto__: null, transfer: options.transfer }, prefix);
  if (transfer.length === 1 && !isUntransferable(transfer[0])) {
    const moved = movedBuffer(value, transfer[0]);
    if (moved !== undefined) return moved;
  }
  return ops.deserialize(serialize(value, transfer), []);
}
