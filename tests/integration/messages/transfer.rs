//! Structured clone and transfer: what moves, what is copied, what is refused.

use super::*;

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
          'a port without transfer': port1, 'a port without a prototype': Object.setPrototypeOf(new MessageChannel().port1, null), 'an event': new Event('x'), 'a wasm memory': new WebAssembly.Memory({ initial: 1 }),
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

/// HTML §2.7.3: properties are read in their order, and each is copied when it is read.
#[test]
fn a_clone_holds_what_a_buffer_held_when_it_was_reached() {
    passes(
        r"
        for (const size of [10, 100_000]) {
          const b = new Uint8Array(size);
          same(structuredClone({ get a() { b[0] = 7; return 1; }, b }).b[0], 7, `${size}: a getter before`);
          same(structuredClone({ b, get a() { b[0] = 9; return 1; } }).b[0], 7, `${size}: a getter after`);
          const nested = { deep: { get a() { b[0] = 11; return 1; } }, b };
          same(structuredClone(nested).b[0], 11, `${size}: a getter deep down`);
          const gone = new Uint8Array(size);
          throws(() => structuredClone({ get a() { structuredClone(gone, { transfer: [gone.buffer] }); return 1; }, gone }), 'DataCloneError', `${size}: detached by a getter`);
        }
        ",
    );
}

#[test]
fn a_port_that_a_getter_sends_away_is_not_sent_twice() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const buffer = new ArrayBuffer(8);
        let away;
        throws(() => structuredClone({ get a() { away = structuredClone(port1, { transfer: [port1] }); return 1; }, port1 }, { transfer: [port1, buffer] }), 'DataCloneError', 'sent away');
        same(buffer.byteLength, 8, 'nothing is detached');
        port2.postMessage('to the one that went');
        same((await next(away)).data, 'to the one that went', 'it works where it went');
        away.close();
        const closed = new MessageChannel();
        throws(() => structuredClone({ get a() { closed.port1.close(); return 1; } }, { transfer: [closed.port1] }), 'DataCloneError', 'closed by a getter');
        const error = structuredClone(new QuotaExceededError('m', { quota: 10, requested: 20 }));
        same([error instanceof QuotaExceededError, error.quota, error.requested, error.message], [true, 10, 20, 'm'], 'QuotaExceededError');
        same(structuredClone(new QuotaExceededError('m')).quota, null, 'without figures');
        ",
    );
}

#[test]
fn large_buffers_deep_in_a_value_arrive_as_they_were() {
    passes(
        r"
        const worker = startWorker(() => { onmessage = ({ data }) => { postMessage(data); }; });
        const big = () => Uint8Array.from({ length: 20_000 }, (_, i) => i * 3);
        const shapes = {
          nested: (b) => ({ a: { b: [{ c: b }] } }), map: (b) => new Map([['k', { v: b }], [b.buffer, 1]]), set: (b) => new Set([[b], b.buffer]),
          cycle: (b) => { const o = { b }; o.self = [o]; return o; }, twice: (b) => [b, b.buffer, { again: new DataView(b.buffer, 5) }],
          many: (b) => ({ list: Array.from({ length: 500 }, (_, i) => i), b }), instance: (b) => new (class { constructor() { this.b = b; } })(),
          bare: (b) => Object.assign(Object.create(null), { b }), error: (b) => new Error('x', { cause: b }), sparse: (b) => { const a = [b]; a[50] = b; return a; },
        };
        const bytesIn = (value, seen = new Set()) => {
          if (typeof value !== 'object' || value === null || seen.has(value)) return [];
          seen.add(value);
          if (value instanceof ArrayBuffer) return [new Uint8Array(value)];
          if (ArrayBuffer.isView(value)) return [new Uint8Array(value.buffer)];
          const inner = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : value instanceof Error ? [value.cause] : Object.values(value);
          return inner.flatMap((part) => bytesIn(part, seen));
        };
        for (const [name, make] of Object.entries(shapes)) {
          const sent = big(), value = make(sent);
          const answer = next(worker);
          worker.postMessage(value);
          ok(!sent.buffer.detached, `${name}: stays attached`);
          const before = sent.slice();
          sent.fill(0);
          const parts = bytesIn((await answer).data);
          ok(parts.length > 0 && parts.every((part) => part.length === before.length && part.every((byte, i) => byte === before[i])), `${name}: bytes`);
          ok(parts.every((part) => part.buffer === parts[0].buffer), `${name}: one buffer`);
        }
        worker.terminate();
        ",
    );
}

