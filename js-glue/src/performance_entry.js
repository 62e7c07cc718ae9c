// @ts-check
// PerformanceEntry (Performance Timeline §4), PerformanceMark and PerformanceMeasure (User Timing §3.3, §3.4).
//
// Departure: `toJSON` of marks and measures has `detail` too. By the letter of Web IDL's default toJSON it would not, but every runtime
// has it there.

import { structuredClone } from './messaging/message_port.js';
import { ops } from './ops.js';
import { primordials } from './primordials.js';
import {
  configureInterface,
  illegalConstructor,
  kConstruct,
  requiredArguments,
  toAny,
  toDictionary,
  toDOMString,
  toDouble,
} from './webidl.js';

const { TypeError } = primordials;

/**
 * `detail` as marks and measures keep it: null if there is none, otherwise a copy.
 * @param {any} value
 * @returns {any}
 */
export function copyDetail(value) {
  return value === undefined || value === null ? null : structuredClone(value);
}

/**
 * The fields of an entry, read past its public getters.
 * @type {(entry: PerformanceEntry) => string}
 */
export let entryName;

/** @type {(entry: PerformanceEntry) => number} */
export let entryStartTime;

/** @type {(entry: PerformanceEntry, detail: any) => any} */
let entryToJSON;

export class PerformanceEntry {
  /** @type {string} */
  #name;
  /** @type {string} */
  #entryType;
  /** @type {number} */
  #startTime;
  /** @type {number} */
  #duration;

  /**
   * @param {any} token
   * @param {string} name
   * @param {string} entryType
   * @param {number} startTime
   * @param {number} duration
   */
  constructor(token, name, entryType, startTime, duration) {
    if (token !== kConstruct) illegalConstructor();
    this.#name = name;
    this.#entryType = entryType;
    this.#startTime = startTime;
    this.#duration = duration;
  }

  /** @returns {string} */
  get name() {
    return this.#name;
  }

  /** @returns {string} */
  get entryType() {
    return this.#entryType;
  }

  /** @returns {number} */
  get startTime() {
    return this.#startTime;
  }

  /** @returns {number} */
  get duration() {
    return this.#duration;
  }

  /** @returns {any} */
  toJSON() {
    return {
      name: this.#name,
      entryType: this.#entryType,
      startTime: this.#startTime,
      duration: this.#duration,
    };
  }

  static {
    entryName = (entry) => entry.#name;
    entryStartTime = (entry) => entry.#startTime;
    entryToJSON = (entry, detail) => ({
      name: entry.#name,
      entryType: entry.#entryType,
      startTime: entry.#startTime,
      duration: entry.#duration,
      detail,
    });
  }
}

configureInterface(PerformanceEntry, { constructible: false });

const markOptionsMembers = [
  { key: 'detail', converter: toAny },
  { key: 'startTime', converter: toDouble },
];

export class PerformanceMark extends PerformanceEntry {
  /** @type {any} */
  #detail;

  /**
   * @param {string} markName
   * @param {{ detail?: any, startTime?: number }} [markOptions]
   */
  constructor(markName, markOptions = undefined) {
    const prefix = "Failed to construct 'PerformanceMark'";
    requiredArguments(arguments.length, 1, prefix);
    const name = toDOMString(markName, prefix, 'Argument 1');
    const { detail, startTime } = toDictionary(markOptions, markOptionsMembers, prefix, 'Argument 2');
    if (startTime < 0) throw new TypeError(`${prefix}: 'startTime' of Argument 2 is negative`);
    super(kConstruct, name, 'mark', startTime === undefined ? ops.now() : startTime, 0);
    this.#detail = copyDetail(detail);
  }

  /** @returns {any} */
  get detail() {
    return this.#detail;
  }

  /** @returns {any} */
  toJSON() {
    const detail = this.#detail;
    return entryToJSON(this, detail);
  }
}

configureInterface(PerformanceMark);

export class PerformanceMeasure extends PerformanceEntry {
  /** @type {any} */
  #detail;

  /**
   * @param {any} token
   * @param {string} name
   * @param {number} startTime
   * @param {number} duration
   * @param {any} detail A copy already.
   */
  constructor(token, name, startTime, duration, detail) {
    if (token !== kConstruct) illegalConstructor();
    super(kConstruct, name, 'measure', startTime, duration);
    this.#detail = detail;
  }

  /** @returns {any} */
  get detail() {
    return this.#detail;
  }

  /** @returns {any} */
  toJSON() {
    const detail = this.#detail;
    return entryToJSON(this, detail);
  }
}

configureInterface(PerformanceMeasure, { constructible: false });
