//! `isolane:wasm`: guests on wasmtime in memory that workers share; and V8's own `WebAssembly` beside them.

use isolane::{Message, Outcome};

use crate::support::{Folder, join, passes, receive, spawn};

/// Runs a script that has `SharedMemory`, `Guest` and `GuestTrap`, and `compile` for a module's text.
#[track_caller]
pub(crate) fn guest_passes(script: &str) {
    passes(&format!(
        "import {{ SharedMemory, Guest, GuestTrap }} from 'isolane:wasm'; const compile = (text) => Guest.compile(new TextEncoder().encode(text));{script}"
    ));
}

#[test]
fn exports_take_and_give_every_type_of_number() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (func (export "i32") (param i32) (result i32) local.get 0)
          (func (export "i64") (param i64) (result i64) local.get 0)
          (func (export "f32") (param f32) (result f32) local.get 0)
          (func (export "f64") (param f64) (result f64) local.get 0)
          (func (export "none"))
          (func (export "swap") (param i32 i64) (result i64 i32) local.get 1 local.get 0))`);
        const { exports } = guest.instantiate();
        same([exports.i32(5), exports.i32(-1), exports.i32(2 ** 32 + 3), exports.i32(2 ** 31), exports.i32(1.9), exports.i32('7'), exports.i32()], [5, -1, 3, -(2 ** 31), 1, 7, 0], 'i32 wraps as ToInt32 has it');
        same([exports.i64(5n), exports.i64(-1n), exports.i64(2n ** 63n)], [5n, -1n, -(2n ** 63n)], 'i64 wraps as ToBigInt64 has it');
        throws(() => exports.i64(5), 'TypeError', 'a number as i64');
        same([exports.f32(0.1), exports.f32(-0), exports.f32(NaN), exports.f32(Infinity)], [Math.fround(0.1), -0, NaN, Infinity], 'f32');
        same([exports.f64(0.1), exports.f64(-0), exports.f64(5e-324), exports.f64(NaN)], [0.1, -0, 5e-324, NaN], 'f64');
        same(exports.none(), undefined, 'no result');
        same(exports.swap(1, 2n), [2n, 1], 'several results');
        throws(() => exports.i32(Symbol()), 'TypeError', 'what is no number');
        throws(() => exports.i32({ valueOf() { throw new RangeError('x'); } }), 'RangeError', 'a conversion that throws');
        ok(Object.isFrozen(exports) && exports.missing === undefined, 'exports are frozen');
        throws(() => { exports.i32 = 1; }, 'TypeError', 'assignment to an export');
        "#,
    );
}

#[test]
fn globals_and_memories_are_exports_too() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (import "env" "memory" (memory 1 4 shared))
          (import "env" "log" (func (param i32)))
          (export "memory" (memory 0))
          (global $g (export "count") (mut i32) (i32.const 3))
          (global (export "big") i64 (i64.const -9))
          (func (export "add") (global.set $g (i32.add (global.get $g) (i32.const 1)))))`);
        same(guest.imports, [{ module: 'env', name: 'memory', kind: 'memory' }, { module: 'env', name: 'log', kind: 'function' }], 'imports');
        same(guest.exports, [{ name: 'memory', kind: 'memory' }, { name: 'count', kind: 'global' }, { name: 'big', kind: 'global' }, { name: 'add', kind: 'function' }], 'exports');
        const memory = new SharedMemory({ initial: 1, maximum: 4 });
        const { exports } = guest.instantiate({ memory, imports: { env: { log() {} } } });
        ok(exports.memory === memory, 'the memory is the one that was given');
        same([exports.count, exports.big], [3, -9n], 'globals');
        exports.add();
        same(exports.count, 4, 'a global is read anew');
        "#,
    );
}

#[test]
fn the_binary_and_the_text_format_are_accepted() {
    guest_passes(
        r#"
        const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11);
        for (const source of [bytes, bytes.buffer, new DataView(bytes.buffer), new Uint8Array([9, ...bytes]).subarray(1)]) {
          same((await Guest.compile(source)).instantiate().exports.f(), 42, 'binary');
        }
        same((await compile('(module (func (export "f") (result i32) i32.const 43))')).instantiate().exports.f(), 43, 'text');
        ok(!bytes.buffer.detached, 'the bytes stay');
        "#,
    );
}

