//! Messages between scripts: ports, workers, transfer and structured clone. The scripts check themselves.

use crate::support::{passes, prints};

/// Values of every kind that a slot or a parcel carries, made anew at each call.
const KINDS: &str = r"
const kinds = () => [
  0, -0, 1, -7, 2 ** 31, 0.1, NaN, -Infinity, 2 ** 53,
  undefined, null, true, false,
  0n, -1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, -(2n ** 200n),
  '', 'a', 'ÿ', '語', '😀', '\0', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(127), 'a'.repeat(128), 'a'.repeat(129), '語'.repeat(500),
  'lone \ud800', '\udc00'.repeat(300),
  {}, { a: 1, b: { c: [] } }, [], [1, [2, [3]]], [undefined, null],
  new Date(0), new Date(NaN), /a\/b/giu, new Map([[{}, 1], ['k', new Set([1])]]), new Set([[]]),
  new Number(-0), new String('s'), new Boolean(false), Object(5n),
  new ArrayBuffer(0), Uint8Array.of(1, 2, 3).buffer, new Uint8Array(20000).fill(7), new Float64Array([NaN, -0]), new BigInt64Array([-1n]),
  new Uint8ClampedArray([300]), new DataView(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2), new Uint16Array(Uint8Array.of(1, 2, 3, 4, 5, 6).buffer, 2, 2),
  new Error('plain'), new TypeError('typed'), new RangeError('caused', { cause: 'by this' }),
];";

#[track_caller]
fn passes_with_kinds(script: &str) {
    passes(&format!("{}{script}", KINDS.replace('\n', " ")));
}

#[test]
fn every_kind_of_value_crosses_a_channel_within_a_thread_in_order() {
    passes_with_kinds(
        r"
        const { port1, port2 } = new MessageChannel();
        for (const value of kinds()) port1.postMessage(value);
        const received = [];
        await new Promise((resolve) => {
          port2.onmessage = ({ data }) => { received.push(data); if (received.length === kinds().length) resolve(); };
        });
        kinds().forEach((value, i) => same(received[i], value, `message ${i}`));
        port1.close();
        ",
    );
}

#[test]
fn every_kind_of_value_crosses_threads_in_order() {
    passes_with_kinds(
        r"
        const worker = startWorker(() => { onmessage = ({ data }) => postMessage(data); });
        for (const value of kinds()) worker.postMessage(value);
        const received = [];
        await new Promise((resolve) => {
          worker.onmessage = ({ data }) => { received.push(data); if (received.length === kinds().length) resolve(); };
        });
        kinds().forEach((value, i) => same(received[i], value, `message ${i}`));
        worker.terminate();
        ",
    );
}

