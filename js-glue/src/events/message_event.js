// @ts-check
// MessageEvent (HTML §9.1).

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
import { Event, initializeEvent } from './event.js';

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
 *   origin?: string,
 *   source?: any,
 *   lastEventId?: string,
 * ) => MessageEvent}
 */
export let createMessageEvent;

export class MessageEvent extends Event {
  /** @type {any} */
  #data = null;
  #origin = '';
  #lastEventId = '';
  /** @type {any} */
  #source = null;
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
      this.#origin = init.origin;
      this.#lastEventId = init.lastEventId;
      this.#source = init.source;
      if (init.ports !== undefined) this.#ports = ObjectFreeze(init.ports);
    }
  }

  /** @returns {any} */
  get data() {
    return this.#data;
  }

  /** @returns {string} */
  get origin() {
    return this.#origin;
  }

  /** @returns {string} */
  get lastEventId() {
    return this.#lastEventId;
  }

  /** @returns {any} */
  get source() {
    return this.#source;
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
    this.#origin = originText;
    this.#lastEventId = lastEventIdText;
    this.#source = sourcePort;
    this.#ports = portList;
  }

  static {
    createMessageEvent = (type, data, ports, origin = '', source = null, lastEventId = '') => {
      const event = new MessageEvent(type, kConstruct);
      event.#data = data;
      event.#origin = origin;
      event.#lastEventId = lastEventId;
      event.#source = source;
      if (ports !== undefined && ports.length !== 0) event.#ports = ObjectFreeze(ports);
      return event;
    };
  }
}

configureInterface(MessageEvent);
