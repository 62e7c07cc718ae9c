// @ts-check
// Console Standard, with the presentation that people know from Node.
//
// Departures from the standard: where it leaves the presentation open, Node's is used; `timeLog` appends its data and
// `log` its arguments in Node's wording. Departures from Node: `clear` also ends all groups (§1.1.2 "clear"), and what
// Node reports as a process warning (a label that is not there) is written to standard error at once, as §2.4
// "reportWarningsToConsole" has it. There is no `Console` class.

import { primordials } from './primordials.js';
import { ops } from './ops.js';
import { formatDuration } from './inspect/duration.js';
import { formatArguments } from './inspect/format.js';
import { indentLines, spaces } from './inspect/strings.js';
import { formatTable } from './inspect/table.js';
import { inspect } from './inspect.js';
import { invalidArgType } from './node/errors.js';

const {
  ArrayIsArray,
  ArrayPrototypePush,
  ArrayPrototypeUnshift,
  ErrorCaptureStackTrace,
  ObjectCreate,
  ObjectDefineProperty,
  ObjectKeys,
  SafeMap,
  SymbolToStringTag,
} = primordials;

const STDOUT = 1;
const STDERR = 2;
const GROUP_INDENT = 2;
// ECMA-48 §8.3.21 CUP to the first cell, §8.3.39 ED from there to the end.
const CLEAR_SCREEN = '\u001b[1;1H\u001b[0J';
// Cells of a table stay on one line and show little of what is inside them.
const MAX_CELL_KEYS = 2;
const MAX_CELL_ITEMS = 3;

/**
 * Where a console writes. `print` receives whole lines with their ends, or a control sequence.
 *
 * @typedef {object} ConsoleHost
 * @property {(text: string, isError: boolean) => void} print
 * @property {(fd: number) => boolean} isTerminal whether colours and screen control make sense there
 * @property {() => number} now milliseconds of a clock that never goes back
 */

/**
 * A console namespace object (Console §1). Its methods close over its state, so they need no receiver.
 *
 * @param {ConsoleHost} host
 * @returns {any}
 */
