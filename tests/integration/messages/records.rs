//! Plain objects and arrays travel in a lane's slots, and nobody can tell: what arrives is what V8's serialiser would have carried.

use super::plain_values::TWO_WAYS;
use super::*;

/// `through(value)` is the value after it went to another worker and back, over lanes of its own. `sendAgain(make)` sends what `make` makes until its shape
/// is known to both lanes.
const ECHO: &str = r"
const start = (code) => new Worker(`data:text/javascript,${encodeURIComponent(code)}`, { type: 'module' });
const echo = start(`self.onmessage = ({ data }) => postMessage(data);`);
const waiting = [];
echo.onmessage = ({ data }) => waiting.shift()(data);
const through = (value) => new Promise((resolve) => { echo.postMessage(value); waiting.push(resolve); });
const sendAgain = async (make) => { for (let i = 0; i < 40; i++) await through(make()); };
const agreeThrough = async (make, what) => {
  for (let round = 0; round < 4; round++) {
    let fast, slow;
    try { fast = describeAll(await through(make())); } catch (error) { fast = error.name; }
    try { slow = describeAll(serialized(make())); } catch (error) { slow = error.name; }
    if (fast !== slow) throw new Error(`${what}, round ${round}: ${fast}, but V8 says ${slow}`);
  }
};
";

#[track_caller]
fn passes_through_lanes(script: &str) {
    let prelude = format!("{TWO_WAYS}{ECHO}").replace('\n', " ");
    passes(&format!("{prelude}{script} echo.terminate();"));
}

#[test]
fn generated_values_arrive_as_v8_serialises_them() {
    passes_through_lanes(
        r"
        let seed = 99;
        const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
        const names = ['a', 'b', 'id', 'name', '', 'x y', '語', '\ud800', '0', '7', '-1', '4294967295', 'constructor', 'toString', '\u2028', '`'];
        const leaf = () => [() => random(1000), () => -random(1000), () => -0, () => 2 ** 27, () => -(2 ** 27) - 1, () => 2 ** 31, () => -(2 ** 31), () => random(1000) / 8, () => NaN,
          () => 'text' + random(9), () => '', () => 'ÿ'.repeat(random(9)), () => '語'.repeat(random(7)), () => '\udc00', () => 'long '.repeat(random(90)), () => true, () => false,
          () => null, () => undefined, () => 2n ** 70n, () => new Date(random(9)), () => new Map([[1, {}]]), () => new Error('e').message][random(random(20) === 0 ? 23 : 19)]();
        let shared;
        const value = (depth) => {
          const kind = random(depth > 3 ? 1 : 4);
          if (kind === 1) { const object = {}; for (let n = random(5); n > 0; n--) object[names[random(names.length)]] = value(depth + 1); if (random(12) === 0) delete object.a; if (random(30) === 0) Object.freeze(object); if (random(8) === 0) shared = object; return object; }
          if (kind === 2) { const array = []; for (let n = random(6); n > 0; n--) array.push(value(depth + 1)); if (random(12) === 0) array.length += 2; if (random(12) === 0) array.extra = 1; return array; }
          if (kind === 3 && random(6) === 0 && shared !== undefined) return shared;
          if (kind === 3) return { id: random(9), name: leaf(), inner: random(3) === 0 ? { flag: true, list: [1, 2, random(2) ? 0.5 : 3] } : null };
          return leaf();
        };
        for (let batch = 0; batch < 40; batch++) {
          const values = Array.from({ length: 200 }, () => { shared = undefined; return value(0); });
          const back = await Promise.all(values.map(through));
          for (let i = 0; i < 200; i++) if (describeAll(back[i]) !== describeAll(serialized(values[i]))) throw new Error(`value ${batch * 200 + i}: ${describeAll(back[i])}, but V8 says ${describeAll(serialized(values[i]))}`);
        }
        ",
    );
}

