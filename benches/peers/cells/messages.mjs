// Ping-pong, and one way in both directions, of every kind of value.
import { measure } from '../lib/measure.mjs';
import { finish, Peer } from '../lib/runtime.mjs';
import { values } from '../lib/values.mjs';

const [echo, sink, source] = ['echo', 'sink', 'source'].map((name) => new Peer(name));

for (const [name, make] of Object.entries(values)) {
  const value = make();
  await measure(`ping-pong ${name}`, (count) => new Promise((resolve) => {
    let left = count;
    echo.receive = () => {
      if (--left === 0) resolve();
      else echo.post(value);
    };
    echo.post(value);
  }));
  await measure(`to worker ${name}`, (count) => {
    const done = sink.next();
    sink.post({ expect: count });
    for (let i = 0; i < count; i++) sink.post(value);
    return done;
  }, 64);
  await measure(`from worker ${name}`, (count) => new Promise((resolve) => {
    let left = count;
    source.receive = () => {
      if (--left === 0) resolve();
    };
    source.post({ name, count });
  }), 64);
}
await finish();
