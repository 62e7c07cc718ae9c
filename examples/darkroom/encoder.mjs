/**
 * Encodes a picture on a worker of its own. Its pixels are handed over, not copied: `pixels` is
 * detached here afterwards.
 * @param {{ width: number, height: number, pixels: Uint8Array, grey: boolean, kept: object[] }} picture
 * @returns {Promise<Uint8Array>} the PNG file
 */
export async function encodeOnWorker(picture) {
  const url = new URL('./encoder-worker.mjs', import.meta.url);
  const worker = new Worker(url, { type: 'module', name: 'encoder' });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data instanceof Error ? reject(data) : resolve(data));
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(`encoder worker: ${event.message}`));
      };
      worker.postMessage(picture, [picture.pixels.buffer]);
    });
  } finally {
    worker.terminate();
  }
}