#[test]
fn what_only_looks_like_a_record_is_told_apart() {
    passes_through_lanes(
        r"
        const make = () => ({ a: 1, b: { c: 2 } });
        await sendAgain(make); await sendAgain(() => [[1, 2], [0.5], ['x', {}]]);
        for (const [what, like] of Object.entries({
          'the shape itself': make,
          'a getter': () => Object.defineProperty(make(), 'a', { get: () => 5, enumerable: true }),
          'a hidden property': () => Object.defineProperty(make(), 'a', { enumerable: false }),
          'frozen': () => Object.freeze(make()),
          'elements': () => Object.assign(make(), { 0: 'element', 5: {} }),
          'a symbol': () => Object.assign(make(), { [Symbol('s')]: 1 }),
          'no prototype': () => Object.setPrototypeOf(make(), null),
          'a prototype of its own': () => Object.setPrototypeOf(make(), { inherited: 1 }),
          'a class': () => new (class { a = 1; b = { c: 2 }; })(),
          'dictionary mode': () => { const object = make(); delete object.a; object.a = 3; return object; },
          'a map in disguise': () => Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype),
          'a proxy': () => new Proxy(make(), {}),
          'a proxy inside': () => ({ a: 1, b: new Proxy(make(), {}) }),
          'a function': () => ({ a: 1, b: () => {} }),
          'a symbol for a value': () => ({ a: Symbol('s'), b: 1 }),
          'a port': () => ({ a: 1, b: new MessageChannel().port1 }),
          'a property named __proto__': () => ({ ['__proto__']: 1, a: 2 }),
          'a hole': () => [1, , 3],
          'holes that were filled': () => { const array = new Array(3); array[0] = 1; array[1] = 'x'; array[2] = { a: 1 }; return array; },
          'holes of which one was filled': () => { const array = new Array(3); array[1] = 1; return array; },
          'a named property of an array': () => Object.assign([1, 2], { extra: true }),
          'a subclass of Array': () => new (class extends Array {})(1, 2),
          'an element with a getter': () => Object.defineProperty([1, 2], 0, { get: () => 'from a getter', enumerable: true }),
          'one object in several places': () => { const inner = { c: 1 }; return { a: inner, b: [inner, [inner]] }; },
          'a cycle': () => { const object = { a: 1, b: null }; object.b = object; return object; },
          'a bigint inside': () => ({ a: 5n, b: { c: 2 } }),
        })) { if (like().b?.b === undefined || what === 'a cycle') { for (let i = 0; i < 20; i++) { try { await through(like()); } catch {} } } await agreeThrough(like, what); }
        ",
    );
}

#[test]
fn records_as_long_as_they_may_be_and_longer_arrive() {
    passes_through_lanes(
        r"
        for (let length = 0; length < 100; length++) {
          await agreeThrough(() => Array.from({ length }, (_, i) => i), `${length} integers`);
          await agreeThrough(() => Array.from({ length }, (_, i) => i + 0.5), `${length} doubles`);
          await agreeThrough(() => Array.from({ length }, () => 2 ** 30), `${length} large integers`);
          await agreeThrough(() => ({ text: 'a'.repeat(length * 4), after: length }), `${length * 4} units`);
          await agreeThrough(() => ({ text: '語'.repeat(length * 2), after: length }), `${length * 2} units of two bytes`);
          await agreeThrough(() => { let deep = length; for (let i = 0; i < length; i++) deep = { deep }; return deep; }, `${length} levels`);
        }
        ",
    );
}

#[test]
fn more_shapes_than_a_lane_takes_arrive() {
    passes_through_lanes(
        r"
        for (let round = 0; round < 3; round++) {
          for (let i = 0; i < 400; i++) {
            const back = await through({ [`key${i}`]: i, inner: { [`other${i % 7}`]: round } });
            same(back, { [`key${i}`]: i, inner: { [`other${i % 7}`]: round } }, `shape ${i}`);
          }
        }
        const wide = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`${'k'.repeat(40)}${i}`, i]));
        for (const n of [10, 20, 30, 60, 120]) await agreeThrough(() => wide(n), `${n} long keys`);
        ",
    );
}

