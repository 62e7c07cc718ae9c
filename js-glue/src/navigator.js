// @ts-check
//# allFunctionsCalledOnLoad
// Navigator and WorkerNavigator (HTML §8.10): two interfaces of one content, the first for a program's main isolate, the second for
// its workers. Of the mixins they have NavigatorID's `userAgent`, NavigatorLanguage and NavigatorConcurrentHardware; left out are `appName`,
// `product` and the like, constants by which browsers pass for one another.

import { ops } from './ops.js';
import { primordials } from './primordials.js';
import { configureInterface, illegalConstructor, illegalInvocation, kConstruct } from './webidl.js';

const { ObjectFreeze } = primordials;

// The same everywhere: a script learns nothing of the host's user.
const language = 'en-US';
/** @type {readonly string[]} */
const languages = ObjectFreeze([language]);

/** @returns {string} */
function userAgent() {
  return `Isolane/${ops.version()}`;
}

export class Navigator {
  #brand = undefined;

  /** @param {any} token */
  constructor(token) {
    if (token !== kConstruct) illegalConstructor();
  }

  /** @returns {string} */
  get userAgent() {
    return #brand in this ? userAgent() : illegalInvocation();
  }

  /** @returns {string} */
  get language() {
    return #brand in this ? language : illegalInvocation();
  }

  /** @returns {readonly string[]} */
  get languages() {
    return #brand in this ? languages : illegalInvocation();
  }

  /** @returns {number} */
  get hardwareConcurrency() {
    return #brand in this ? ops.hardwareConcurrency() : illegalInvocation();
  }
}

configureInterface(Navigator, { constructible: false });

export class WorkerNavigator {
  #brand = undefined;

  /** @param {any} token */
  constructor(token) {
    if (token !== kConstruct) illegalConstructor();
  }

  /** @returns {string} */
  get userAgent() {
    return #brand in this ? userAgent() : illegalInvocation();
  }

  /** @returns {string} */
  get language() {
    return #brand in this ? language : illegalInvocation();
  }

  /** @returns {readonly string[]} */
  get languages() {
    return #brand in this ? languages : illegalInvocation();
  }

  /** @returns {number} */
  get hardwareConcurrency() {
    return #brand in this ? ops.hardwareConcurrency() : illegalInvocation();
  }
}

configureInterface(WorkerNavigator, { constructible: false });

/** @returns {Navigator} */
export function createNavigator() {
  return new Navigator(kConstruct);
}

/** @returns {WorkerNavigator} */
export function createWorkerNavigator() {
  return new WorkerNavigator(kConstruct);
}