#[test]
fn modules_are_compiled_from_files() {
    let folder = Folder::new(&[
        (
            "kernel.wat",
            "(module (func (export \"f\") (result i32) i32.const 7))",
        ),
        (
            "broken.wat",
            "(module\n  (func (result i32) nonsense))",
        ),
        (
            "main.mjs",
            "import { Guest } from 'isolane:wasm';
             const url = new URL('./kernel.wat', import.meta.url);
             for (const source of [url, url.href]) console.log((await Guest.compile(source)).instantiate().exports.f());
             const missing = await Guest.compile(new URL('./missing.wat', import.meta.url)).catch((error) => error);
             console.log(missing instanceof Error, missing.message.includes('missing.wat'));
             const broken = await Guest.compile(new URL('./broken.wat', import.meta.url)).catch((error) => error);
             console.log(broken instanceof Error, broken.message.includes('broken.wat'), broken.message.includes('nonsense'));
             const outside = await Guest.compile('file:///etc/hostname').catch((error) => error);
             console.log(outside.message.includes('--allow-read'));",
        ),
    ]);
    let ended = folder.run();
    assert_eq!(
        ended.stdout.lines().collect::<Vec<_>>(),
        ["7", "7", "true true", "true true true", "true"],
        "{ended:#?}"
    );
}

#[test]
fn a_module_that_is_not_valid_is_refused_with_the_reason() {
    guest_passes(
        r#"
        for (const [what, source] of [
          ['empty', new Uint8Array()],
          ['garbage', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)],
          ['cut off', Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1)],
          ['ill typed', new TextEncoder().encode('(module (func (result i32) i64.const 1))')],
        ]) {
          const error = await Guest.compile(source).then(() => undefined, (error) => error);
          ok(error instanceof Error, `${what}: rejected with an error`);
          ok(error.message.length > 10, `${what}: a reason: ${error.message}`);
        }
        const text = await compile('(module\n  (func (result i32) nonsense))').catch((error) => error);
        ok(/2:2\d/.test(text.message) && text.message.includes('nonsense'), `place and word: ${text.message}`);
        const typed = await compile('(module (func (result i32) i64.const 1))').catch((error) => error);
        ok(/type mismatch/.test(typed.message), `what the validator says: ${typed.message}`);
        await rejects(Guest.compile('http://example.org/x.wasm'), 'TypeError', 'a remote module');
        throws(() => new Guest(), 'TypeError', 'a Guest without compiling');
        "#,
    );
}

