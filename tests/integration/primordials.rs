//! A script that replaces everything it can reach changes nothing of the APIs.

use crate::support::prints;

/// `poisonAll()` replaces built-ins. Each replacement throws, so that the API that calls it is found by its stack. Left alone are `name`, which inspection shows, `constructor` and
/// `Symbol.species`, which the language itself looks up, and `then` of `Promise.prototype` and `Object.prototype`, which it asks every object for that
/// a promise is resolved with.
const POISON: &str = r#"
const poisonAll = () => {
  const all = (target) => Reflect.ownKeys(target).filter((key) => key !== 'constructor' && key !== 'prototype' && key !== 'name' && key !== Symbol.species);
  const targets = [
    [Map.prototype, 'Map.prototype'], [Set.prototype, 'Set.prototype'], [WeakMap.prototype, 'WeakMap.prototype'], [WeakSet.prototype, 'WeakSet.prototype'],
    [WeakRef.prototype, 'WeakRef.prototype'], [FinalizationRegistry.prototype, 'FinalizationRegistry.prototype'],
    [String.prototype, 'String.prototype'], [Number.prototype, 'Number.prototype'], [BigInt.prototype, 'BigInt.prototype'], [Date.prototype, 'Date.prototype'],
    [RegExp.prototype, 'RegExp.prototype'], [Symbol.prototype, 'Symbol.prototype'],
    [Object.getPrototypeOf(Uint8Array.prototype), 'TypedArray.prototype'], [ArrayBuffer.prototype, 'ArrayBuffer.prototype'],
    [SharedArrayBuffer.prototype, 'SharedArrayBuffer.prototype'], [DataView.prototype, 'DataView.prototype'],
    [Object.getPrototypeOf([][Symbol.iterator]()), 'ArrayIterator'], [Object.getPrototypeOf(new Map()[Symbol.iterator]()), 'MapIterator'],
    [Object.getPrototypeOf(''[Symbol.iterator]()), 'StringIterator'],
    [Promise.prototype, 'Promise.prototype'], [Promise, 'Promise'], [JSON, 'JSON'], [Math, 'Math'], [Atomics, 'Atomics'], [Number, 'Number'], [String, 'String'],
    [Symbol, 'Symbol'], [Array, 'Array'], [Array.prototype, 'Array.prototype'],
    [EventTarget.prototype, 'EventTarget.prototype'], [Event.prototype, 'Event.prototype'],
    [Reflect, 'Reflect'], [Object.prototype, 'Object.prototype'], [Function.prototype, 'Function.prototype'], [Object, 'Object'],
  ];
  const describe = Object.getOwnPropertyDescriptor, define = Object.defineProperty, has = Object.hasOwn;
  const work = [];
  for (const [target, name] of targets) for (const key of all(target)) work[work.length] = { target, key, name: `${name}.${String(key)}` };
  for (const key of ['value', 'get', 'set', 'done', 'enumerable', 'transfer', 'signal', 'once', 'passive', 'capture', 'cause', 'type', 'toJSON', 'resource', 'buffer']) {
    define(Object.prototype, key, { __proto__: null, get() { throw new EvalError(`the API read ${key} of Object.prototype`); }, set(value) { define(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true }); }, configurable: true });
  }
  for (let i = 0; i < work.length; i++) {
    const { target, key, name } = work[i];
    if (key === '__proto__' || name === 'Promise.prototype.then') continue;
    const described = describe(target, key);
    if (described === undefined || !described.configurable) continue;
    const bad = function () { throw new EvalError(`the API called ${name} of the script`); };
    const replacement = { __proto__: null, enumerable: described.enumerable, configurable: true };
    if (has(described, 'get')) { replacement.get = bad; replacement.set = described.set; } else { replacement.value = bad; replacement.writable = true; }
    define(target, key, replacement);
  }
};
"#;

/// Runs `before`, poisons everything, and runs `after`, which has `is` and `fail`, and calls `done` at its end. It must do without what is poisoned, so
/// without destructuring arrays too.
#[track_caller]
pub(crate) fn works_when_poisoned(before: &str, after: &str) {
    works_when_poisoned_and_prints(before, after, "");
}