#[test]
fn nothing_of_a_script_runs_while_a_record_is_written_or_read() {
    passes_through_lanes(
        r"
        const filled = new Array(2);
        filled[0] = 1;
        filled[1] = 'x';
        const make = () => ({ a: 1, list: [{ b: 2 }, 0.5, 'x'], ['__proto__']: 3, filled });
        const poison = `
          let calls = 0;
          const bad = { __proto__: null, get() { calls++; return 7; }, set() { calls++; }, configurable: true, enumerable: true };
          const hooks = ['a', 'b', 'list', 'length', 'inherited', '0', '1', '2', '3', 'get', 'set', 'value', 'read'];
          const poison = () => { for (let i = 0; i < hooks.length; i++) Object.defineProperty(Object.prototype, hooks[i], bad); Object.defineProperty(Array.prototype, '0', bad); };
          const heal = () => { delete Array.prototype[0]; for (let i = 0; i < hooks.length; i++) delete Object.prototype[hooks[i]]; };
        `;
        const worker = start(poison + `
          poison();
          self.onmessage = ({ data }) => postMessage(typeof data === 'object' ? data : calls);
        `);
        const received = [];
        let woken = () => {};
        worker.onmessage = ({ data }) => { received[received.length] = data; woken(); };
        const until = async (count) => { while (received.length < count) await new Promise((resolve) => { woken = resolve; }); };
        for (let i = 0; i < 60; i++) worker.postMessage(make());
        worker.postMessage('how often?');
        await until(61);
        same(received[60], 0, 'calls in the worker');
        for (let i = 0; i < 60; i++) if (describeAll(received[i]) !== describeAll(make())) throw new Error(`message ${i}: ${describeAll(received[i])}`);
        worker.terminate();

        const counted = new Function(`${poison} return { poison, heal, calls: () => calls };`)();
        await sendAgain(make);
        const made = make(), fresh = { other: [1, { shape: 2 }] };
        counted.poison();
        try { for (let i = 0; i < 20; i++) { echo.postMessage(made); echo.postMessage(fresh); } } finally { counted.heal(); }
        same(counted.calls(), 0, 'calls of the sender');
        const backs = await Promise.all(Array.from({ length: 40 }, () => new Promise((resolve) => { waiting.push(resolve); })));
        for (let i = 0; i < 40; i += 2) { if (describeAll(backs[i]) !== describeAll(make())) throw new Error(`poisoned ${i}: ${describeAll(backs[i])}`); same(backs[i + 1], fresh, `fresh ${i}`); }
        ",
    );
}

#[test]
fn records_keep_their_shapes_when_their_port_moves_between_workers() {
    passes_through_lanes(
        r"
        // Each worker takes some messages of the port, and hands it on; shapes are defined before, between and after the moves.
        const hop = `self.onmessage = ({ data: { port, count } }) => {
          const got = [];
          port.onmessage = ({ data }) => {
            got.push(data);
            if (got.length < count) return;
            port.onmessage = null;
            postMessage({ got, port }, [port]);
          };
        };`;
        const workers = Array.from({ length: 2 }, () => start(hop));
        const { port1, port2 } = new MessageChannel();
        const make = (i) => ({ number: i, [`key${i >> 5}`]: { text: `text ${i}`, list: [i, i + 0.5, null] } });
        let sent = 0, seen = 0, port = port2;
        for (let move = 0; move < 12; move++) {
          const count = 50;
          for (let i = 0; i < count; i++) port1.postMessage(make(sent++));
          const worker = workers[move % 2];
          const answer = new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
          worker.postMessage({ port, count }, [port]);
          const { got, port: back } = await answer;
          for (const data of got) same(data, make(seen), `message ${seen++}`);
          port = back;
        }
        same(seen, sent, 'messages');
        port1.close();
        for (const worker of workers) worker.terminate();
        ",
    );
}