#[test]
fn structured_clone_copies_every_kind_of_value() {
    passes_with_kinds(
        r"
        for (const value of kinds()) {
          same(structuredClone(value), value, 'the clone');
          ok(typeof value !== 'object' || value === null || structuredClone(value) !== value, 'a copy');
        }
        const cycle = { list: [] }; cycle.self = cycle; cycle.list.push(cycle.list);
        const copy = structuredClone(cycle);
        ok(copy.self === copy && copy.list[0] === copy.list && copy !== cycle, 'identity within the value is kept');
        const sparse = [1, , 3]; sparse.extra = 'x';
        const hole = structuredClone(sparse);
        ok(!(1 in hole) && hole.length === 3 && hole.extra === 'x', 'holes and extra properties are kept');
        class Point { x = 1; #hidden = 2; get y() { return 3; } }
        const point = structuredClone(new Point());
        ok(point.constructor === Object && point.x === 1 && !('y' in point), 'a class instance becomes a plain object of its own properties');
        same(structuredClone({ get x() { return 5; } }), { x: 5 }, 'getters are read');
        const error = structuredClone(new RangeError('m', { cause: { a: 1 } }));
        ok(error instanceof RangeError && error.stack.includes('RangeError: m') && error.cause.a === 1, 'errors keep class, stack and cause');
        same(Object.getPrototypeOf(structuredClone(Object.create(null))) === Object.prototype, true, 'prototype');
        ",
    );
}

#[test]
fn a_port_keeps_its_order_while_it_moves_between_threads() {
    // Messages 0 to 19,999 of mixed kinds go into one end; the other end is moved twice while they come: to the first worker, which reads a
    // part, and through the main thread to the second. Each reader knows the number that must come next.
    passes(
        r"
        const COUNT = 20_000;
        const wrap = (i) => {
          switch (i % 8) {
            case 0: return i;
            case 1: return String(i);
            case 2: return BigInt(i);
            case 3: return { i };
            case 4: return `${i}`.padStart(200, ' ');
            case 5: return Int32Array.of(i).buffer;
            case 6: return new Float64Array(3000).fill(i);
            default: return i + 0.5;
          }
        };
        const reader = `
          const unwrap = (v) => {
            if (typeof v === 'object') return v instanceof ArrayBuffer ? new Int32Array(v)[0] : ArrayBuffer.isView(v) ? v[2999] : v.i;
            return Math.floor(Number(v));
          };
          onmessage = ({ data: { port, expected, until } }) => {
            port.onmessage = ({ data }) => {
              if (unwrap(data) !== expected) throw new Error('message ' + unwrap(data) + ' instead of ' + expected);
              if (++expected === until) postMessage({ port, expected }, [port]);
            };
          };`;
        const [first, second] = [startWorker(reader), startWorker(reader)];
        const { port1, port2 } = new MessageChannel();
        let i = 0;
        const post = (until) => { for (; i < until; i++) port1.postMessage(wrap(i)); };
        post(5_000);
        first.postMessage({ port: port2, expected: 0, until: 7_000 }, [port2]);
        post(12_000);
        const one = (await next(first)).data;
        same(one.expected, 7_000, 'the first reader hands on');
        post(13_000);
        second.postMessage({ ...one, until: COUNT }, [one.port]);
        while (i < COUNT) { post(i + 500); await new Promise((resolve) => setTimeout(resolve)); }
        const two = (await next(second)).data;
        same(two.expected, COUNT, 'the second reader has the rest');
        port1.postMessage('home');
        same((await next(two.port)).data, 'home', 'and the port works where it comes home to');
        first.terminate(); second.terminate(); port1.close();
        ",
    );
}

#[test]
fn both_ends_of_a_channel_may_leave_their_thread() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        port1.postMessage('posted before both left');
        const maker = startWorker(() => { onmessage = ({ data: port }) => { for (let i = 0; i < 3000; i++) port.postMessage(i); port.close(); }; });
        const adder = startWorker(() => {
          onmessage = ({ ports: [port] }) => {
            const seen = [];
            port.onmessage = ({ data }) => seen.push(data);
            port.onclose = () => postMessage(seen);
          };
        });
        adder.postMessage(null, [port2]);
        maker.postMessage(port1, [port1]);
        same((await next(adder)).data, ['posted before both left', ...Array(3000).keys()], 'messages');
        maker.terminate(); adder.terminate();
        ",
    );
}

#[test]
fn a_ring_grows_while_its_reader_is_blocked() {
    passes(
        r"
        const COUNT = 100_000;
        const gate = new Int32Array(new SharedArrayBuffer(4));
        const worker = startWorker(`
          let expected = 0;
          onmessage = ({ data }) => {
            if (data instanceof Int32Array) { postMessage('blocked'); Atomics.wait(data, 0, 0); return; }
            const value = typeof data === 'object' ? data.i : Number(data);
            if (value !== expected) throw new Error(value + ' instead of ' + expected);
            if (++expected === ${COUNT}) postMessage(expected);
          };`);
        worker.postMessage(gate);
        same((await next(worker)).data, 'blocked', 'the reader stands still');
        for (let i = 0; i < COUNT; i++) worker.postMessage(i % 100 === 0 ? { i } : i % 3 === 0 ? String(i) : i);
        Atomics.store(gate, 0, 1);
        Atomics.notify(gate, 0);
        same((await next(worker)).data, COUNT, 'all arrive in order');
        worker.terminate();
        ",
    );
}