#[test]
fn buffers_of_every_size_are_copied_whole_and_apart() {
    passes(
        r"
        const SIZES = [0, 1, 7, 8, 1023, 1024, 16_383, 16_384, 65_536, 131_071, 131_072, 131_073, 262_144, 1_000_001, 4 << 20, (4 << 20) + 1, 9 << 20];
        const filled = (size, seed) => { const bytes = new Uint8Array(size); for (let i = 0; i < size; i += 251) bytes[i] = i + seed; if (size) bytes[size - 1] = seed; return bytes.buffer; };
        const check = (buffer, size, seed, what) => {
          ok(buffer instanceof ArrayBuffer && Object.getPrototypeOf(buffer) === ArrayBuffer.prototype, what + ': its class');
          same([buffer.byteLength, buffer.resizable, buffer.detached], [size, false, false], what + ': its kind');
          const bytes = new Uint8Array(buffer);
          for (let i = 0; i < size - 1; i += 251) if (bytes[i] !== ((i + seed) & 255)) throw new Error(what + ': byte ' + i + ' is ' + bytes[i]);
          if (size) same(bytes[size - 1], seed & 255, what + ': the last byte');
        };
        const worker = startWorker(`onmessage = ({ data }) => postMessage(data);`);
        const { port1, port2 } = new MessageChannel();
        for (let round = 0; round < 4; round++) {
          for (const size of SIZES) {
            const original = filled(size, round);
            const copies = [['structuredClone', structuredClone(original)]];
            port1.postMessage(original);
            copies.push(['in the thread', (await next(port2)).data]);
            worker.postMessage(original);
            copies.push(['by a worker', (await next(worker)).data]);
            for (const [what, copy] of copies) {
              check(copy, size, round, what + ' ' + size);
              if (size) { new Uint8Array(original)[0] ^= 1; same(new Uint8Array(copy)[0], size === 1 ? round : round & 255, what + ': apart'); new Uint8Array(original)[0] ^= 1; }
            }
            check(original, size, round, 'the original');
            // Memory that was used before is as clear as any.
            ok(new Uint8Array(size).every((byte) => byte === 0), 'clear ' + size);
          }
        }
        worker.terminate(); port1.close();
        ",
    );
}

#[test]
fn buffers_that_are_not_plain_ones_keep_to_their_own_rules() {
    passes(
        r"
        const gone = new ArrayBuffer(200_000); structuredClone(gone, { transfer: [gone] });
        throws(() => structuredClone(gone), 'DataCloneError', 'detached');
        const { port1, port2 } = new MessageChannel();
        throws(() => port1.postMessage(gone), 'DataCloneError', 'detached, within the thread');
        const growing = structuredClone(new ArrayBuffer(8, { maxByteLength: 300_000 }));
        same([growing.byteLength, growing.resizable, growing.maxByteLength], [8, true, 300_000], 'resizable');
        growing.resize(300_000);
        class Own extends ArrayBuffer { get own() { return 1; } }
        const own = Object.assign(new Own(150_000), { extra: 1 });
        const copy = structuredClone(own);
        ok(copy instanceof ArrayBuffer && !(copy instanceof Own) && copy.own === undefined && copy.extra === undefined, 'a class of its own is not kept');
        same(copy.byteLength, 150_000, 'its bytes are');
        const shared = new SharedArrayBuffer(200_000);
        new Uint8Array(structuredClone(shared))[9] = 5;
        same(new Uint8Array(shared)[9], 5, 'shared memory is shared');
        const twice = structuredClone([own, own, new Uint8Array(own, 8)]);
        ok(twice[0] === twice[1] && twice[2].buffer === twice[0] && twice[2].byteOffset === 8, 'identity');
        const memory = structuredClone(new WebAssembly.Memory({ initial: 3 }).buffer);
        same(memory.byteLength, 3 * 65_536, 'a memory of WebAssembly');
        port1.close();
        ",
    );
}

