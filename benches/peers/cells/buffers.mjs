// Buffers: handed over and back, and sent without a transfer and acknowledged.
import { measure } from '../lib/measure.mjs';
import { finish, Peer } from '../lib/runtime.mjs';

const SIZES = { '1 KiB': 1 << 10, '16 KiB': 16 << 10, '256 KiB': 256 << 10, '4 MiB': 4 << 20, '64 MiB': 64 << 20 };
const [echo, receiver] = [new Peer('echo'), new Peer('echo_copy')];
for (const [name, size] of Object.entries(SIZES)) {
  let buffer = new ArrayBuffer(size);
  new Uint8Array(buffer).fill(1);
  await measure(`transfer and back ${name}`, async (count) => {
    for (let i = 0; i < count; i++) {
      const back = echo.next();
      echo.post(buffer, [buffer]);
      buffer = await back;
    }
  }, 2);
  await measure(`send a copy ${name}`, async (count) => {
    for (let i = 0; i < count; i++) {
      const answer = receiver.next();
      receiver.post(buffer);
      await answer;
    }
  }, 2);
  await measure(`structuredClone of a buffer ${name}`, (count) => {
    for (let i = 0; i < count; i++) structuredClone(buffer);
  }, 2);
}
await finish();