#[test]
fn close_is_the_last_message() {
    passes(
        r"
        const listen = `
          const seen = [];
          onmessage = ({ data: port }) => {
            port.onmessage = ({ data }) => seen.push(data);
            port.onclose = () => postMessage(seen);
          };`;
        const worker = startWorker(listen);
        const { port1, port2 } = new MessageChannel();
        worker.postMessage(port2, [port2]);
        for (let i = 0; i < 5000; i++) port1.postMessage(i % 5 ? i : [i]);
        port1.close();
        same((await next(worker)).data, Array.from({ length: 5000 }, (_, i) => i % 5 ? i : [i]), 'across threads');
        worker.terminate();

        const local = new MessageChannel();
        const seen = [];
        local.port2.onmessage = ({ data }) => seen.push(data);
        const closed = next(local.port2, 'close');
        local.port1.postMessage(1); local.port1.postMessage({ a: 2 }); local.port1.close();
        local.port1.postMessage('after close');
        await closed;
        same(seen, [1, { a: 2 }], 'within a thread');

        const early = new MessageChannel();
        early.port1.postMessage('waits'); early.port1.close();
        const moved = startWorker(listen);
        moved.postMessage(early.port2, [early.port2]);
        same((await next(moved)).data, ['waits'], 'a port that moves after its other end closed');
        moved.terminate();
        ",
    );
}

#[test]
fn the_end_of_a_thread_closes_its_ports() {
    passes(
        r"
        for (const end of ['close()', 'for (;;)', 'throw new Error(`expected`)']) {
          const { port1, port2 } = new MessageChannel();
          const worker = startWorker(`onmessage = ({ data }) => { data.postMessage('last'); ${end}; };`);
          worker.onerror = (event) => { event.preventDefault(); worker.terminate(); };
          worker.postMessage(port2, [port2]);
          const seen = [];
          port1.onmessage = ({ data }) => { seen.push(data); if (end.startsWith('for')) worker.terminate(); };
          await next(port1, 'close');
          same(seen, ['last'], end);
        }
        ",
    );
}

#[test]
fn a_handler_that_throws_does_not_stop_the_others() {
    prints(
        r"
        const worker = startWorker(() => {
          const failed = [];
          const seen = [];
          addEventListener('error', (event) => { event.preventDefault(); failed.push(event.error.message); });
          onmessage = ({ data }) => {
            seen.push(data);
            if (data === 'end') postMessage({ seen, failed });
            else if (data % 3 === 0) throw new Error(`at ${data}`);
          };
        });
        for (let i = 0; i < 10; i++) worker.postMessage(i);
        worker.postMessage('end');
        const { seen, failed } = (await next(worker)).data;
        console.log(seen.join());
        console.log(failed.join());
        worker.terminate();

        const { port1, port2 } = new MessageChannel();
        addEventListener('error', (event) => { event.preventDefault(); console.log('error', event.error.message); });
        let resolve;
        const done = new Promise((r) => resolve = r);
        port2.onmessage = ({ data }) => { if (data === 3) resolve(); throw new Error(data); };
        port2.addEventListener('message', ({ data }) => console.log('second listener', data));
        for (let i = 1; i <= 3; i++) port1.postMessage(i);
        await done;
        port1.close();
        ",
        "
        0,1,2,3,4,5,6,7,8,9,end
        at 0,at 3,at 6,at 9
        error 1
        second listener 1
        error 2
        second listener 2
        error 3
        second listener 3
        ",
    );
}

#[test]
fn microtasks_run_between_messages() {
    prints(
        r"
        const code = `
          const log = [];
          const listen = (port, done) => port.onmessage = ({ data }) => {
            log.push('message ' + data);
            queueMicrotask(() => { log.push('microtask ' + data); Promise.resolve().then(() => { log.push('its own ' + data); if (data === 3) done(log); }); });
          };`;
        const worker = startWorker(code + `listen(self, postMessage);`);
        for (let i = 1; i <= 3; i++) worker.postMessage(i);
        for (const line of (await next(worker)).data) console.log(line);
        worker.terminate();
        const { port1, port2 } = new MessageChannel();
        for (let i = 1; i <= 3; i++) port1.postMessage(i);
        const log = await new Promise((resolve) => new Function('port', 'done', code + 'listen(port, done)')(port2, resolve));
        console.log(log.length, log[1], log[3]);
        port1.close();
        ",
        "
        message 1
        microtask 1
        its own 1
        message 2
        microtask 2
        its own 2
        message 3
        microtask 3
        its own 3
        9 microtask 1 message 2
        ",
    );
}