#[test]
fn functions_of_the_script_are_imports() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (import "env" "add" (func $add (param i32 i64 f64) (result f64)))
          (import "env" "pair" (func $pair (result i32 i64)))
          (import "other" "note" (func $note (param i32)))
          (func (export "run") (param i32) (result f64)
            local.get 0 call $note
            local.get 0 i64.const 5 f64.const 0.5 call $add)
          (func (export "pair") (result i32 i64) call $pair))`);
        const notes = [];
        const imports = { env: { add: (a, b, c) => { notes.push(typeof a, typeof b, typeof c); return a + Number(b) + c; }, pair: () => [1, 2n] }, other: { note: (n) => { notes.push(n); return 'ignored'; } } };
        const { exports } = guest.instantiate({ imports });
        same(exports.run(7), 12.5, 'result');
        same(notes, [7, 'number', 'bigint', 'number'], 'arguments');
        same(exports.pair(), [1, 2n], 'several results');
        "#,
    );
}

#[test]
fn a_missing_import_is_a_type_error_that_names_it() {
    guest_passes(
        r#"
        const guest = await compile('(module (import "env" "memory" (memory 1 2 shared)) (import "env" "f" (func)))');
        const memory = new SharedMemory({ initial: 1, maximum: 2 });
        const cases = {
          'no function': { memory }, 'not a function': { memory, imports: { env: { f: 5 } } }, 'another module': { memory, imports: { other: { f() {} } } },
        };
        for (const [what, options] of Object.entries(cases)) {
          const error = throws(() => guest.instantiate(options), 'TypeError', what);
          ok(error.message.includes('env') && error.message.includes('f'), `${what}: ${error.message}`);
        }
        const without = throws(() => guest.instantiate({ imports: { env: { f() {} } } }), 'TypeError', 'no memory');
        ok(without.message.includes('memory'), without.message);
        throws(() => guest.instantiate({ memory: {}, imports: { env: { f() {} } } }), 'TypeError', 'a memory that is none');
        throws(() => guest.instantiate({ memory: new SharedMemory({ initial: 1, maximum: 3 }), imports: { env: { f() {} } } }), 'TypeError', 'a memory with a larger maximum');
        "#,
    );
}

#[test]
fn what_an_import_throws_reaches_the_caller_of_the_guest() {
    guest_passes(
        r#"
        const guest = await compile('(module (import "env" "f" (func $f)) (func (export "run") call $f) (func $deep (export "deep") (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1)))) (else call $f))))');
        let thrown;
        const { exports } = guest.instantiate({ imports: { env: { f() { throw thrown; } } } });
        for (thrown of [new RangeError('mine'), 'a string', undefined, null, { a: 1 }]) {
          for (const call of [() => exports.run(), () => exports.deep(50)]) {
            let caught = 'nothing';
            try { call(); } catch (error) { caught = error; }
            ok(caught === thrown, `the thrown value itself: ${show(caught)} instead of ${show(thrown)}`);
          }
        }
        const results = await compile('(module (import "env" "f" (func $f (result i64))) (func (export "run") (result i64) call $f))');
        const bad = results.instantiate({ imports: { env: { f: () => 1 } } });
        throws(() => bad.exports.run(), 'TypeError', 'a result of the wrong type');
        "#,
    );
}

#[test]
fn a_guest_and_a_script_may_call_each_other_in_turn() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (import "env" "next" (func $next (param i32) (result i32)))
          (global $depth (mut i32) (i32.const 0))
          (func (export "run") (param i32) (result i32)
            (global.set $depth (i32.add (global.get $depth) (i32.const 1)))
            (if (result i32) (i32.eqz (local.get 0)) (then (global.get $depth)) (else (call $next (i32.sub (local.get 0) (i32.const 1)))))))`);
        let failAt = -1, instance;
        const onward = (n) => { if (n === failAt) throw new Error(`at ${n}`); return instance.exports.run(n); };
        instance = guest.instantiate({ imports: { env: { next: onward } } });
        same(instance.exports.run(20), 21, 'twenty turns');
        failAt = 5;
        same(throws(() => instance.exports.run(20), 'Error', 'a throw in the middle').message, 'at 5', 'its message');
        failAt = -1;
        same(instance.exports.run(3), 21 + 15 + 4, 'the guest works on');
        const other = guest.instantiate({ imports: { env: { next: (n) => instance.exports.run(n) } } });
        same(other.exports.run(2), 40 + 2, 'a guest calls another through the script');
        "#,
    );
}

#[test]
fn endless_recursion_through_the_guest_is_an_error() {
    guest_passes(
        r#"
        const guest = await compile('(module (import "env" "f" (func $f)) (func $r (export "recurse") call $r) (func (export "ping") call $f))');
        let instance;
        instance = guest.instantiate({ imports: { env: { f: () => instance.exports.ping() } } });
        let caught;
        try { instance.exports.recurse(); } catch (error) { caught = error; }
        ok(caught instanceof GuestTrap && /stack/.test(caught.message), `within the guest: ${show(caught)}`);
        caught = undefined;
        try { instance.exports.ping(); } catch (error) { caught = error; }
        ok(caught instanceof GuestTrap || caught instanceof RangeError, `through the script: ${show(caught)}`);
        let calls = 0;
        const fine = guest.instantiate({ imports: { env: { f: () => { calls++; } } } });
        fine.exports.ping();
        same(calls, 1, 'the worker goes on');
        "#,
    );
}

