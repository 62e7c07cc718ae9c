// Takes the finished pixels, which are transferred to it, and gives the PNG file back the same way.
import { encodePng } from './png/encode.mjs';

self.onmessage = async ({ data }) => {
  try {
    const file = await encodePng(data);
    self.postMessage(file, [file.buffer]);
  } catch (error) {
    // A rejection stays in this worker; only an error thrown outside promises reaches its owner.
    self.postMessage(error);
  }
};
