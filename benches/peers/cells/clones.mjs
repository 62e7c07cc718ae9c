// structuredClone.
import { measure } from '../lib/measure.mjs';
import { finish } from '../lib/runtime.mjs';
import { values } from '../lib/values.mjs';

const objects = Array.from({ length: 1000 }, (_, id) => ({ id, name: `item ${id}`, done: id % 2 === 0 }));
const session = values.session();
const clone = (cell, value) => measure(`structuredClone of ${cell}`, (count) => {
  for (let i = 0; i < count; i++) structuredClone(value);
});
await clone("{ foo: 'bar' }", { foo: 'bar' });
await clone('a session', session);
await clone('1,000 small objects', objects);
await measure('structuredClone with transfer of a typed array', (count) => {
  for (let i = 0; i < count; i++) {
    const array = new Uint8Array(64);
    structuredClone(array, { transfer: [array.buffer] });
  }
});
await finish();
