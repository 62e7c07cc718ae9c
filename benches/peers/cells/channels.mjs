// Channels within one thread, and what it costs to make one.
import { measure } from '../lib/measure.mjs';
import { finish } from '../lib/runtime.mjs';
import { values } from '../lib/values.mjs';

const { port1, port2 } = new MessageChannel();
for (const name of ['int32', 'string 64', 'flat object']) {
  const value = values[name]();
  await measure(`channel in a thread ${name}`, (count) => new Promise((resolve) => {
    let left = count;
    port2.onmessage = () => {
      if (--left === 0) resolve();
    };
    for (let i = 0; i < count; i++) port1.postMessage(value);
  }), 64);
}
port1.close();

let kept;
await measure('new MessageChannel()', (count) => {
  for (let i = 0; i < count; i++) kept = new MessageChannel();
}, 64);
kept.port1.close();
await finish();