#[test]
fn traps_are_errors_with_the_guest_s_stack() {
    guest_passes(
        r#"
        const guest = await compile(`(module $kernel
          (import "env" "memory" (memory 1 2 shared))
          (table 1 funcref)
          (func $inner (export "divide") (param i32) (result i32) i32.const 1 local.get 0 i32.div_s)
          (func $outer (export "outer") (result i32) i32.const 0 call $inner)
          (func (export "unreachable") unreachable)
          (func (export "load") (param i32) (result i32) local.get 0 i32.load)
          (func (export "indirect") i32.const 0 call_indirect))`);
        const memory = new SharedMemory({ initial: 1, maximum: 2 });
        const { exports } = guest.instantiate({ memory });
        const trap = (run, pattern, what) => {
          let caught;
          try { run(); } catch (error) { caught = error; }
          ok(caught instanceof GuestTrap && caught instanceof Error && caught.name === 'GuestTrap', `${what}: a GuestTrap, not ${show(caught)}`);
          ok(pattern.test(caught.message), `${what}: ${caught.message}`);
          ok(caught.trace !== '' && caught.stack.includes('program.mjs'), `${what}: both stacks: ${caught.stack}`);
          return caught;
        };
        const division = trap(() => exports.outer(), /divide by zero/, 'division');
        ok(division.trace.indexOf('inner') >= 0 && division.trace.indexOf('inner') < division.trace.indexOf('outer'), `innermost first: ${division.trace}`);
        trap(() => exports.unreachable(), /unreachable/, 'unreachable');
        trap(() => exports.load(65536), /out of bounds/, 'a load outside');
        trap(() => exports.load(-1), /out of bounds/, 'a load far outside');
        trap(() => exports.indirect(), /uninitialized|undefined element|null/, 'an empty table');
        same(exports.divide(1), 1, 'the instance can be used after a trap');
        const starts = await compile('(module (func $s unreachable) (start $s))');
        trap(() => starts.instantiate(), /unreachable/, 'a start function');
        "#,
    );
}

#[test]
fn a_trap_that_nothing_catches_ends_the_worker_with_the_trace() {
    let error = crate::support::thrown(spawn(
        "import { Guest } from 'isolane:wasm';
         const text = '(module (func $named (export \"f\") unreachable))';
         (await Guest.compile(new TextEncoder().encode(text))).instantiate().exports.f();",
    ));
    assert_eq!(error.name, "GuestTrap");
    assert!(error.stack.contains("named"), "{}", error.stack);
    assert_eq!(error.line, 3, "{error:?}");
}

#[test]
fn a_guest_in_an_endless_loop_ends_with_its_worker() {
    let worker = spawn(
        "import { Guest } from 'isolane:wasm';
         const text = '(module (func (export \"spin\") (loop $l br $l)))';
         const { exports } = (await Guest.compile(new TextEncoder().encode(text))).instantiate();
         postMessage('on');
         try { exports.spin(); } finally { postMessage('went on'); }",
    );
    assert_eq!(receive(&worker), Message::String("on".to_owned()));
    worker.terminate();
    assert_eq!(
        worker.recv_timeout(crate::support::LIMIT),
        Err(isolane::RecvError::Closed)
    );
    assert_eq!(join(worker), Outcome::Terminated);
}

#[test]
fn a_script_in_an_endless_loop_below_a_guest_ends_with_its_worker() {
    let worker = spawn(
        "import { Guest } from 'isolane:wasm';
         const text = '(module (import \"env\" \"f\" (func $f)) (func (export \"run\") (loop $l call $f br $l)))';
         const guest = await Guest.compile(new TextEncoder().encode(text));
         const { exports } = guest.instantiate({ imports: { env: { f() { postMessage('on'); for (;;); } } } });
         for (;;) try { exports.run(); } catch {}",
    );
    assert_eq!(receive(&worker), Message::String("on".to_owned()));
    worker.terminate();
    assert_eq!(join(worker), Outcome::Terminated);
}

#[test]
fn ending_one_worker_leaves_the_guests_of_others_running() {
    guest_passes(
        r#"
        const code = `import { Guest } from 'isolane:wasm';
          const text = '(module (func (export "count") (param i32) (result i32) (local i32) (loop $l (local.set 1 (i32.add (local.get 1) (i32.const 1))) (br_if $l (i32.lt_u (local.get 1) (local.get 0)))) (local.get 1)))';
          const { exports } = (await Guest.compile(new TextEncoder().encode(text))).instantiate();
          postMessage('on');
          for (;;) { const n = exports.count(3_000_000); if (n !== 3_000_000) throw new Error(n); postMessage(n); }`;
        const steady = startWorker(code);
        steady.onerror = (event) => { throw event.error; };
        for (let i = 0; i < 5; i++) {
          const victim = startWorker(code);
          await next(victim);
          victim.terminate();
        }
        for (let i = 0; i < 3; i++) await next(steady);
        steady.terminate();
        "#,
    );
}

