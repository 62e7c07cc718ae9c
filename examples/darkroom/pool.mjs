/** What a filter worker says when it has its kernel; tile numbers start at 0. */
export const READY = -1;

/**
 * A set of filter workers. Work is pulled: a worker that hands in a tile gets the next one, so the
 * faster ones do more of them.
 */
export class FilterPool {
  #workers;
  #failure;

  /** @param {number} count */
  constructor(count) {
    this.#workers = Array.from(
      { length: count },
      (_, i) => new Worker(new URL('./filter-worker.mjs', import.meta.url), { type: 'module', name: `filter ${i + 1}` }),
    );
    this.#failure = new Promise((_, reject) => {
      for (const [i, worker] of this.#workers.entries()) {
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(`filter worker ${i + 1}: ${event.message}`));
        };
      }
    });
    // It is awaited by `#settle`; until then nobody listens, which is no reason for a report.
    this.#failure.catch(() => {});
  }

  /** Gives every worker what it needs; done when all of them have built their instance. */
  async prepare(setup) {
    await this.#settle((finish) => {
      let missing = this.#workers.length;
      for (const worker of this.#workers) {
        worker.onmessage = () => {
          missing -= 1;
          if (missing === 0) finish();
        };
        worker.postMessage(setup);
      }
    });
  }

  /**
   * Runs the tiles from `first` up to `end`. It is done when every one of them is: the barrier
   * between two passes. The messages order the memory too: what a worker wrote before it handed in
   * its tile is seen by whoever is given a tile afterwards.
   * @param {number} first @param {number} end @param {() => void} onTile called for each done tile
   */
  async run(first, end, onTile) {
    await this.#settle((finish) => {
      let next = first;
      let open = end - first;
      const feed = (worker) => {
        if (next === end) return;
        worker.postMessage(next);
        next += 1;
      };
      for (const worker of this.#workers) {
        worker.onmessage = () => {
          open -= 1;
          onTile();
          feed(worker);
          if (open === 0) finish();
        };
        feed(worker);
      }
    });
  }

  stop() {
    for (const worker of this.#workers) worker.terminate();
  }

  #settle(start) {
    return Promise.race([this.#failure, new Promise(start)]);
  }
}
