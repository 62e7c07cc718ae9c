//! Guests that wait for words of shared memory (WebAssembly threads proposal, `memory.atomic.wait` and `notify`).

use isolane::{Message, Outcome};

use crate::support::{join, receive, spawn};
use crate::wasm::guest_passes;

/// Exports of the three instructions, with an offset, behind functions of every other kind that an index can name.
const WAITER: &str = r#"(module $waiter
  (import "env" "seen" (func $seen (param i32)))
  (import "env" "memory" (memory 1 2 shared))
  (table funcref (elem $second $first))
  (global $chosen funcref (ref.func $first))
  (func $first (result i32) i32.const 1)
  (func $second (result i32) i32.const 2)
  (func (export "wait32") (param i32 i32 i64) (result i32)
    (call $seen (i32.const 32))
    (memory.atomic.wait32 offset=8 (local.get 0) (local.get 1) (local.get 2)))
  (func (export "wait64") (param i32 i64 i64) (result i32)
    (call $seen (i32.const 64))
    (memory.atomic.wait64 offset=8 (local.get 0) (local.get 1) (local.get 2)))
  (func (export "notify") (param i32 i32) (result i32)
    (memory.atomic.notify offset=8 (local.get 0) (local.get 1)))
  (func (export "indirect") (param i32) (result i32) (call_indirect (result i32) (local.get 0)))
  (func (export "fails") unreachable)
  (start $start)
  (func $start (call $seen (call $second))))"#;

fn waiter_passes(script: &str) {
    guest_passes(&format!("const WAITER = `{WAITER}`; {script}"));
}

#[test]
fn waits_end_as_the_standard_has_it() {
    waiter_passes(
        r#"
        const guest = await compile(WAITER);
        same(guest.imports.map(({ name }) => name), ['seen', 'memory'], 'imports');
        same(guest.exports.map(({ name }) => name), ['wait32', 'wait64', 'notify', 'indirect', 'fails'], 'exports');
        const memory = new SharedMemory({ initial: 1, maximum: 2 });
        const seen = [];
        const { exports } = guest.instantiate({ memory, imports: { env: { seen: (number) => seen.push(number) } } });
        same(Object.keys(exports), ['wait32', 'wait64', 'notify', 'indirect', 'fails'], 'exports of the instance');
        new Int32Array(memory.buffer)[2] = 7;
        new BigInt64Array(memory.buffer)[2] = -5n;
        same(exports.wait32(0, 6, -1n), 1, 'not equal');
        same(exports.wait32(0, 7, 0n), 2, 'no time');
        same(exports.wait32(0, 7, 1_000_000n), 2, 'a millisecond');
        same(exports.wait64(8, -6n, -1n), 1, 'not equal, 64 bits');
        same(exports.wait64(8, -5n, 1000n), 2, 'timed out, 64 bits');
        same(exports.notify(0, -1), 0, 'nobody waits');
        same([exports.indirect(0), exports.indirect(1)], [2, 1], 'functions keep their places in tables');
        same(seen, [2, 32, 32, 32, 64, 64], 'what the guest called');
        for (const [what, run] of [
          ['misaligned', () => exports.wait32(2, 0, 0n)],
          ['misaligned for 64 bits', () => exports.wait64(4, 0n, 0n)],
          ['misaligned notification', () => exports.notify(1, 0)],
          ['after the end', () => exports.wait32(65536 - 8, 0, 0n)],
          ['over the end', () => exports.wait64(65536 - 8, 0n, 0n)],
          ['an address that wraps', () => exports.wait32(-4, 0, 0n)],
          ['a notification after the end', () => exports.notify(-8, 0)],
        ]) throws(run, 'GuestTrap', what);
        ok(throws(() => exports.fails(), 'GuestTrap', 'a trap').stack.includes('fails'), 'the names are kept');
        memory.grow(1);
        same(exports.wait32(65536 - 8, 0, 0n), 2, 'the memory has grown');
        "#,
    );
}

#[test]
fn guests_of_different_workers_wake_each_other() {
    waiter_passes(
        r#"
        const guest = await compile(WAITER);
        const memory = new SharedMemory({ initial: 1, maximum: 2 });
        const code = `onmessage = ({ data: { guest, memory, wide } }) => {
          const seen = () => postMessage('waits');
          const { exports } = guest.instantiate({ memory, imports: { env: { seen } } });
          postMessage(wide ? exports.wait64(0, 0n, -1n) : exports.wait32(0, 0, -1n));
        };`;
        const workers = [0, 1, 0, 1].map((wide) => {
          const worker = startWorker(code, `import 'isolane:wasm'`);
          worker.postMessage({ guest, memory, wide });
          return worker;
        });
        const answers = workers.map((worker) => new Promise((resolve) => {
          worker.onmessage = ({ data }) => { if (data !== 'waits') resolve(data); };
        }));
        const { exports } = guest.instantiate({ memory, imports: { env: { seen() {} } } });
        // They may not all wait yet, so ask until each was woken once.
        for (let woken = 0; woken < 4; await new Promise((resolve) => setTimeout(resolve, 1))) woken += exports.notify(0, 1);
        same(await Promise.all(answers), [0, 0, 0, 0], 'each was notified');
        same(exports.notify(0, 9), 0, 'nobody is left');
        for (const worker of workers) worker.terminate();
        "#,
    );
}