#[test]
fn a_flood_of_messages_does_not_starve_timers_and_other_ports() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const other = new MessageChannel();
        let stop = false, rounds = 0;
        port2.onmessage = () => { rounds++; if (!stop) port1.postMessage(rounds); };
        for (let i = 0; i < 100; i++) port1.postMessage(0);
        await new Promise((resolve) => setTimeout(resolve, 5));
        other.port1.postMessage('through');
        same((await next(other.port2)).data, 'through', 'another port');
        const worker = startWorker(() => { onmessage = ({ data }) => { for (let i = 0; i < 10; i++) postMessage(data); }; });
        let answers = 0;
        worker.onmessage = () => { answers++; if (!stop) worker.postMessage(0); };
        worker.postMessage(0);
        await new Promise((resolve) => setTimeout(resolve, 20));
        stop = true;
        ok(rounds > 0 && answers >= 0, 'messages went on meanwhile');
        worker.terminate(); port1.close(); other.port1.close();
        ",
    );
}

#[test]
fn a_transfer_detaches_the_sender_s_buffer() {
    passes(
        r"
        const worker = startWorker(() => { onmessage = ({ data }) => { const b = data.buffer ?? data; postMessage(data, [b]); }; });
        for (const size of [0, 1, 100, 16384, 1 << 20]) {
          const sent = Uint8Array.from({ length: size }, (_, i) => i);
          worker.postMessage(sent, [sent.buffer]);
          ok(sent.buffer.detached && sent.length === 0, `${size} bytes are detached here`);
          const { data } = await next(worker);
          ok(data instanceof Uint8Array && data.length === size && data.every((byte, i) => byte === (i & 255)), `${size} bytes come back`);
        }
        const options = new Uint8Array(8);
        worker.postMessage(options, { transfer: [options.buffer] });
        ok(options.buffer.detached, 'the list may be in an options object');
        await next(worker);
        const unused = new ArrayBuffer(8);
        const copied = structuredClone('nothing of it', { transfer: [unused] });
        ok(unused.detached && copied === 'nothing of it', 'what is in the list alone is detached too');
        const resizable = new ArrayBuffer(8, { maxByteLength: 64 });
        const moved = structuredClone(resizable, { transfer: [resizable] });
        ok(moved.resizable && moved.maxByteLength === 64 && moved.byteLength === 8, 'a resizable buffer stays resizable');
        worker.terminate();
        ",
    );
}

