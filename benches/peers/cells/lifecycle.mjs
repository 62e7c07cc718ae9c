// Starting workers, their memory, and waking ones that sleep.
import { memoryUsage } from 'node:process';
import { measure, tell } from '../lib/measure.mjs';
import { finish, Peer } from '../lib/runtime.mjs';

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

await measure('worker start to first message', async (count) => {
  for (let i = 0; i < count; i++) {
    const peer = new Peer('ready');
    await peer.next();
    await peer.end();
  }
}, 1);

// A runtime that keeps something ready for the next worker has had the time for it.
const starts = [];
for (let i = 0; i < 20; i++) {
  await sleep(20);
  const begin = performance.now();
  const peer = new Peer('ready');
  await peer.next();
  starts.push(performance.now() - begin);
  await peer.end();
}
tell('worker start to first message after a pause', starts.sort((a, b) => a - b)[starts.length >> 1] * 1e6);

// Both sides have slept for longer than any of them spins.
const echo = new Peer('ready');
await echo.next();
const times = [];
for (let i = 0; i < 40; i++) {
  await sleep(5);
  const begin = performance.now();
  const back = echo.next();
  echo.post(i);
  await back;
  times.push(performance.now() - begin);
}
tell('ping-pong after sleep', times.sort((a, b) => a - b)[times.length >> 1] * 1e6);

const WORKERS = 50;
const before = memoryUsage().rss;
const peers = [];
for (let i = 0; i < WORKERS; i++) {
  const peer = new Peer('ready');
  await peer.next();
  peers.push(peer);
}
await sleep(100);
tell('memory of an idle worker, bytes', (memoryUsage().rss - before) / WORKERS);
await finish();
