// @ts-check
// Performance: High Resolution Time §7, Performance Timeline §3, User Timing §3.1. How finely the clock ticks is the host's
// affair (a permission); nothing here rounds.

import { createDOMException } from './dom_exception.js';
import { EventTarget } from './events.js';
import { ops } from './ops.js';
import {
  copyDetail,
  entryName,
  entryStartTime,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
} from './performance_entry.js';
import { primordials } from './primordials.js';
import {
  configureInterface,
  illegalConstructor,
  isObject,
  kConstruct,
  requiredArguments,
  toAny,
  toDictionary,
  toDOMString,
  toDouble,
} from './webidl.js';

const { ArrayPrototypePush, ArrayPrototypeSort, SafeMap, SafeSet, TypeError } = primordials;

export { PerformanceEntry, PerformanceMark, PerformanceMeasure };

/**
 * Attributes of PerformanceTiming. User Timing §3.5 gives a measure from or to one of these names a meaning in windows, and a TypeError
 * elsewhere.
 */
const navigationTimings = {
  __proto__: null,
  connectEnd: true,
  connectStart: true,
  domComplete: true,
  domContentLoadedEventEnd: true,
  domContentLoadedEventStart: true,
  domInteractive: true,
  domLoading: true,
  domainLookupEnd: true,
  domainLookupStart: true,
  fetchStart: true,
  loadEventEnd: true,
  loadEventStart: true,
  navigationStart: true,
  redirectEnd: true,
  redirectStart: true,
  requestStart: true,
  responseEnd: true,
  responseStart: true,
  secureConnectionStart: true,
  unloadEventEnd: true,
  unloadEventStart: true,
};

/**
 * (DOMString or DOMHighResTimeStamp)
 * @param {any} value
 * @param {string} [prefix]
 * @param {string} [context]
 * @returns {string | number}
 */
function toMarkOrTime(value, prefix, context) {
  return typeof value === 'number' ? toDouble(value, prefix, context) : toDOMString(value, prefix, context);
}

const measureOptionsMembers = [
  { key: 'detail', converter: toAny },
  { key: 'duration', converter: toDouble },
  { key: 'end', converter: toMarkOrTime },
  { key: 'start', converter: toMarkOrTime },
];

/** Entries of one type, by name; and the order in which they came, which breaks ties of `startTime`. */
class EntryBuffer {
  #entries = new SafeSet();
  /** The latest entry of each name. */
  #latest = new SafeMap();

  /** @param {PerformanceEntry} entry */
  add(entry) {
    this.#entries.add(entry);
    this.#latest.set(entryName(entry), entry);
  }

  /**
   * @param {string} name
   * @returns {PerformanceEntry | undefined}
   */
  latest(name) {
    return this.#latest.get(name);
  }

  /** @param {string | undefined} name All names if undefined. */
  clear(name) {
    if (name === undefined) {
      this.#entries.clear();
      this.#latest.clear();
    } else if (this.#latest.delete(name)) {
      this.#entries.forEach((/** @type {PerformanceEntry} */ entry) => {
        if (entryName(entry) === name) this.#entries.delete(entry);
      });
    }
  }

  /**
   * @param {PerformanceEntry[]} list
   * @param {string | undefined} name
   */
  collect(list, name) {
    if (name !== undefined && !this.#latest.has(name)) return;
    this.#entries.forEach((/** @type {PerformanceEntry} */ entry) => {
      if (name === undefined || entryName(entry) === name) ArrayPrototypePush(list, entry);
    });
  }
}

export class Performance extends EventTarget {
  #marks = new EntryBuffer();
  #measures = new EntryBuffer();

  /** @param {any} token */
  constructor(token) {
    if (token !== kConstruct) illegalConstructor();
    super();
  }

  /** @returns {number} */
  get timeOrigin() {
    this.#marks; // the brand
    return ops.timeOrigin();
  }

  /** @returns {number} */
  now() {
    this.#marks; // the brand
    return ops.now();
  }

  /** @returns {{ timeOrigin: number }} */
  toJSON() {
    this.#marks; // the brand
    return { timeOrigin: ops.timeOrigin() };
  }

  /**
   * @param {string} markName
   * @param {{ detail?: any, startTime?: number }} [markOptions]
   * @returns {PerformanceMark}
   */
  mark(markName, markOptions = undefined) {
    const buffer = this.#marks;
    requiredArguments(arguments.length, 1, "Failed to execute 'mark' on 'Performance'");
    const mark = new PerformanceMark(markName, markOptions);
    buffer.add(mark);
    return mark;
  }