#[test]
fn a_send_that_fails_detaches_nothing() {
    passes(
        r"
        const fails = (what, message, list) => {
          const { port1, port2 } = new MessageChannel();
          const buffer = new ArrayBuffer(100_000), moving = new MessageChannel().port1;
          throws(() => port1.postMessage(message(buffer, port1), list(buffer, moving, port1)), 'DataCloneError', what);
          ok(!buffer.detached && buffer.byteLength === 100_000, `${what}: the buffer stays`);
          throws(() => structuredClone(message(buffer, port1), { transfer: list(buffer, moving, port1) }), 'DataCloneError', `${what}, structuredClone`);
          ok(!buffer.detached, `${what}: structuredClone leaves the buffer`);
          const copy = structuredClone(moving, { transfer: [moving] });
          ok(copy instanceof MessagePort, `${what}: the port stays`);
          port1.postMessage('still works');
          ok(true, what);
          port1.close(); copy.close();
        };
        const detached = new ArrayBuffer(8), view = new Uint8Array(detached);
        structuredClone(detached, { transfer: [detached] });
        fails('a function in the message', (buffer) => ({ buffer, f() {} }), (buffer, moving) => [buffer, moving]);
        fails('a buffer twice in the list', (buffer) => buffer, (buffer, moving) => [buffer, moving, buffer]);
        fails('a detached buffer in the list', (buffer) => buffer, (buffer, moving) => [buffer, moving, detached]);
        fails('a plain object in the list', (buffer) => buffer, (buffer, moving) => [buffer, moving, {}]);
        fails('shared memory in the list', (buffer) => buffer, (buffer, moving) => [buffer, moving, new SharedArrayBuffer(8)]);
        fails('a detached view in the message', (buffer) => [buffer, view], (buffer, moving) => [buffer, moving]);
        fails('a wasm memory in the list', (buffer) => buffer, (buffer, moving) => [buffer, moving, new WebAssembly.Memory({ initial: 1 }).buffer]);

        const { port1, port2 } = new MessageChannel();
        throws(() => port1.postMessage(null, [port1]), 'DataCloneError', 'a port through itself');
        const buffer = new ArrayBuffer(8);
        const thrown = throws(() => port1.postMessage({ buffer, get bad() { throw new RangeError('from a getter'); } }, [buffer]), 'RangeError', 'a getter that throws');
        same(thrown.message, 'from a getter', 'the error of the getter');
        ok(!buffer.detached, 'a getter that throws: the buffer stays');
        const late = new ArrayBuffer(8);
        throws(() => port1.postMessage({ get x() { structuredClone(late, { transfer: [late] }); return 1; }, buffer }, [buffer, late]), 'DataCloneError', 'a buffer that a getter detaches');
        ok(!buffer.detached, 'a buffer that a getter detaches: the other stays');
        throws(() => port1.postMessage(1, 5), 'TypeError', 'a list that is a number');
        throws(() => port1.postMessage(1, [1]), 'TypeError', 'a list of numbers');
        throws(() => port1.postMessage(), 'TypeError', 'no message');
        port1.close();
        ",
    );
}

#[test]
fn what_cannot_be_cloned_is_a_data_clone_error() {
    passes(
        r"
        const { port1 } = new MessageChannel();
        const closed = new MessageChannel().port1; closed.close();
        const worker = startWorker(() => { onmessage = () => {}; });
        const cases = {
          'a function': () => {}, 'a class': class {}, 'a symbol': Symbol('s'), 'a WeakMap': new WeakMap(), 'a WeakSet': new WeakSet(),
          'a WeakRef': new WeakRef({}), 'a promise': Promise.resolve(), 'a proxy': new Proxy({}, {}), 'a generator': (function* () {})(),
          'a port without transfer': port1, 'an event': new Event('x'), 'a wasm memory': new WebAssembly.Memory({ initial: 1 }),
          'globalThis': globalThis, 'an AbortSignal': new AbortController().signal, 'a Worker': worker, 'a URL': new URL('a:b'), 'a TextEncoder': new TextEncoder(),
        };
        for (const [what, value] of Object.entries(cases)) {
          for (const nested of [value, { deep: [value] }, new Map([[1, value]])]) {
            for (const send of [(v) => structuredClone(v), (v) => port1.postMessage(v), (v) => worker.postMessage(v)]) {
              const error = throws(() => send(nested), 'DataCloneError', what);
              ok(error instanceof DOMException && error.code === 25 && error.message !== '', `${what}: a DOMException with a message`);
            }
          }
        }
        throws(() => structuredClone(closed, { transfer: [closed] }), 'DataCloneError', 'a closed port in the list');
        const moved = new MessageChannel().port1;
        structuredClone(moved, { transfer: [moved] }).close();
        throws(() => structuredClone(moved, { transfer: [moved] }), 'DataCloneError', 'a port that was moved');
        worker.terminate(); port1.close();
        ",
    );
}

#[test]
fn a_large_buffer_that_is_not_transferred_is_copied_and_stays_here() {
    passes(
        r"
        const worker = startWorker(() => { onmessage = ({ data }) => { postMessage(data); }; });
        for (const size of [16383, 16384, 16385, 1 << 20]) {
          const sent = Uint8Array.from({ length: size }, (_, i) => i * 7);
          worker.postMessage(sent.buffer);
          ok(!sent.buffer.detached && sent.length === size, `${size} bytes stay attached`);
          const before = sent.slice();
          sent.fill(0);
          const data = new Uint8Array((await next(worker)).data);
          ok(data.length === size && data.every((byte, i) => byte === before[i]), `${size} bytes arrive as they were when they were posted`);
        }
        worker.terminate();
        ",
    );
}