#[track_caller]
fn works_when_poisoned_and_prints(before: &str, after: &str, expected: &str) {
    let script = format!(
        "{}
        const fail = (what) => {{ throw new SyntaxError(what); }};
        const is = (actual, expected, what) => {{ if (!(actual === expected)) fail(what + ': got ' + actual + ', expected ' + expected); }};
        let done, failed;
        const end = new Promise((resolve, reject) => {{ done = resolve; failed = reject; }});
        {before};
        poisonAll();
        {after}
        await end;",
        POISON.replace('\n', " ")
    );
    prints(&script, expected);
}

#[test]
fn channels_and_structured_clone() {
    works_when_poisoned(
        "const { port1, port2 } = new MessageChannel(); const list = [new ArrayBuffer(8)]; const big = new Uint8Array(20000); const objects = { a: { b: 1 } };",
        "
        let count = 0;
        port2.onmessage = (event) => {
          const { data } = event;
          if (count === 0) is(data, 1, 'number');
          if (count === 1) is(data, 'text', 'text');
          if (count === 2) is(data.a.b, 1, 'object');
          if (count === 4) { port1.close(); done(); }
          count++;
        };
        port1.postMessage(1); port1.postMessage('text'); port1.postMessage(objects); port1.postMessage(big); port1.postMessage(5n);
        is(structuredClone(objects).a.b, 1, 'structuredClone');
        ",
    );
}

#[test]
fn workers() {
    works_when_poisoned(
        "const worker = startWorker(`onmessage = ({ data }) => postMessage(data)`); const pair = new MessageChannel(); const message = { port: pair.port2 }; ",
        "
        let step = 0;
        worker.onmessage = ({ data }) => {
          if (step++ === 0) { is(data, 7, 'answer'); worker.postMessage({ x: 1 }); return; }
          is(data.x, 1, 'structured answer');
          worker.terminate();
          done();
        };
        worker.postMessage(7);
        ",
    );
}

#[test]
fn timers_and_microtasks() {
    works_when_poisoned(
        "const set = setTimeout, clear = clearTimeout, every = setInterval, stop = clearInterval;",
        "
        let ticks = 0;
        clear(set(() => fail('cleared'), 1));
        const interval = every(() => { if (++ticks === 3) { stop(interval); queueMicrotask(() => done()); } }, 1);
        ",
    );
}

#[test]
fn events_and_abort() {
    works_when_poisoned(
        "const target = new EventTarget(); const add = target.addEventListener, dispatch = target.dispatchEvent; const run = Reflect.apply; const controller = new AbortController(); const make = () => new Event('x');",
        "
        let seen = 0;
        run(add, target, ['x', () => seen++]);
        run(dispatch, target, [make()]);
        is(seen, 1, 'a listener');
        controller.signal.onabort = () => { seen++; };
        controller.abort('why');
        is(controller.signal.reason, 'why', 'reason');
        is(seen, 2, 'an abort listener');
        const timed = AbortSignal.timeout(1);
        const alive = setInterval(() => {}, 1000);
        timed.onabort = () => { is(timed.reason.name, 'TimeoutError', 'timeout'); clearInterval(alive); done(); };
        ",
    );
}

#[test]
fn console_and_inspection() {
    works_when_poisoned_and_prints(
        "const values = { a: [1, { b: new Map([['k', { c: 2 }]]) }], d: new Set(['x']), e: new Date(0), f: /x/, g: new Uint8Array(3), h() {}, i: Symbol('s'), j: 5n }; const failure = new RangeError('far'); failure.stack = 'RangeError: far';",
        "
        console.log('%s and %d of %o', 'text', 5, 'more', values);
        console.log(failure);
        console.group('group'); console.info('inside'); console.groupEnd();
        console.count('c');
        console.assert(true);
        done();
        ",
        "
        text and 5 of 'more' {
        a: [ 1, { b: [Map] } ],
        d: Set(1) { 'x' },
        e: 1970-01-01T00:00:00.000Z,
        f: /x/,
        g: Uint8Array(3) [ 0, 0, 0 ],
        h: [Function: h],
        i: Symbol(s),
        j: 5n
        }
        [RangeError: far]
        group
        inside
        c: 1
        ",
    );
}

