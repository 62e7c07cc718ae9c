// @ts-check
//# allFunctionsCalledOnLoad
// MessageEvent (HTML §9.1).

import { ops } from '../ops.js';
import { primordials } from '../primordials.js';
import {
  configureInterface,
  createInterfaceConverter,
  createNullableConverter,
  createSequenceConverter,
  kConstruct,
  requiredArguments,
  toAny,
  toBoolean,
  toDictionary,
  toDOMString,
  toUSVString,
} from '../webidl.js';
import { beginCopy, Event, initializeEvent } from './event.js';

const { ObjectFreeze } = primordials;

/** @type {(value: any) => boolean} */
let isMessagePort = () => false;

/**
 * Told by message_port.js, which builds on this file.
 * @param {(value: any) => boolean} isInstance
 */
export function setMessagePortCheck(isInstance) {
  isMessagePort = isInstance;
}

const toMessagePort = createInterfaceConverter((value) => isMessagePort(value), 'MessagePort');
// MessageEventSource: of its three types a worker has only MessagePort.
const toSource = createNullableConverter(toMessagePort);
const toPorts = createSequenceConverter(toMessagePort);

const messageEventInitMembers = [
  { key: 'data', converter: toAny, defaultValue: null },
  { key: 'lastEventId', converter: toDOMString, defaultValue: '' },
  { key: 'origin', converter: toUSVString, defaultValue: '' },
  { key: 'ports', converter: toPorts },
  { key: 'source', converter: toSource, defaultValue: null },
];

/**
 * A trusted event, made without any of the conversions. `ports` is frozen, and must be the event's own array.
 * @type {(
 *   type: string,
 *   data: any,
 *   ports?: any[],
 * ) => MessageEvent}
 */
export let createMessageEvent;

/**
 * The event of a message that is delivered now, with its dispatch begun. What an event costs is its own `isTrusted`, so this one is a copy of a blank
 * event, which the host makes in a tenth of the time; or `blank`, which is one already.
 * @type {(target: object, data: any, ports: any[] | undefined, blank: MessageEvent | undefined) => MessageEvent}
 */
export let beginMessageEvent;

/**
 * Ends the task that delivered a message: a microtask checkpoint. With `more` to come, the same call makes the next one's blank event.
 * @type {(more: boolean) => MessageEvent | undefined}
 */
export let endMessageTask;

/** Attributes that messages of ports leave as they are. */
class Extras {
  origin;
  lastEventId;
  source;

  /** @param {string} origin @param {string} lastEventId @param {any} source */
  constructor(origin, lastEventId, source) {
    this.origin = origin;
    this.lastEventId = lastEventId;
    this.source = source;
  }
}

export class MessageEvent extends Event {
  /** @type {any} */
  #data = null;
  /** @type {Extras | null} */
  #extras = null;
  /**
   * Made at the first read when it is empty: most messages carry no port, and no one asks.
   * @type {readonly any[] | null}
   */
  #ports = null;

  /**
   * @param {string} type
   * @param {any} [eventInitDict]
   */
  constructor(type, eventInitDict = undefined) {
    const prefix = "Failed to construct 'MessageEvent'";
    requiredArguments(arguments.length, 1, prefix);
    super(type, eventInitDict);
    if (eventInitDict === kConstruct) return;
    if (eventInitDict !== undefined) {
      const init = toDictionary(eventInitDict, messageEventInitMembers, prefix, 'Argument 2');
      this.#data = init.data;
      this.#extras = new Extras(init.origin, init.lastEventId, init.source);
      if (init.ports !== undefined) this.#ports = ObjectFreeze(init.ports);
    }
  }

  /** @returns {any} */
  get data() {
    return this.#data;
  }

  /** @returns {string} */
  get origin() {
    return this.#extras === null ? '' : this.#extras.origin;
  }

  /** @returns {string} */
  get lastEventId() {
    return this.#extras === null ? '' : this.#extras.lastEventId;
  }

  /** @returns {any} */
  get source() {
    return this.#extras === null ? null : this.#extras.source;
  }

  /** @returns {readonly any[]} */
  get ports() {
    return (this.#ports ??= /** @type {readonly any[]} */ (ObjectFreeze([])));
  }

  /**
   * @param {string} type
   * @param {boolean} [bubbles]
   * @param {boolean} [cancelable]
   * @param {any} [data]
   * @param {string} [origin]
   * @param {string} [lastEventId]
   * @param {any} [source]
   * @param {Iterable<any>} [ports]
   */
  initMessageEvent(
    type,
    bubbles = false,
    cancelable = false,
    data = null,
    origin = '',
    lastEventId = '',
    source = null,
    ports = undefined,
  ) {
    const prefix = "Failed to execute 'initMessageEvent' on 'MessageEvent'";
    this.#data; // the brand before the arguments
    requiredArguments(arguments.length, 1, prefix);
    const typeText = toDOMString(type, prefix, 'Argument 1');
    const bubblesFlag = toBoolean(bubbles);
    const cancelableFlag = toBoolean(cancelable);
    const originText = toUSVString(origin, prefix, 'Argument 5');
    const lastEventIdText = toDOMString(lastEventId, prefix, 'Argument 6');
    const sourcePort = toSource(source, prefix, 'Argument 7');
    const portList = ports === undefined ? null : ObjectFreeze(toPorts(ports, prefix, 'Argument 8'));
    if (!initializeEvent(this, typeText, bubblesFlag, cancelableFlag)) return;
    this.#data = data;
    this.#extras = new Extras(originText, lastEventIdText, sourcePort);
    this.#ports = portList;
  }

  static {
    createMessageEvent = (type, data, ports) => {
      const event = new MessageEvent(type, kConstruct);
      event.#data = data;
      if (ports !== undefined && ports.length !== 0) event.#ports = ObjectFreeze(ports);
      return event;
    };

    /** What is copied; made at first use. @type {MessageEvent | undefined} */
    let original;
    /** Where the host writes the time of the copy. @type {any} */
    let clock;
    beginMessageEvent = (target, data, ports, blank) => {
      if (original === undefined) {
        original = new MessageEvent('message', kConstruct);
        clock = ops.messageClock();
      }
      const event = blank ?? /** @type {MessageEvent} */ (ops.copyEvent(original));
      beginCopy(event, target, clock[0]);
      event.#data = data;
      if (ports !== undefined && ports.length !== 0) event.#ports = ObjectFreeze(ports);
      return event;
    };
    endMessageTask = (more) => {
      if (more && original !== undefined) return ops.endTaskAndCopyEvent(original);
      ops.checkpoint();
      return undefined;
    };
  }
}

configureInterface(MessageEvent);
