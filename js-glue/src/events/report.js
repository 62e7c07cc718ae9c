// @ts-check
// HTML §8.1.4.6 "Report an exception": where exceptions go that no script catches. What is done with them (an ErrorEvent on the
// global, then the worker's parent) is the start-up code's to decide; it installs it here.

import { primordials } from '../primordials.js';

const { PromiseReject } = primordials;

/**
 * Until a reporter is installed a failure ends as an unhandled rejection, so that none is lost.
 * @type {(error: any) => void}
 */
let reporter = (error) => {
  PromiseReject(error);
};

/**
 * @param {(error: any) => void} report Must not throw: it is called in the middle of a dispatch.
 */
export function setExceptionReporter(report) {
  reporter = report;
}

/**
 * @param {any} error
 */
export function reportException(error) {
  reporter(error);
}