#[test]
fn urls_and_encodings() {
    works_when_poisoned(
        "const encoder = new TextEncoder(), decoder = new TextDecoder();",
        "
        const url = new URL('../c?d=1&d=2#e', 'https://user@host.example:8080/a/b');
        is(url.href, 'https://user@host.example:8080/c?d=1&d=2#e', 'href');
        is(url.searchParams.get('d'), '1', 'searchParams');
        url.searchParams.append('f', 'g h');
        is(url.search, '?d=1&d=2&f=g+h', 'search');
        is(decoder.decode(encoder.encode('grün')), 'grün', 'text');
        is(atob(btoa('abc')), 'abc', 'base64');
        done();
        ",
    );
}

#[test]
fn streams_and_compression() {
    works_when_poisoned(
        "
        const squeeze = new CompressionStream('gzip'), expand = new DecompressionStream('gzip');
        const writer = squeeze.writable.getWriter(); const bytes = new Uint8Array(1000).fill(7);
        const { then } = Promise.prototype; const run = Reflect.apply;
        ",
        "
        const readable = squeeze.readable.pipeThrough(expand);
        const reader = readable.getReader();
        let length = 0;
        const pump = () => run(then, reader.read(), [(result) => {
          if (result.done) { is(length, 1000, 'bytes'); done(); } else { length += 1000; pump(); }
        }, failed]);
        writer.write(bytes); writer.close();
        pump();
        ",
    );
}

#[test]
fn crypto_and_performance() {
    works_when_poisoned(
        "const bytes = new Uint32Array(8);",
        "
        is(crypto.getRandomValues(bytes), bytes, 'getRandomValues');
        is(typeof crypto.randomUUID(), 'string', 'randomUUID');
        is(performance.now() > 0, true, 'now');
        performance.mark('a'); performance.mark('b');
        is(performance.measure('m', 'a', 'b').name, 'm', 'measure');
        is(navigator.hardwareConcurrency > 0, true, 'hardwareConcurrency');
        done();
        ",
    );
}

#[test]
fn node_s_modules() {
    works_when_poisoned(
        "const { default: path } = await import('node:path'); const { EventEmitter } = await import('node:events'); const { default: process } = await import('node:process'); const { fileURLToPath, pathToFileURL } = await import('node:url'); const threads = await import('node:worker_threads');",
        "
        is(path.join('/a', '../b', 'c.txt'), '/b/c.txt', 'join');
        is(path.basename('/a/b.c', '.c'), 'b', 'basename');
        is(fileURLToPath('file:///a%20b'), '/a b', 'fileURLToPath');
        is(pathToFileURL('/a b').href, 'file:///a%20b', 'pathToFileURL');
        is(typeof process.cwd(), 'string', 'cwd');
        is(typeof process.hrtime.bigint(), 'bigint', 'hrtime');
        const emitter = new EventEmitter();
        let seen = 0;
        emitter.on('x', (value) => { seen += value; });
        emitter.emit('x', 5);
        is(seen, 5, 'emit');
        process.nextTick(() => done());
        ",
    );
}

#[test]
fn guests() {
    works_when_poisoned(
        r#"
        const { Guest, SharedMemory } = await import('isolane:wasm');
        const guest = await Guest.compile(new TextEncoder().encode('(module (import "env" "memory" (memory 1 2 shared)) (import "env" "f" (func $f (param i32) (result i32))) (func (export "run") (param i32) (result i32) local.get 0 call $f) (func (export "trap") unreachable))'));
        const pair = new MessageChannel();
        "#,
        "
        const memory = new SharedMemory({ initial: 1, maximum: 2 });
        const { exports: functions } = guest.instantiate({ memory, imports: { env: { f: (n) => n + 1 } } });
        is(functions.run(4), 5, 'a call and back');
        is(memory.grow(1), 1, 'grow');
        let trap;
        try { functions.trap(); } catch (error) { trap = error; }
        is(trap.name, 'GuestTrap', 'a trap');
        pair.port2.onmessage = ({ data }) => { is(data.memory.maximum, 2, 'a memory in a message'); pair.port1.close(); done(); };
        pair.port1.postMessage({ memory, guest });
        ",
    );
}

