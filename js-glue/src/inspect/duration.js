// @ts-check
// Lengths of time as `console.timeEnd` shows them.

import { primordials } from '../primordials.js';

const {
  MathFloor,
  NumberPrototypeToFixed,
  StringPrototypePadStart,
} = primordials;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * @param {number} milliseconds
 * @returns {string} `1.235ms`, `1.235s`, `1:01.234 (m:ss.mmm)`, `1:01:01.234 (h:mm:ss.mmm)`
 */
export function formatDuration(milliseconds) {
  if (milliseconds < SECOND) return `${+NumberPrototypeToFixed(milliseconds, 3)}ms`;
  if (milliseconds < MINUTE) return `${NumberPrototypeToFixed(milliseconds / SECOND, 3)}s`;
  const hours = MathFloor(milliseconds / HOUR);
  const minutes = MathFloor((milliseconds % HOUR) / MINUTE);
  const seconds = pad(NumberPrototypeToFixed((milliseconds % MINUTE) / SECOND, 3), 6);
  if (hours === 0) return `${minutes}:${seconds} (m:ss.mmm)`;
  return `${hours}:${pad(`${minutes}`, 2)}:${seconds} (h:mm:ss.mmm)`;
}

/**
 * @param {string} digits
 * @param {number} length
 * @returns {string}
 */
function pad(digits, length) {
  return StringPrototypePadStart(digits, length, '0');
}