#[test]
fn views_of_one_buffer_are_views_of_one_buffer_after_it_too() {
    passes(
        r"
        const worker = startWorker(() => {
          onmessage = ({ data }) => {
            const { a, b, buffer, tail } = data;
            a[0] = 99;
            postMessage([a.buffer === b.buffer, b.buffer === buffer, b[0], a.byteOffset, b.byteOffset, b.length, buffer.byteLength, tail.getUint8(0), a.constructor.name]);
          };
        });
        for (const size of [64, 40_000]) {
          const buffer = Uint8Array.from({ length: size }, (_, i) => i).buffer;
          const message = () => ({ a: new Uint8Array(buffer, 8), b: new Uint16Array(buffer, 8, 5), buffer, tail: new DataView(buffer, size - 1) });
          for (const list of [[], [buffer]]) {
            worker.postMessage(message(), list);
            same((await next(worker)).data, [true, true, 99 + 256 * 9, 8, 8, 5, size, (size - 1) & 255, 'Uint8Array'], `${size} bytes, ${list.length ? '' : 'not '}transferred`);
            ok(buffer.detached === (list.length === 1), 'detached only by the list');
          }
        }
        const growing = new Uint8Array(new ArrayBuffer(20_000, { maxByteLength: 40_000 }));
        const copy = structuredClone(growing);
        copy.buffer.resize(30_000);
        same(copy.length, 30_000, 'a view that tracks the length of its buffer still does');
        worker.terminate();
        ",
    );
}

#[test]
fn shared_memory_is_the_same_memory_in_every_worker() {
    passes(
        r"
        const counter = new Int32Array(new SharedArrayBuffer(8));
        const workers = Array.from({ length: 4 }, () => startWorker(() => {
          onmessage = ({ data }) => { for (let i = 0; i < 1000; i++) Atomics.add(data, 0, 1); postMessage(data.buffer instanceof SharedArrayBuffer); };
        }));
        const answers = workers.map((worker) => next(worker));
        for (const worker of workers) worker.postMessage(counter);
        for (const answer of answers) same((await answer).data, true, 'a SharedArrayBuffer');
        same(counter[0], 4000, 'sum');
        const growable = new SharedArrayBuffer(8, { maxByteLength: 64 });
        const worker = startWorker(() => { onmessage = ({ data }) => { data.grow(32); postMessage(data.growable); }; });
        worker.postMessage(growable);
        same((await next(worker)).data, true, 'growable there');
        same(growable.byteLength, 32, 'grown here');
        for (const w of [...workers, worker]) w.terminate();
        ",
    );
}

#[test]
fn a_compiled_module_of_v8_s_crosses_threads() {
    passes(
        r"
        const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11);
        const worker = startWorker(() => { onmessage = ({ data }) => postMessage(new WebAssembly.Instance(data).exports.f()); });
        worker.postMessage(new WebAssembly.Module(bytes));
        same((await next(worker)).data, 42, 'f()');
        const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
        const writer = startWorker(() => { onmessage = ({ data }) => { new Uint8Array(data.buffer)[5] = 6; data.grow(1); postMessage(data instanceof WebAssembly.Memory); }; });
        writer.postMessage(memory);
        same((await next(writer)).data, true, 'a shared memory is a memory there');
        same([new Uint8Array(memory.buffer)[5], memory.buffer.byteLength], [6, 131072], 'and the same one');
        worker.terminate(); writer.terminate();
        ",
    );
}

