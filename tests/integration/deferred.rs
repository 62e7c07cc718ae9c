//! APIs that are made when a script first asks for them behave as if they had always been there.

use crate::primordials::works_when_poisoned;
use crate::support::passes;

#[test]
fn are_plain_properties_to_scripts() {
    passes(
        r#"
        const names = ['URL', 'console', 'ReadableStream', 'TextEncoder', 'Performance', 'Crypto'];
        same(names.every((name) => name in globalThis && Object.hasOwn(globalThis, name)), true, 'there before they are read');
        same(names.some((name) => Object.keys(globalThis).includes(name)), false, 'not enumerable');
        for (const name of names) {
          const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
          same([typeof value === 'undefined', writable, enumerable, configurable], [false, true, false, true], name);
          same(globalThis[name], value, 'the same each time');
        }
        "#,
    );
}

#[test]
fn can_be_replaced_and_deleted_before_they_are_read() {
    passes(
        r#"
        globalThis.URL = 5;
        same(URL, 5, 'assigned');
        same(delete globalThis.TextDecoder, true, 'deleted');
        same(['TextDecoder' in globalThis, typeof TextDecoder], [false, 'undefined'], 'gone');
        Object.defineProperty(globalThis, 'CompressionStream', { value: 1, writable: false, enumerable: true, configurable: false });
        same(CompressionStream, 1, 'defined');
        const { URL: urlOfNode } = await import('node:url');
        same(new urlOfNode('http://a/b').pathname, '/b', 'the API itself is whole');
        "#,
    );
}

#[test]
fn work_after_a_stack_overflow_in_the_middle_of_their_making() {
    passes(
        r#"
        const uses = [
          () => ReadableStream.length, () => new URL('http://a/').port, () => CompressionStream.length,
          () => TextEncoderStream.length, () => performance.now() > 0, () => crypto.randomUUID().length, () => new TextDecoder().encoding,
        ];
        let overflows = 0;
        for (const use of uses) {
          // From the deepest call up, so that each has a little more of the stack left than the last one; one of them is enough for a part of it.
          let done = false;
          const dive = () => {
            try { dive(); } catch (error) { if (!(error instanceof RangeError)) throw error; }
            if (done) return;
            try { use(); done = true; } catch (error) { if (!(error instanceof RangeError)) throw error; overflows++; }
          };
          dive();
          same(done, true, `${use}`);
        }
        same(overflows > 0, true, 'some overflowed');
        same([new TextDecoder().decode(new TextEncoder().encode('ä')), new URL('?a=1', 'http://a').search, structuredClone(1)], ['ä', '?a=1', 1], 'afterwards');
        const { readable, writable } = new TransformStream();
        const writer = writable.getWriter();
        writer.write(7);
        same((await readable.getReader().read()).value, 7, 'streams');
        "#,
    );
}

#[test]
fn do_not_depend_on_what_scripts_did_to_the_classes_that_came_before_them() {
    passes(
        r#"
        TextEncoder.prototype.encode = TextDecoder.prototype.decode = () => { throw new Error('the script\'s'); };
        const coded = new TextEncoderStream();
        const writer = coded.writable.getWriter();
        writer.write('ä');
        same([...(await coded.readable.getReader().read()).value], [195, 164], 'a stream of text');
        for (const name of Object.keys(URL.prototype)) Object.defineProperty(URL.prototype, name, { get() { throw new Error('the script\'s'); } });
        const { fileURLToPath } = await import('node:url');
        same(fileURLToPath(new URL('file:///a/b')), '/a/b', 'node:url');
        "#,
    );
}

#[test]
fn are_made_when_scripts_have_replaced_all_built_ins() {
    works_when_poisoned(
        "const names = Object.getOwnPropertyNames(globalThis); const global = globalThis; const wasm = import('isolane:wasm'); const define = Object.defineProperty, items = Array.prototype;",
        "
        for (let i = 0; i < 40; i++) {
          define(items, i, { __proto__: null, get() { throw new EvalError('an item was looked for'); }, set() { throw new EvalError('an item was put'); }, configurable: true });
        }
        for (let i = 0; i < names.length; i++) global[names[i]];
        is(typeof crypto.randomUUID(), 'string', 'crypto');
        is(performance.now() > 0, true, 'performance');
        done();
        ",
    );
}

#[test]
fn arrive_in_workers_that_never_used_them() {
    passes(
        r#"
        const { SharedMemory } = await import('isolane:wasm');
        const worker = startWorker(`onmessage = ({ data }) => postMessage([data.constructor.name, data.maximum])`);
        worker.postMessage(new SharedMemory({ initial: 1, maximum: 3 }));
        same((await next(worker)).data, ['SharedMemory', 3], 'a memory');
        worker.terminate();
        "#,
    );
}
