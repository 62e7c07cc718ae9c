/**
 * A failure that the person at the command line can do something about: a broken picture, a wrong
 * option, a file that cannot be written. It is told in one line and without a stack; every other
 * error is a fault of this program and is left to the runtime to print.
 */
export class Refusal extends Error {
  /** @param {string} reason @param {{ exitCode?: number }} [options] */
  constructor(reason, { exitCode = 1 } = {}) {
    super(reason);
    this.name = 'Refusal';
    this.exitCode = exitCode;
  }

  /** The same refusal with the thing it is about (usually a file name) in front. */
  about(subject) {
    return new Refusal(`${subject}: ${this.message}`, { exitCode: this.exitCode });
  }
}
