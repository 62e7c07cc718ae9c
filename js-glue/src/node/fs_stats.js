// @ts-check
// What `stat` and `readdir` answer with: the classes Stats, BigIntStats and Dirent.

import { primordials } from '../primordials.js';
import { constants } from './fs_constants.js';

const {
  BigInt64Array,
  Date,
  MathRound,
  Number,
  ObjectDefineProperty,
  TypedArrayPrototypeGetBuffer,
  TypedArrayPrototypeGetByteOffset,
} = primordials;

const { S_IFMT, S_IFREG, S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFLNK, S_IFSOCK } = constants;

/** Fields in the order in which the host packs them, each as a 64-bit integer; times in seconds and nanoseconds. */
const ATIME = 10;
const MTIME = 12;
const CTIME = 14;
const BIRTHTIME = 16;
const FIELDS = 18;

/**
 * @param {any} stats
 * @param {number} type
 * @returns {boolean}
 */
function isType(stats, type) {
  return (Number(stats.mode) & S_IFMT) === type;
}

class StatsBase {
  // Declared, so that they are own properties from the start: an assignment to one that is not would call a setter that a script put on Object.prototype.
  /** @type {any} */
  dev;
  /** @type {any} */
  mode;
  /** @type {any} */
  nlink;
  /** @type {any} */
  uid;
  /** @type {any} */
  gid;
  /** @type {any} */
  rdev;
  /** @type {any} */
  blksize;
  /** @type {any} */
  ino;
  /** @type {any} */
  size;
  /** @type {any} */
  blocks;
  /** @type {any} */
  atimeMs;
  /** @type {any} */
  mtimeMs;
  /** @type {any} */
  ctimeMs;
  /** @type {any} */
  birthtimeMs;

  isFile() {
    return isType(this, S_IFREG);
  }

  isDirectory() {
    return isType(this, S_IFDIR);
  }

  isSymbolicLink() {
    return isType(this, S_IFLNK);
  }

  isBlockDevice() {
    return isType(this, S_IFBLK);
  }

  isCharacterDevice() {
    return isType(this, S_IFCHR);
  }

  isFIFO() {
    return isType(this, S_IFIFO);
  }

  isSocket() {
    return isType(this, S_IFSOCK);
  }
}

/**
 * `atime` and its like, made from `atimeMs` when they are first read: few who stat want dates.
 *
 * @param {any} prototype
 * @param {string} name
 */
function defineDate(prototype, name) {
  ObjectDefineProperty(prototype, name, {
    __proto__: null,
    enumerable: true,
    configurable: true,
    /** @this {any} */
    get() {
      const value = new Date(MathRound(Number(this[`${name}Ms`])));
      set(this, name, value);
      return value;
    },
    /**
     * @param {any} value
     * @this {any}
     */
    set(value) {
      set(this, name, value);
    },
  });
}

/**
 * @param {any} target
 * @param {string} name
 * @param {any} value
 */
function set(target, name, value) {
  ObjectDefineProperty(target, name, { __proto__: null, value, enumerable: true, configurable: true, writable: true });
}

export class Stats extends StatsBase {
  /** @param {any} fields */
  constructor(fields) {
    super();
    this.dev = Number(fields[0]);
    this.mode = Number(fields[1]);
    this.nlink = Number(fields[2]);
    this.uid = Number(fields[3]);
    this.gid = Number(fields[4]);
    this.rdev = Number(fields[5]);
    this.blksize = Number(fields[6]);
    this.ino = Number(fields[7]);
    this.size = Number(fields[8]);
    this.blocks = Number(fields[9]);
    this.atimeMs = Number(fields[ATIME]) * 1e3 + Number(fields[ATIME + 1]) / 1e6;
    this.mtimeMs = Number(fields[MTIME]) * 1e3 + Number(fields[MTIME + 1]) / 1e6;
    this.ctimeMs = Number(fields[CTIME]) * 1e3 + Number(fields[CTIME + 1]) / 1e6;
    this.birthtimeMs = Number(fields[BIRTHTIME]) * 1e3 + Number(fields[BIRTHTIME + 1]) / 1e6;
  }
}

export class BigIntStats extends StatsBase {
  /** @type {bigint} */
  atimeNs;
  /** @type {bigint} */
  mtimeNs;
  /** @type {bigint} */
  ctimeNs;
  /** @type {bigint} */
  birthtimeNs;

  /** @param {any} fields */
  constructor(fields) {
    super();
    this.dev = fields[0];
    this.mode = fields[1];
    this.nlink = fields[2];
    this.uid = fields[3];
    this.gid = fields[4];
    this.rdev = fields[5];
    this.blksize = fields[6];
    this.ino = fields[7];
    this.size = fields[8];
    this.blocks = fields[9];
    this.atimeNs = fields[ATIME] * 1_000_000_000n + fields[ATIME + 1];
    this.mtimeNs = fields[MTIME] * 1_000_000_000n + fields[MTIME + 1];
    this.ctimeNs = fields[CTIME] * 1_000_000_000n + fields[CTIME + 1];
    this.birthtimeNs = fields[BIRTHTIME] * 1_000_000_000n + fields[BIRTHTIME + 1];
    this.atimeMs = this.atimeNs / 1_000_000n;
    this.mtimeMs = this.mtimeNs / 1_000_000n;
    this.ctimeMs = this.ctimeNs / 1_000_000n;
    this.birthtimeMs = this.birthtimeNs / 1_000_000n;
  }
}

const dates = ['atime', 'mtime', 'ctime', 'birthtime'];
for (let i = 0; i < dates.length; i++) {
  defineDate(Stats.prototype, dates[i]);
  defineDate(BigIntStats.prototype, dates[i]);
}

/**
 * @param {Uint8Array} packed From the host.
 * @param {boolean} bigint
 * @returns {Stats | BigIntStats}
 */
export function unpackStats(packed, bigint) {
  const fields = new BigInt64Array(
    TypedArrayPrototypeGetBuffer(packed), TypedArrayPrototypeGetByteOffset(packed), FIELDS,
  );
  return bigint ? new BigIntStats(fields) : new Stats(fields);
}

export class Dirent {
  name;
  parentPath;

  #type;

  /**
   * @param {string} name
   * @param {string} parentPath
   * @param {number} type One of the `S_IF…` constants, or 0 if it could not be learnt.
   */
  constructor(name, parentPath, type) {
    this.name = name;
    this.parentPath = parentPath;
    this.#type = type;
  }

  isFile() {
    return this.#type === S_IFREG;
  }

  isDirectory() {
    return this.#type === S_IFDIR;
  }

  isSymbolicLink() {
    return this.#type === S_IFLNK;
  }

  isBlockDevice() {
    return this.#type === S_IFBLK;
  }

  isCharacterDevice() {
    return this.#type === S_IFCHR;
  }

  isFIFO() {
    return this.#type === S_IFIFO;
  }

  isSocket() {
    return this.#type === S_IFSOCK;
  }
}