#[test]
fn v8_s_own_webassembly_works_beside_guests() {
    guest_passes(
        r#"
        const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11);
        ok(WebAssembly.validate(bytes), 'validate');
        same(new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f(), 42, 'synchronous');
        const module = await WebAssembly.compile(bytes);
        same((await WebAssembly.instantiate(module)).exports.f(), 42, 'asynchronous compile');
        same((await WebAssembly.instantiate(bytes)).instance.exports.f(), 42, 'asynchronous instantiate');
        await rejects(WebAssembly.compile(bytes.slice(0, 20)), 'CompileError', 'a broken module');
        same((await Guest.compile(bytes)).instantiate().exports.f(), 42, 'the same module as a guest');
        const trap = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11);
        throws(() => new WebAssembly.Instance(new WebAssembly.Module(trap)).exports.f(), 'RuntimeError', "a trap of V8's");
        throws(() => { null.x; }, 'TypeError', 'signals of both engines');
        "#,
    );
}

#[test]
fn v8_s_foreground_tasks_wake_a_parked_worker() {
    passes(
        r"
        const words = new Int32Array(new SharedArrayBuffer(8));
        const waiting = Atomics.waitAsync(words, 0, 0);
        ok(waiting.async, 'waitAsync waits');
        const worker = startWorker(() => { onmessage = ({ data }) => { Atomics.store(data, 0, 1); postMessage(Atomics.notify(data, 0)); }; });
        worker.postMessage(words);
        worker.onmessage = ({ data }) => same(data, 1, 'one was woken');
        same(await waiting.value, 'ok', 'waitAsync across threads');
        same(await Atomics.waitAsync(words, 1, 0, 5).value, 'timed-out', 'waitAsync with a timeout');
        worker.terminate();
        ",
    );
}

#[test]
fn exports_that_have_no_value_for_a_script_do_no_harm() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (memory (export "own") 1) (table (export "table") 1 funcref)
          (global (export "reference") funcref (ref.null func)) (global (export "number") i32 (i32.const 4))
          (func (export "f") (result i32) (i32.const 5)))`);
        const { exports } = guest.instantiate();
        same([exports.f(), exports.number, exports.reference], [5, 4, undefined], 'exports');
        same(['own' in exports, 'table' in exports], [false, false], 'what has no object is not there');
        const memory = new SharedMemory({ initial: 1, maximum: 1 });
        const both = await compile(`(module (import "env" "memory" (memory 1 1 shared)) (memory 1 1 shared) (export "given" (memory 0)) (export "own" (memory 1)))`);
        const shared = both.instantiate({ memory }).exports;
        same([shared.given === memory, 'own' in shared], [true, false], 'the memory that was given is exported');
        "#,
    );
}

#[test]
fn an_import_with_several_results_returns_an_array_of_them() {
    guest_passes(
        r#"
        const guest = await compile(`(module (import "env" "f" (func $f (result i32 i32)))
          (func (export "sum") (result i32) (call $f) i32.add))`);
        const sum = (value) => guest.instantiate({ imports: { env: { f: () => value } } }).exports.sum();
        same(sum([3, 4]), 7, 'an array');
        for (const value of [7, undefined, new Set([1, 2]), [1], [1, 2, 3]]) throws(() => sum(value), 'TypeError', show(value));
        "#,
    );
}

#[test]
fn an_export_keeps_its_instance() {
    guest_passes(
        r#"
        const first = (await compile('(module (global (export "g") i32 (i32.const 42)) (func (export "f") (result i32) (global.get 0)))')).instantiate().exports;
        const other = await compile('(module (global (export "secret") i64 (i64.const 7)) (func (export "f") (result i32) (i32.const 0)))');
        const kept = [];
        for (let round = 0; round < 30; round++) {
          let garbage = []; for (let i = 0; i < 40_000; i++) garbage.push({ i });
          garbage = null;
          await new Promise((resolve) => setTimeout(resolve));
          kept.push(other.instantiate());
          same([first.g, first.f()], [42, 42], 'the exports of the first instance');
        }
        "#,
    );
}