#[test]
fn huge_buffers_go_and_come_and_go_for_good() {
    // What V8 is told of bytes in passing must stay within what it counts: V8 ends the process if more is taken off than was added.
    passes(
        r"
        const worker = startWorker(`onmessage = ({ data }) => postMessage(data, data instanceof ArrayBuffer ? [data] : []);`);
        const sink = startWorker(`let bytes = 0; onmessage = ({ data }) => { if (data === 'end') postMessage(bytes); else bytes += data.byteLength; };`);
        const total = next(sink);
        let sent = 0;
        for (let i = 0; i < 60; i++) {
          let buffer = new ArrayBuffer((1 << 20) * (1 + i * 7 % 64));
          new Uint8Array(buffer)[i] = i + 1;
          for (let j = 0; j < 3; j++) {
            worker.postMessage(buffer, [buffer]);
            same(buffer.byteLength, 0, 'it went');
            buffer = (await next(worker)).data;
          }
          same(new Uint8Array(buffer)[i], i + 1, 'it came back');
          sent += buffer.byteLength;
          sink.postMessage(buffer, [buffer]);
          const within = structuredClone(new ArrayBuffer(3 << 20), {});
          same(structuredClone(within, { transfer: [within] }).byteLength, 3 << 20, 'within the thread');
        }
        sink.postMessage('end');
        same((await total).data, sent, 'all of it');
        worker.terminate(); sink.terminate();
        ",
    );
}

#[test]
fn structured_clone_moves_a_buffer_that_its_typed_array_shows() {
    passes(
        r#"
        const classes = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array];
        if (typeof Float16Array === 'function') classes.push(Float16Array);
        for (const Class of classes) {
          const buffer = new ArrayBuffer(64);
          new Uint8Array(buffer).set(Array.from({ length: 64 }, (_, i) => i));
          const view = new Class(buffer, 16, 2);
          const values = [...view];
          view.extra = 'not cloned';
          const moved = structuredClone(view, { transfer: [buffer] });
          same([moved.constructor === Class, moved.byteOffset, moved.length, moved.extra], [true, 16, 2, undefined], Class.name);
          same([...moved], values, `${Class.name}: values`);
          same([moved.buffer.byteLength, new Uint8Array(moved.buffer)[63]], [64, 63], `${Class.name}: all of the buffer`);
          same([buffer.detached, view.length, moved.buffer === buffer], [true, 0, false], `${Class.name}: detached`);
        }
        class Mine extends Uint8Array { get buffer() { throw new Error('read'); } get length() { throw new Error('read'); } }
        const mine = new Mine([1, 2, 3]);
        const buffer = Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), 'buffer', mine);
        const plain = structuredClone(mine, { transfer: [buffer] });
        same([plain.constructor === Uint8Array, [...plain], buffer.detached], [true, [1, 2, 3], true], 'a subclass');

        const alone = structuredClone(plain.buffer, { transfer: [plain.buffer] });
        same([alone.byteLength, plain.buffer.detached], [3, true], 'a buffer by itself');
        same(structuredClone(new Uint8Array(0), { transfer: [] }).length, 0, 'nothing');
        const empty = new ArrayBuffer(0);
        same([structuredClone(new Uint8Array(empty), { transfer: [empty] }).length, empty.detached], [0, true], 'no bytes');
        const resizable = new ArrayBuffer(4, { maxByteLength: 8 });
        const tracking = structuredClone(new Uint8Array(resizable), { transfer: [resizable] });
        tracking.buffer.resize(8);
        same([tracking.length, resizable.detached], [8, true], 'resizable');

        throws(() => structuredClone(new Uint8Array(1), { transfer: [resizable] }), 'DataCloneError', 'detached');
        const shared = new SharedArrayBuffer(4);
        throws(() => structuredClone(new Uint8Array(shared), { transfer: [shared] }), 'DataCloneError', 'shared');
        const memory = new WebAssembly.Memory({ initial: 1 });
        throws(() => structuredClone(new Uint8Array(memory.buffer), { transfer: [memory.buffer] }), 'DataCloneError', 'of a memory');
        same(memory.buffer.byteLength, 65536, 'which is whole');
        const { markAsUntransferable } = await import('node:worker_threads');
        const kept = new Uint8Array(4);
        markAsUntransferable(kept.buffer);
        throws(() => structuredClone(kept, { transfer: [kept.buffer] }), 'DataCloneError', 'marked');
        same(kept.length, 4, 'which is whole as well');
        "#,
    );
}
