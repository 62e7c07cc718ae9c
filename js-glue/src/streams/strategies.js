// @ts-check
// Streams §7 "Queuing strategies".

import { primordials } from '../primordials.js';
import { configureInterface, requiredArguments, toCallbackFunction, toDictionary, toUnrestrictedDouble } from '../webidl.js';

const { NumberIsNaN, RangeError } = primordials;

/** @typedef {{ highWaterMark?: number, size?: (chunk: any) => any }} StrategyDictionary */

const strategyMembers = [
  { key: 'highWaterMark', converter: toUnrestrictedDouble },
  { key: 'size', converter: toCallbackFunction },
];
const strategyInitMembers = [{ key: 'highWaterMark', converter: toUnrestrictedDouble, required: true }];

/**
 * @param {any} value
 * @param {string} prefix
 * @param {string} context
 * @returns {StrategyDictionary}
 */
export function toQueuingStrategy(value, prefix, context) {
  return toDictionary(value, strategyMembers, prefix, context);
}

/**
 * "ExtractHighWaterMark"
 * @param {StrategyDictionary} strategy
 * @param {number} defaultValue
 * @returns {number}
 */
export function extractHighWaterMark(strategy, defaultValue) {
  const { highWaterMark } = strategy;
  if (highWaterMark === undefined) return defaultValue;
  if (NumberIsNaN(highWaterMark) || highWaterMark < 0) throw new RangeError('highWaterMark must be a non-negative number');
  return highWaterMark;
}

/**
 * "ExtractSizeAlgorithm"; undefined stands for the algorithm that returns 1.
 * @param {StrategyDictionary} strategy
 * @returns {((chunk: any) => number) | undefined}
 */
export function extractSizeAlgorithm(strategy) {
  const { size } = strategy;
  // A bare call: the callback's receiver is undefined.
  return size === undefined ? undefined : (chunk) => toUnrestrictedDouble(size(chunk), '', 'The size of a chunk');
}

// One function object per realm, however many strategies there are (§7.2.3, §7.3.3); arrow functions, as they are no constructors.
const { size: byteLengthSize } = { size: (/** @type {any} */ chunk) => chunk.byteLength };
const { size: countSize } = { size: () => 1 };

export class ByteLengthQueuingStrategy {
  /** @type {number} */
  #highWaterMark;

  /** @param {{ highWaterMark: number }} init */
  constructor(init) {
    const prefix = "Failed to construct 'ByteLengthQueuingStrategy'";
    requiredArguments(arguments.length, 1, prefix);
    this.#highWaterMark = toDictionary(init, strategyInitMembers, prefix, 'Argument 1').highWaterMark;
  }

  /** @returns {number} */
  get highWaterMark() {
    return this.#highWaterMark;
  }

  /** @returns {(chunk: any) => number} */
  get size() {
    this.#highWaterMark;
    return byteLengthSize;
  }
}
configureInterface(ByteLengthQueuingStrategy);

export class CountQueuingStrategy {
  /** @type {number} */
  #highWaterMark;

  /** @param {{ highWaterMark: number }} init */
  constructor(init) {
    const prefix = "Failed to construct 'CountQueuingStrategy'";
    requiredArguments(arguments.length, 1, prefix);
    this.#highWaterMark = toDictionary(init, strategyInitMembers, prefix, 'Argument 1').highWaterMark;
  }

  /** @returns {number} */
  get highWaterMark() {
    return this.#highWaterMark;
  }

  /** @returns {() => number} */
  get size() {
    this.#highWaterMark;
    return countSize;
  }
}
configureInterface(CountQueuingStrategy);