#[test]
fn a_message_is_visible_at_once() {
    // The reader learns of the message through shared memory and takes it without a turn of its loop.
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const flags = new Int32Array(new SharedArrayBuffer(8));
        const worker = startWorker(() => {
          onmessage = ({ data: { port, flags } }) => {
            const seen = [receiveMessageOnPort(port)];
            for (let round = 0; round < 500; round++) {
              Atomics.store(flags, 0, round + 1); Atomics.notify(flags, 0);
              Atomics.wait(flags, 1, round);
              const received = receiveMessageOnPort(port);
              if (received === undefined) return postMessage(`message ${round} is not there`);
              if (received.message !== round && received.message?.round !== round) return postMessage(`message ${round} is another`);
              if (round % 100 === 0) seen.push(received);
            }
            seen.push(receiveMessageOnPort(port));
            postMessage(seen);
          };
        }, `import { receiveMessageOnPort } from 'node:worker_threads'`);
        worker.postMessage({ port: port2, flags }, [port2]);
        for (let round = 0; round < 500; round++) {
          Atomics.wait(flags, 0, round);
          port1.postMessage(round % 2 ? { round } : round);
          Atomics.store(flags, 1, round + 1); Atomics.notify(flags, 1);
        }
        same((await next(worker)).data, [undefined, ...[0, 100, 200, 300, 400].map((message) => ({ message })), undefined], 'answers');
        worker.terminate(); port1.close();
        ",
    );
}

#[test]
fn web_ports_deliver_nothing_before_they_start() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const seen = [];
        port2.addEventListener('message', ({ data }) => seen.push(data));
        port1.postMessage(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        same(seen, [], 'addEventListener alone does not start');
        port2.start();
        port1.postMessage(2);
        await new Promise((resolve) => port2.addEventListener('message', ({ data }) => { if (data === 2) resolve(); }));
        same(seen, [1, 2], 'start() does, and what waited comes first');
        port2.onmessage = null;
        port1.postMessage(3);
        await next(port2);
        same(seen, [1, 2, 3], 'a started port stays started');
        port1.close();
        ",
    );
}

#[test]
fn node_s_listeners_start_and_pause_a_port() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const seen = [];
        const listener = (value) => seen.push(value);
        port1.postMessage(1);
        port2.on('message', listener);
        await new Promise((resolve) => setTimeout(resolve, 5));
        same(seen, [1], 'on() starts, and listeners get the value');
        port2.off('message', listener);
        port1.postMessage(2);
        await new Promise((resolve) => setTimeout(resolve, 5));
        same(seen, [1], 'without a listener the port pauses');
        const once = new Promise((resolve) => port2.once('message', resolve));
        port1.postMessage(3);
        same(await once, 2, 'and goes on where it stood');
        port1.close();
        ",
    );
}

#[test]
fn message_events_have_the_standard_s_shape() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const extra = new MessageChannel();
        port1.postMessage({ a: 1 }, [extra.port1]);
        const event = await next(port2);
        ok(event instanceof MessageEvent && event.isTrusted && event.type === 'message', 'a trusted MessageEvent');
        same([event.data, event.origin, event.lastEventId, event.source], [{ a: 1 }, '', '', null], 'its attributes');
        ok(event.ports.length === 1 && event.ports[0] instanceof MessagePort && Object.isFrozen(event.ports), 'its ports');
        ok(event.target === port2 && !event.bubbles && !event.cancelable, 'its target');
        event.ports[0].postMessage('through the moved port');
        same((await next(extra.port2)).data, 'through the moved port', 'a moved port works');
        port1.close(); extra.port2.close();
        ",
    );
}

#[test]
fn ports_keep_a_program_alive_only_while_they_listen() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        port2.onmessage = () => {};
        port2.unref();
        new MessageChannel().port1.addEventListener('message', () => {});
        const worker = startWorker(() => { onmessage = () => {}; });
        worker.unref();
        const { setTimeout: later } = await import('node:timers');
        later(() => {}, 2 ** 30).unref();
        ",
    );
}

#[test]
fn errors_of_a_worker_are_events_at_its_maker() {
    passes(
        r"
        const worker = startWorker(`\n\n  throw new RangeError('in the worker');`);
        const event = await new Promise((resolve) => worker.onerror = (event) => { event.preventDefault(); resolve(event); });
        ok(event instanceof ErrorEvent && event.cancelable, 'an ErrorEvent that can be cancelled');
        ok(event.message.includes('in the worker'), event.message);
        same([event.lineno, event.colno], [3, 9], 'the place where the error was made');
        ok(event.filename.startsWith('data:'), event.filename);
        worker.terminate();

        const missing = new Worker('file:///does/not/exist.mjs', { type: 'module' });
        const failed = await new Promise((resolve) => missing.onerror = (event) => { event.preventDefault(); resolve(event); });
        ok(failed.message.includes('exist.mjs'), `a missing script is named: ${failed.message}`);
        throws(() => new Worker('http://['), 'SyntaxError', 'a faulty URL');
        ",
    );
}

