const CELLS = 30;
const CLEAR_LINE = '\r\x1b[K';

/**
 * A progress bar that rewrites one line of a terminal. On anything else (a pipe, a log file) it
 * writes nothing at all.
 */
export class Progress {
  #stream;
  #total;
  #done = 0;
  #label = '';
  #shown = '';

  /** @param {{ isTTY?: boolean, write(text: string): unknown }} stream @param {number} total steps */
  constructor(stream, total) {
    this.#stream = stream.isTTY ? stream : null;
    this.#total = total;
  }

  /** Names what is going on from now on. */
  begin(label) {
    this.#label = label;
    this.#draw();
  }

  /** Counts one finished step. */
  step() {
    this.#done += 1;
    this.#draw();
  }

  /** Takes the bar off the screen. */
  clear() {
    if (this.#shown !== '') this.#stream.write(CLEAR_LINE);
    this.#shown = '';
  }

  #draw() {
    if (this.#stream === null) return;
    const share = this.#done / this.#total;
    const full = Math.floor(share * CELLS);
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    const text = `[${'#'.repeat(full)}${'.'.repeat(CELLS - full)}] ${percent} % ${this.#label}`;
    // A terminal is slow: a step that changes nothing to be seen is not written.
    if (text === this.#shown) return;
    this.#stream.write(CLEAR_LINE + text);
    this.#shown = text;
  }
}
