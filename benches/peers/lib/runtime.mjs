// What differs between the runtimes that are compared: the two sides of a worker. Each is used by the way its own documentation shows first: the web's
// `Worker` where there is one, else Node's.

const isWeb = typeof globalThis.Worker === 'function';
const node = isWeb ? undefined : await import('node:worker_threads');

/** A worker that runs a module of ../workers. */
export class Peer {
  #worker;

  /** @param {string} name */
  constructor(name) {
    const url = new URL(`../workers/${name}.mjs`, import.meta.url);
    this.#worker = isWeb ? new Worker(url, { type: 'module' }) : new node.Worker(url);
    if (isWeb) this.#worker.onerror = (event) => { throw event.error ?? new Error(event.message); };
  }

  /** @param {any} value @param {any[]} [transfer] */
  post(value, transfer) {
    this.#worker.postMessage(value, transfer);
  }

  /** @param {(value: any) => void} receive */
  set receive(receive) {
    if (isWeb) {
      this.#worker.onmessage = ({ data }) => receive(data);
    } else {
      this.#worker.removeAllListeners('message');
      this.#worker.on('message', receive);
    }
  }

  /** The next message. @returns {Promise<any>} */
  next() {
    return new Promise((resolve) => { this.receive = resolve; });
  }

  end() {
    return this.#worker.terminate();
  }
}

/** A worker's own side: to post, and to be told of messages. */
export const parent = {
  post: isWeb ? (value, transfer) => globalThis.postMessage(value, transfer) : (value, transfer) => node.parentPort.postMessage(value, transfer),
  /** @param {(value: any) => void} receive */
  set receive(receive) {
    if (isWeb) globalThis.onmessage = ({ data }) => receive(data);
    else node.parentPort.on('message', receive);
  },
};

/** Ends the program, whatever still runs. */
export async function finish() {
  const { exit } = await import('node:process');
  exit(0);
}