export function createConsole(host) {
  const counts = new SafeMap();
  const timers = new SafeMap();
  let indentation = 0;

  /**
   * Console §2.3 "Printer".
   *
   * @param {string} text
   * @param {number} fd
   */
  function print(text, fd) {
    const indented = indentation === 0 ? text : spaces(indentation) + indentLines(text, indentation);
    host.print(`${indented}\n`, fd === STDERR);
  }

  /**
   * @param {number} fd
   * @param {any} [more]
   * @returns {any} inspection options for what goes there
   */
  function optionsFor(fd, more) {
    return { __proto__: null, colors: host.isTerminal(fd), ...more };
  }

  /**
   * Console §2.1 "Logger".
   *
   * @param {any[]} args
   * @param {number} fd
   */
  function write(args, fd) {
    print(formatArguments(optionsFor(fd), args), fd);
  }

  /** @param {string} message */
  function reportWarning(message) {
    print(`Warning: ${message}`, STDERR);
  }

  /**
   * Console §1.4.3 "timeLog", §1.4.4 "timeEnd".
   *
   * @param {string} label
   * @param {string} method
   * @param {any[]} data
   */
  function writeTimer(label, method, data) {
    const start = timers.get(label);
    if (start === undefined) {
      reportWarning(`No such label '${label}' for console.${method}()`);
      return;
    }
    const args = ['%s: %s', label, formatDuration(host.now() - start)];
    for (let i = 0; i < data.length; i++) ArrayPrototypePush(args, data[i]);
    write(args, STDOUT);
  }

  /** @param {any} value */
  function showCell(value) {
    const crowded = value !== null && typeof value === 'object' && !ArrayIsArray(value)
      && ObjectKeys(value).length > MAX_CELL_KEYS;
    return inspect(value, optionsFor(STDOUT, {
      __proto__: null, breakLength: Infinity, depth: crowded ? -1 : 0, maxArrayLength: MAX_CELL_ITEMS,
    }));
  }

  const methods = {
    /** @param {...any} data */
    log(...data) {
      write(data, STDOUT);
    },
    /** @param {...any} data */
    info(...data) {
      write(data, STDOUT);
    },
    /** @param {...any} data */
    debug(...data) {
      write(data, STDOUT);
    },
    /** @param {...any} data */
    warn(...data) {
      write(data, STDERR);
    },
    /** @param {...any} data */
    error(...data) {
      write(data, STDERR);
    },
    /** @param {any} [condition] @param {...any} data */
    assert(condition = false, ...data) {
      if (condition) return;
      const message = 'Assertion failed';
      if (typeof data[0] === 'string') data[0] = `${message}: ${data[0]}`;
      else ArrayPrototypeUnshift(data, message);
      write(data, STDERR);
    },
    /** @param {any} [item] @param {any} [options] */
    dir(item = undefined, options = undefined) {
      print(inspect(item, optionsFor(STDOUT, { __proto__: null, customInspect: false, ...options })), STDOUT);
    },
    /** @param {...any} data */
    dirxml(...data) {
      write(data, STDOUT);
    },
    /** @param {...any} data */
    trace(...data) {
      const text = formatArguments(optionsFor(STDERR), data);
      const holder = { name: 'Trace', message: text, stack: undefined };
      ErrorCaptureStackTrace(holder, methods.trace);
      write([holder.stack], STDERR);
    },
    /** @param {any} [tabularData] @param {any} [properties] */
    table(tabularData = undefined, properties = undefined) {
      if (tabularData === null || typeof tabularData !== 'object') {
        write([tabularData], STDOUT);
        return;
      }
      if (properties !== undefined && !ArrayIsArray(properties)) {
        throw invalidArgType('properties', 'Array', properties);
      }
      print(formatTable(tabularData, properties, showCell), STDOUT);
    },
    /** @param {any} [label] */
    count(label = 'default') {
      const name = `${label}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      print(`${name}: ${count}`, STDOUT);
    },
    /** @param {any} [label] */
    countReset(label = 'default') {
      const name = `${label}`;
      if (!counts.delete(name)) reportWarning(`Count for '${name}' does not exist`);
    },
    /** @param {...any} data */
    group(...data) {
      if (data.length !== 0) write(data, STDOUT);
      indentation += GROUP_INDENT;
    },
    /** @param {...any} data */
    groupCollapsed(...data) {
      if (data.length !== 0) write(data, STDOUT);
      indentation += GROUP_INDENT;
    },
    groupEnd() {
      if (indentation !== 0) indentation -= GROUP_INDENT;
    },
    /** @param {any} [label] */
    time(label = 'default') {
      const name = `${label}`;
      if (timers.has(name)) reportWarning(`Label '${name}' already exists for console.time()`);
      else timers.set(name, host.now());
    },
    /** @param {any} [label] @param {...any} data */
    timeLog(label = 'default', ...data) {
      writeTimer(`${label}`, 'timeLog', data);
    },
    /** @param {any} [label] */
    timeEnd(label = 'default') {
      const name = `${label}`;
      writeTimer(name, 'timeEnd', []);
      timers.delete(name);
    },
    /** Marks a recording of developer tools; there is none. */
    timeStamp() {},
    clear() {
      indentation = 0;
      if (host.isTerminal(STDOUT)) host.print(CLEAR_SCREEN, false);
    },
  };

  // Web IDL §3.13.1: the prototype of `console` is an object of its own, for scripts that look for one.
  const namespace = ObjectCreate(ObjectCreate(primordials.ObjectPrototype));
  const names = ObjectKeys(methods);
  for (let i = 0; i < names.length; i++) {
    ObjectDefineProperty(namespace, names[i], {
      __proto__: null,
      configurable: true,
      enumerable: true,
      value: /** @type {any} */ (methods)[names[i]],
      writable: true,
    });
  }
  ObjectDefineProperty(namespace, SymbolToStringTag, {
    __proto__: null, configurable: true, enumerable: false, value: 'console', writable: false,
  });
  return namespace;
}

/** The global `console`: the host's functions are looked up at each call, as the snapshot is built without them. */
export const console = createConsole({
  print: (text, isError) => ops.print(text, isError),
  isTerminal: (fd) => ops.isTerminal(fd),
  now: () => ops.now(),
});
