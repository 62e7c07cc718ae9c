// @ts-check
// Structured clone and transfer (HTML §2.7): the transfer list, and platform objects' own rules.
//
// The host serialises with V8. For an object that is not a plain one it asks `isHostObject`, and then `writeHostObject` for a name and data in its place;
// `readHostObject` makes the object again on the other side. Classes take part by registering here.

import { primordials } from '../primordials.js';
import { cloneableParts, createDOMException, exceptionOf, isDOMException } from '../dom_exception.js';
import { ops } from '../ops.js';
import { interfaceOf } from '../webidl.js';

const { ArrayPrototypePush, SafeMap } = primordials;

/**
 * How a class of the glue is cloned.
 * @typedef {object} Cloneable
 * @property {(value: any) => boolean} is Brand check; must run no script's code.
 * @property {((value: any) => any)} [write] The data that travels in the object's place. Without it the object cannot be cloned.
 * @property {(data: any) => any} [read]
 */

/** All rules. A list of links: a deferred file adds its own when `Array.prototype` may be a script's. @type {Rule | undefined} */
let rules;
/** @typedef {{ name: string, rule: Cloneable, next: Rule | undefined }} Rule */
/** By name. */
const readers = new SafeMap();

/** Deferred files by the names of the classes that they register: an object may arrive before its class was used here. @type {Record<string, string>} */
const owners = /** @type {any} */ ({ __proto__: null, Guest: 'wasm.js', SharedMemory: 'wasm.js' });

/**
 * @param {string} name Unique; travels with the data.
 * @param {Cloneable} rule
 */
export function registerCloneable(name, rule) {
  rules = { name, rule, next: rules };
  readers.set(name, rule);
}

/** @param {any} value */
function findRule(value) {
  let candidate = rules;
  while (candidate !== undefined && !candidate.rule.is(value)) candidate = candidate.next;
  return candidate;
}

/** The host's entry: an object of the platform's, not of the language or the script. @param {any} value */
export function isHostObject(value) {
  return findRule(value) !== undefined || interfaceOf(value) !== undefined;
}

/** The host's entry. @param {any} value @returns {[string, any]} */
export function writeHostObject(value) {
  const found = findRule(value);
  if (found?.rule.write === undefined) {
    throw createDOMException(`${found?.name ?? interfaceOf(value)} object could not be cloned.`, 'DataCloneError');
  }
  return [found.name, found.rule.write(value)];
}

/** The host's entry. @param {string} name @param {any} data */
export function readHostObject(name, data) {
  if (!readers.has(name) && name in owners) ops.loadGlue(owners[name]);
  const rule = readers.get(name);
  if (rule?.read === undefined) throw createDOMException(`A ${name} could not be read.`, 'DataCloneError');
  return rule.read(data);
}

/**
 * The transfer list's rules for classes that are not ArrayBuffers.
 * @typedef {object} Transferable
 * @property {(value: any) => boolean} is
 * @property {(value: any) => void} check Throws if this one cannot go.
 * @property {(value: any) => number} leave Takes it out of this thread: the key of its endpoint.
 */
/** @type {Transferable | undefined} */
let portRule;
/** @param {Transferable} rule */
export function setPortRule(rule) {
  portRule = rule;
}

/** Objects that `markAsUntransferable` of Node named. @type {(value: any) => boolean} */
export let isUntransferable = () => false;
/** @param {(value: any) => boolean} check */
export function setUntransferableCheck(check) {
  isUntransferable = check;
}

/**
 * StructuredSerializeWithTransfer: a parcel. Nothing has changed if it throws.
 * @param {any} value
 * @param {any[]} transfer
 * @param {any} [sender] The port that sends; it cannot be in its own list.
 * @param {number} [key] The lane's that the parcel is for: its receiver's quota is asked as well.
 * @returns {number}
 */
export function serialize(value, transfer, sender = undefined, key = undefined) {
  if (transfer.length === 0) return ops.serialize(value, emptyList, emptyList, key);
  /** @type {any[]} */
  const buffers = [];
  /** @type {any[]} */
  const ports = [];
  for (let i = 0; i < transfer.length; i++) {
    const item = transfer[i];
    for (let j = 0; j < i; j++) {
      if (transfer[j] === item) throw createDOMException('The transfer list holds the same object twice.', 'DataCloneError');
    }
    if (isUntransferable(item)) throw createDOMException('An object that is marked as untransferable is in the transfer list.', 'DataCloneError');
    if (isUnsharedBuffer(item)) {
      ArrayPrototypePush(buffers, item);
    } else if (portRule?.is(item)) {
      if (item === sender) throw createDOMException('A port cannot be sent through itself.', 'DataCloneError');
      portRule.check(item);
      ArrayPrototypePush(ports, item);
    } else {
      throw createDOMException(`Value ${i} of the transfer list is not transferable.`, 'DataCloneError');
    }
  }
  const parcel = ops.serialize(value, buffers, ports, key);
  for (let i = 0; i < ports.length; i++) ops.parcelAddPort(parcel, /** @type {Transferable} */ (portRule).leave(ports[i]));
  return parcel;
}
/** @type {any[]} */
const emptyList = [];

/** The host's entry: throws unless the ports of a transfer list can still go. @param {any[]} ports */
export function checkPorts(ports) {
  for (let i = 0; i < ports.length; i++) portRule?.check(ports[i]);
}

const { ArrayBufferPrototypeGetByteLength } = primordials;
/** @param {any} value */
function isUnsharedBuffer(value) {
  try {
    ArrayBufferPrototypeGetByteLength(value);
    return true;
  } catch {
    return false;
  }
}

registerCloneable('DOMException', {
  is: isDOMException,
  write: cloneableParts,
  read: exceptionOf,
});