#[test]
fn a_memory_of_the_module_s_own_can_be_waited_on_and_stays_hidden() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (memory 1 1 shared)
          (func (export "sleep") (param i64) (result i32) (memory.atomic.wait32 (i32.const 0) (i32.const 0) (local.get 0))))`);
        const { exports } = guest.instantiate();
        same([Object.keys(exports), exports.sleep(1000n)], [['sleep'], 2], 'sleep');
        const own = await compile(`(module
          (import "isolane:atomics" "wait32:0" (func $f (result i32)))
          (import "env" "memory" (memory 1 1 shared))
          (func (export "isolane:atomics:0") (result i32)
            (i32.add (call $f) (memory.atomic.wait32 (i32.const 0) (i32.const 1) (i64.const -1)))))`);
        const memory = new SharedMemory({ initial: 1, maximum: 1 });
        const imports = { 'isolane:atomics': { 'wait32:0': () => 41 } };
        same(own.instantiate({ memory, imports }).exports['isolane:atomics:0'](), 42, 'names that the host uses as well');
        const unshared = (await compile(`(module (memory 1) (func (export "wait") (result i32)
          (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const 0))) (func (export "notify") (result i32)
          (memory.atomic.notify (i32.const 0) (i32.const 1))))`)).instantiate().exports;
        throws(unshared.wait, 'GuestTrap', 'memory that is not shared');
        same(unshared.notify(), 0, 'a notification there');
        "#,
    );
}

#[test]
fn a_guest_that_waits_ends_with_its_worker_and_its_neighbours_wait_on() {
    let code = format!(
        "import {{ Guest }} from 'isolane:wasm';
         const guest = await Guest.compile(new TextEncoder().encode(`{WAITER}`));
         onmessage = ({{ data: memory }}) => {{
           const seen = (number) => number === 32 && postMessage('waits');
           const {{ exports }} = guest.instantiate({{ memory, imports: {{ env: {{ seen }} }} }});
           try {{ postMessage(exports.wait32(0, 0, -1n)); }} finally {{ postMessage('went on'); }}
         }};"
    );
    guest_passes(&format!(
        r#"
        const WAITER = `{WAITER}`;
        const code = {code:?};
        const memory = new SharedMemory({{ initial: 1, maximum: 2 }});
        const [victim, neighbour] = [startWorker(code), startWorker(code)];
        const heard = [];
        victim.onmessage = ({{ data }}) => heard.push(data);
        const waits = [victim, neighbour].map((worker) => {{ worker.postMessage(memory); return next(worker); }});
        await Promise.all(waits);
        const closed = next(victim, 'close');
        victim.terminate();
        await closed;
        same(heard, ['waits'], 'nothing of the script goes on');
        const answer = next(neighbour);
        const {{ exports }} = (await compile(WAITER)).instantiate({{ memory, imports: {{ env: {{ seen() {{}} }} }} }});
        while (exports.notify(0, 2) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        same((await answer).data, 0, 'the neighbour is woken by a notification alone');
        neighbour.terminate();
        "#
    ));
    let worker = spawn(&format!(
        "import {{ SharedMemory, Guest }} from 'isolane:wasm';
         const guest = await Guest.compile(new TextEncoder().encode(`{WAITER}`));
         const seen = (number) => number === 32 && postMessage('waits');
         const {{ exports }} = guest.instantiate({{ memory: new SharedMemory({{ initial: 1, maximum: 2 }}), imports: {{ env: {{ seen }} }} }});
         for (;;) try {{ exports.wait32(0, 0, -1n); }} catch {{}}"
    ));
    assert_eq!(receive(&worker), Message::String("waits".to_owned()));
    worker.terminate();
    assert_eq!(join(worker), Outcome::Terminated);
}

#[test]
fn a_guest_ends_with_its_worker_at_any_moment_of_its_start() {
    guest_passes(
        r#"
        const guest = await compile(`(module (import "env" "memory" (memory 1 1 shared))
          (func $s (loop $l (br_if $l (i32.atomic.load (i32.const 0))))) (start $s)
          (func (export "f") (loop $l (br_if $l (i32.atomic.load (i32.const 0))))))`);
        const memory = new SharedMemory({ initial: 1, maximum: 1 });
        const words = new Int32Array(memory.buffer);
        for (let round = 0; round < 60; round++) {
          words[0] = 0;
          const worker = startWorker(`onmessage = ({ data: { guest, memory } }) => { postMessage(1); for (;;) guest.instantiate({ memory }).exports.f(); }`, `import 'isolane:wasm'`);
          worker.postMessage({ guest, memory });
          await next(worker);
          const closed = next(worker, 'close');
          worker.terminate();
          words[0] = 1;
          await closed;
        }
        "#,
    );
}

#[test]
fn backtraces_name_the_functions_of_the_module_that_was_given() {
    guest_passes(
        r#"
        const text = (wait) => `(module (memory 1 4 shared) (func) (func (result i32) ${wait})
          (func (export "w") (result i32) (call 1)) (func (export "u") (call 4)) (func unreachable))`;
        for (const wait of ['(memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const 9))', '(i32.const 0)']) {
          const { exports } = (await compile(text(wait))).instantiate();
          const { trace } = throws(exports.u, 'GuestTrap', 'a trap');
          ok(trace.includes('function 4>') && trace.includes('function 3>') && !/function [5-9]>/.test(trace), trace);
        }
        "#,
    );
}