  /**
   * @param {string} measureName
   * @param {any} [startOrMeasureOptions]
   * @param {string} [endMark]
   * @returns {PerformanceMeasure}
   */
  measure(measureName, startOrMeasureOptions = undefined, endMark = undefined) {
    const prefix = "Failed to execute 'measure' on 'Performance'";
    const buffer = this.#measures;
    requiredArguments(arguments.length, 1, prefix);
    const name = toDOMString(measureName, prefix, 'Argument 1');
    const hasOptions =
      startOrMeasureOptions === undefined || startOrMeasureOptions === null || isObject(startOrMeasureOptions);
    const options = hasOptions
      ? toDictionary(startOrMeasureOptions, measureOptionsMembers, prefix, 'Argument 2')
      : toDictionary(undefined, measureOptionsMembers, prefix, 'Argument 2');
    const startMark = hasOptions ? undefined : toDOMString(startOrMeasureOptions, prefix, 'Argument 2');
    const endName = endMark === undefined ? undefined : toDOMString(endMark, prefix, 'Argument 3');

    const { detail, duration, end, start } = options;
    if (detail !== undefined || duration !== undefined || end !== undefined || start !== undefined) {
      if (endName !== undefined) throw new TypeError(`${prefix}: options and an end mark exclude each other`);
      if (start === undefined && end === undefined) throw new TypeError(`${prefix}: 'start' or 'end' is required`);
      if (start !== undefined && end !== undefined && duration !== undefined) {
        throw new TypeError(`${prefix}: 'start', 'end' and 'duration' exclude each other`);
      }
    }

    /** @type {number} */
    let endTime;
    if (endName !== undefined) endTime = this.#toTimestamp(endName, prefix);
    else if (end !== undefined) endTime = this.#toTimestamp(end, prefix);
    else if (start !== undefined && duration !== undefined) {
      endTime = this.#toTimestamp(start, prefix) + this.#toTimestamp(duration, prefix);
    } else endTime = ops.now();

    /** @type {number} */
    let startTime;
    if (start !== undefined) startTime = this.#toTimestamp(start, prefix);
    else if (duration !== undefined && end !== undefined) startTime = endTime - this.#toTimestamp(duration, prefix);
    else if (startMark !== undefined) startTime = this.#toTimestamp(startMark, prefix);
    else startTime = 0;

    const measure = new PerformanceMeasure(kConstruct, name, startTime, endTime - startTime, copyDetail(detail));
    buffer.add(measure);
    return measure;
  }

  /** @param {string} [markName] */
  clearMarks(markName = undefined) {
    const buffer = this.#marks;
    buffer.clear(toOptionalName(markName, "Failed to execute 'clearMarks' on 'Performance'"));
  }

  /** @param {string} [measureName] */
  clearMeasures(measureName = undefined) {
    const buffer = this.#measures;
    buffer.clear(toOptionalName(measureName, "Failed to execute 'clearMeasures' on 'Performance'"));
  }

  /** @returns {PerformanceEntry[]} */
  getEntries() {
    return this.#collect(undefined, undefined);
  }

  /**
   * @param {string} type
   * @returns {PerformanceEntry[]}
   */
  getEntriesByType(type) {
    const prefix = "Failed to execute 'getEntriesByType' on 'Performance'";
    this.#marks; // the brand before the arguments
    requiredArguments(arguments.length, 1, prefix);
    return this.#collect(undefined, toDOMString(type, prefix, 'Argument 1'));
  }

  /**
   * @param {string} name
   * @param {string} [type]
   * @returns {PerformanceEntry[]}
   */
  getEntriesByName(name, type = undefined) {
    const prefix = "Failed to execute 'getEntriesByName' on 'Performance'";
    this.#marks; // the brand before the arguments
    requiredArguments(arguments.length, 1, prefix);
    const nameText = toDOMString(name, prefix, 'Argument 1');
    return this.#collect(nameText, type === undefined ? undefined : toDOMString(type, prefix, 'Argument 2'));
  }

  /**
   * "Filter buffer by name and type" (Performance Timeline §6): in order of `startTime`.
   * @param {string | undefined} name
   * @param {string | undefined} type
   * @returns {PerformanceEntry[]}
   */
  #collect(name, type) {
    /** @type {PerformanceEntry[]} */
    const list = [];
    if (type === undefined || type === 'mark') this.#marks.collect(list, name);
    if (type === undefined || type === 'measure') this.#measures.collect(list, name);
    return ArrayPrototypeSort(list, (/** @type {PerformanceEntry} */ a, /** @type {PerformanceEntry} */ b) => {
      return entryStartTime(a) - entryStartTime(b);
    });
  }

  /**
   * "Convert a mark to a timestamp" (User Timing §3.5).
   * @param {string | number} mark
   * @param {string} prefix
   * @returns {number}
   */
  #toTimestamp(mark, prefix) {
    if (typeof mark === 'number') {
      if (mark < 0) throw new TypeError(`${prefix}: ${mark} is negative`);
      return mark;
    }
    if (mark in navigationTimings) throw new TypeError(`${prefix}: '${mark}' is a time of a document, and there is none`);
    const entry = this.#marks.latest(mark);
    if (entry === undefined) throw createDOMException(`${prefix}: the mark '${mark}' does not exist`, 'SyntaxError');
    return entryStartTime(entry);
  }
}

configureInterface(Performance, { constructible: false });

/**
 * @param {any} name
 * @param {string} prefix
 * @returns {string | undefined}
 */
function toOptionalName(name, prefix) {
  return name === undefined ? undefined : toDOMString(name, prefix, 'Argument 1');
}

/** The realm's one instance, the value of the global `performance`. */
export const performance = new Performance(kConstruct);