#[test]
fn uncaught_errors_and_rejections() {
    works_when_poisoned(
        "const prevent = Event.prototype.preventDefault; const run = Reflect.apply;",
        "
        let count = 0;
        onerror = (message, file, line, column, error) => { is(error.name, 'RangeError', 'error'); count++; return true; };
        onunhandledrejection = (event) => { run(prevent, event, []); is(event.reason, 'rejected', 'reason'); is(count, 1, 'after the error'); done(); };
        setTimeout(() => { throw new RangeError('thrown'); });
        setTimeout(() => { (async () => { throw 'rejected'; })(); });
        ",
    );
}

#[test]
fn channels_when_arrays_have_setters_for_their_items() {
    works_when_poisoned(
        "const { port1, port2 } = new MessageChannel(); const worker = startWorker(`onmessage = ({ data }) => postMessage(data)`);
         const { defineProperty } = Object;",
        "
        for (let index = 0; index < 4; index++) defineProperty(Array.prototype, index, { __proto__: null, set() { throw new EvalError('the API filled an array by assignment'); }, configurable: true });
        port2.onmessage = ({ data }) => { is(data, 5, 'within the thread'); port1.close(); worker.postMessage(6); };
        worker.onmessage = ({ data }) => { is(data, 6, 'across threads'); worker.terminate(); done(); };
        port1.postMessage(5);
        ",
    );
}

/// An assignment to a property that an object does not have of its own calls a setter of `Object.prototype`: the glue's objects declare theirs.
#[test]
fn setters_on_object_prototype_are_never_called() {
    prints(
        r"
        const { mkdtempSync, readdirSync, statSync } = await import('node:fs');
        const names = ['next', 'previous', 'first', 'last', 'list', 'callback', 'capture', 'once', 'passive', 'plain', 'removed', 'order', 'slot', 'listener', 'abortAlgorithm',
          'count', 'captureCount', 'lastOrder', 'pinned', 'reference', 'capacity', 'mask', 'i32', 'f64', 'u8', 'mode', 'size', 'ino', 'parentPath', 'branch1', 'branch2', 'value',
          'items', 'head', 'tail', 'queue', 'state', 'owner', 'ports', 'reader', 'stream', 'controller', 'id', 'due', 'args', 'timer', 'started', 'signal', 'name', 'parts'];
        const hits = [];
        for (const name of names) Object.defineProperty(Object.prototype, name, { __proto__: null, get() { return undefined; }, set() { hits.push(name); }, configurable: true });
        const target = new EventTarget();
        let calls = 0;
        target.addEventListener('x', () => calls++); target.addEventListener('x', () => calls++, { once: true });
        target.dispatchEvent(new Event('x')); target.dispatchEvent(new Event('x'));
        const abort = new AbortController(); AbortSignal.any([abort.signal]).onabort = () => calls++; abort.abort();
        const { port1, port2 } = new MessageChannel();
        const got = new Promise((resolve) => { port2.onmessage = resolve; }); port1.postMessage({ a: 1 }); await got; port1.close();
        const worker = new Worker('data:text/javascript,onmessage = ({ data }) => postMessage(data)');
        const back = new Promise((resolve) => { worker.onmessage = resolve; }); worker.postMessage([1]); await back; worker.terminate();
        const [one, two] = new ReadableStream({ type: 'bytes', pull(c) { c.enqueue(new Uint8Array(3)); c.close(); } }).tee(); for await (const part of one) void part; await two.cancel();
        await new Promise((resolve) => setTimeout(resolve, 1));
        new URL('http://a/b?c=d').searchParams.get('c'); structuredClone(new Map([[1, 2]])); performance.mark('m');
        for (const name of names) delete Object.prototype[name];
        console.log(calls, hits.join());
        ",
        "4 \n",
    );
}
