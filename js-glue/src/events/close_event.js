// @ts-check
// CloseEvent (WebSockets §6).

import {
  configureInterface,
  kConstruct,
  requiredArguments,
  toBoolean,
  toDictionary,
  toUnsignedShort,
  toUSVString,
} from '../webidl.js';
import { Event } from './event.js';

const closeEventInitMembers = [
  { key: 'code', converter: toUnsignedShort, defaultValue: 0 },
  { key: 'reason', converter: toUSVString, defaultValue: '' },
  { key: 'wasClean', converter: toBoolean, defaultValue: false },
];

/**
 * A trusted `close` event.
 * @type {(wasClean: boolean, code: number, reason: string) => CloseEvent}
 */
export let createCloseEvent;

export class CloseEvent extends Event {
  #wasClean = false;
  #code = 0;
  #reason = '';

  /**
   * @param {string} type
   * @param {any} [eventInitDict]
   */
  constructor(type, eventInitDict = undefined) {
    const prefix = "Failed to construct 'CloseEvent'";
    requiredArguments(arguments.length, 1, prefix);
    super(type, eventInitDict);
    if (eventInitDict !== undefined && eventInitDict !== kConstruct) {
      const init = toDictionary(eventInitDict, closeEventInitMembers, prefix, 'Argument 2');
      this.#wasClean = init.wasClean;
      this.#code = init.code;
      this.#reason = init.reason;
    }
  }

  /** @returns {boolean} */
  get wasClean() {
    return this.#wasClean;
  }

  /** @returns {number} */
  get code() {
    return this.#code;
  }

  /** @returns {string} */
  get reason() {
    return this.#reason;
  }

  static {
    createCloseEvent = (wasClean, code, reason) => {
      const event = new CloseEvent('close', kConstruct);
      event.#wasClean = wasClean;
      event.#code = code;
      event.#reason = reason;
      return event;
    };
  }
}

configureInterface(CloseEvent);