#[test]
fn a_worker_s_last_messages_come_before_its_end() {
    passes(
        r"
        for (let round = 0; round < 20; round++) {
          const worker = startWorker(`for (let i = 0; i < 500; i++) postMessage(i);`);
          let count = 0;
          worker.onmessage = ({ data }) => { same(data, count++, 'order'); };
          await next(worker, 'close');
          same(count, 500, 'messages before the close event');
        }
        ",
    );
}

#[test]
fn node_s_workers_speak_through_their_parent_port() {
    passes(
        r"
        const { Worker: NodeWorker, isMainThread, threadId, parentPort, workerData, MessageChannel: Channel } = await import('node:worker_threads');
        same([isMainThread, threadId > -1, parentPort, workerData], [true, true, null, null], 'the main thread');
        ok(Channel === MessageChannel, 'one MessageChannel');
        const bytes = new Uint8Array([1, 2, 3]);
        const worker = new NodeWorker(`
          import { isMainThread, parentPort, threadId, workerData } from 'node:worker_threads';
          import process from 'node:process';
          parentPort.postMessage({ isMainThread, threadId, workerData, argv: process.argv.slice(2) });
          parentPort.once('message', (value) => { parentPort.postMessage(value * 2); process.exitCode = 3; });
        `, { eval: true, workerData: { bytes, map: new Map([[1, 2]]) }, transferList: [bytes.buffer], argv: ['x'] });
        ok(bytes.buffer.detached, 'transferList moves');
        const events = [];
        worker.on('online', () => events.push('online'));
        worker.on('exit', (code) => events.push(`exit ${code}`));
        const first = await new Promise((resolve) => worker.once('message', resolve));
        same(first, { isMainThread: false, threadId: worker.threadId, workerData: { bytes: new Uint8Array([1, 2, 3]), map: new Map([[1, 2]]) }, argv: ['x'] }, 'what the worker sees');
        worker.postMessage(21);
        same(await new Promise((resolve) => worker.once('message', resolve)), 42, 'an answer');
        await new Promise((resolve) => worker.once('exit', resolve));
        same(events, ['online', 'exit 3'], 'events');

        const faulty = new NodeWorker('throw new TypeError(`x`)', { eval: true });
        const [error, code] = await Promise.all([new Promise((r) => faulty.once('error', r)), new Promise((r) => faulty.once('exit', r))]);
        ok(error instanceof TypeError && error.message === 'x' && code === 1, 'an error, then exit code 1');
        ",
    );
}

#[test]
fn messages_sent_to_a_worker_while_it_starts_are_delivered() {
    passes(
        r"
        const worker = startWorker(() => { let n = 0; onmessage = ({ data }) => { if (data !== n++) throw new Error(data); if (n === 1000) postMessage(n); }; });
        for (let i = 0; i < 1000; i++) worker.postMessage(i);
        same((await next(worker)).data, 1000, 'count');
        worker.terminate();
        ",
    );
}

#[test]
fn many_ports_and_many_workers_at_once() {
    passes(
        r"
        const workers = Array.from({ length: 12 }, () => startWorker(() => {
          onmessage = ({ ports }) => { for (const port of ports) port.onmessage = ({ data }) => port.postMessage(data + 1); };
        }));
        const answers = [];
        for (const worker of workers) {
          const channels = Array.from({ length: 20 }, () => new MessageChannel());
          worker.postMessage(null, channels.map(({ port2 }) => port2));
          for (const { port1 } of channels) {
            answers.push(new Promise((resolve) => {
              port1.onmessage = ({ data }) => { if (data >= 40) { port1.close(); resolve(data); } else port1.postMessage(data + 1); };
            }));
            port1.postMessage(0);
          }
        }
        const values = await Promise.all(answers);
        ok(values.length === 240 && values.every((value) => value === 41), `answers: ${new Set(values).size}`);
        for (const worker of workers) worker.terminate();
        ",
    );
}
