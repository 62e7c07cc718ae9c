//! Memory that guests and scripts of every worker share.

use crate::wasm::guest_passes;

#[test]
fn shared_memory_grows_to_its_maximum_and_no_further() {
    guest_passes(
        r#"
        const memory = new SharedMemory({ initial: 1, maximum: 3 });
        same([memory.buffer.byteLength, memory.maximum], [65536, 3], 'sizes');
        ok(memory.buffer instanceof SharedArrayBuffer && memory.buffer === memory.buffer, 'one SharedArrayBuffer');
        const early = new Uint8Array(memory.buffer);
        early[10] = 11;
        same(memory.grow(1), 1, 'grow gives the size before');
        same(memory.buffer.byteLength, 131072, 'a longer buffer');
        same([early.length, early[10], new Uint8Array(memory.buffer)[10]], [65536, 11, 11], 'the old one stays valid');
        new Uint8Array(memory.buffer)[10] = 12;
        same(early[10], 12, 'and shows the same bytes');
        throws(() => memory.grow(2), 'RangeError', 'beyond the maximum');
        same(memory.grow(0), 2, 'grow by nothing');
        same(memory.grow(1), 2, 'up to the maximum');
        throws(() => memory.grow(1), 'RangeError', 'at the maximum');
        same(memory.buffer.byteLength, 3 * 65536, 'size at the end');
        const guest = await compile('(module (import "env" "memory" (memory 1 3 shared)) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))) (func (export "size") (result i32) memory.size) (func (export "set") (param i32 i32) (i32.store8 (local.get 0) (local.get 1))))');
        const young = new SharedMemory({ initial: 1, maximum: 3 });
        const { exports } = guest.instantiate({ memory: young });
        same([exports.grow(1), exports.size(), young.buffer.byteLength], [1, 2, 131072], 'the guest grows it');
        young.grow(1);
        same(exports.size(), 3, 'the guest sees it grown');
        exports.set(3 * 65536 - 1, 77);
        same(new Uint8Array(young.buffer).at(-1), 77, 'the last byte');
        same(exports.grow(1), -1, 'the guest cannot grow it further');
        throws(() => memory.grow(-1), 'TypeError', 'by a negative number');
        throws(() => memory.grow(NaN), 'TypeError', 'by no number');
        "#,
    );
}

#[test]
fn sizes_out_of_range_are_refused() {
    guest_passes(
        r#"
        throws(() => new SharedMemory({ initial: 2, maximum: 1 }), 'RangeError', 'initial over maximum');
        throws(() => new SharedMemory({ initial: 1, maximum: 65537 }), 'RangeError', 'over 4 GiB');
        throws(() => new SharedMemory({ initial: -1, maximum: 1 }), 'TypeError', 'negative');
        throws(() => new SharedMemory({ initial: 1 }), 'TypeError', 'without a maximum');
        throws(() => new SharedMemory(), 'TypeError', 'without a descriptor');
        throws(() => SharedMemory({ initial: 1, maximum: 1 }), 'TypeError', 'without new');
        const empty = new SharedMemory({ initial: 0, maximum: 1 });
        same([empty.buffer.byteLength, empty.grow(1), empty.buffer.byteLength], [0, 0, 65536], 'none, then one page');
        same(new SharedMemory({ initial: 1, maximum: 65536 }).buffer.byteLength, 65536, 'a maximum of 4 GiB is only reserved');
        "#,
    );
}

#[test]
fn two_workers_and_their_guests_see_one_memory() {
    guest_passes(
        r#"
        const guest = await compile(`(module
          (import "env" "memory" (memory 1 4 shared))
          (func (export "add") (param i32 i32) (loop $l
            (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))
            (br_if $l (local.tee 1 (i32.sub (local.get 1) (i32.const 1))))))
          (func (export "set") (param i32 i32) (i32.store (local.get 0) (local.get 1))))`);
        const memory = new SharedMemory({ initial: 1, maximum: 4 });
        const code = `import { SharedMemory, Guest } from 'isolane:wasm';
          onmessage = ({ data: { memory, guest, slot } }) => {
            const { exports } = guest.instantiate({ memory });
            exports.add(0, 1000);
            exports.set(slot * 4, slot * 11);
            postMessage([memory instanceof SharedMemory, guest instanceof Guest, memory.maximum]);
          };`;
        const workers = [1, 2, 3].map((slot) => {
          const worker = startWorker(code);
          worker.postMessage({ memory, guest, slot });
          return worker;
        });
        // All listen at once: what a worker posts while nobody listens is gone.
        for (const event of await Promise.all(workers.map((worker) => next(worker)))) same(event.data, [true, true, 4], 'what arrives');
        same([...new Int32Array(memory.buffer, 0, 4)], [3000, 11, 22, 33], 'what the guests wrote');
        guest.instantiate({ memory }).exports.add(0, 5);
        same(new Int32Array(memory.buffer)[0], 3005, 'and a guest here adds to it');
        const grower = startWorker(`onmessage = ({ data }) => { data.grow(2); postMessage(data.buffer.byteLength); };`);
        grower.postMessage(memory);
        same((await next(grower)).data, 3 * 65536, 'grown there');
        same(memory.buffer.byteLength, 3 * 65536, 'grown here');
        const clone = structuredClone({ memory, again: memory });
        new Uint8Array(memory.buffer)[100] = 5;
        ok(clone.memory === clone.again && new Uint8Array(clone.memory.buffer)[100] === 5, 'structuredClone shares it');
        const bytes = startWorker(`onmessage = ({ data }) => { new Uint8Array(data)[200] = 9; postMessage(0); };`);
        bytes.postMessage(memory.buffer);
        await next(bytes);
        same(new Uint8Array(memory.buffer)[200], 9, 'its buffer may be posted too');
        throws(() => structuredClone(guest.instantiate({ memory })), 'DataCloneError', 'an instance');
        for (const worker of [...workers, grower, bytes]) worker.terminate();
        "#,
    );
}

#[test]
fn a_memory_outlives_the_worker_that_made_it() {
    guest_passes(
        r#"
        const worker = startWorker(`import { SharedMemory } from 'isolane:wasm';
          const memory = new SharedMemory({ initial: 1, maximum: 2 });
          new Uint8Array(memory.buffer)[1] = 2;
          postMessage({ memory, buffer: memory.buffer });`);
        const { memory, buffer } = (await next(worker)).data;
        worker.terminate();
        await next(worker, 'close').catch(() => {});
        same([new Uint8Array(memory.buffer)[1], new Uint8Array(buffer)[1], memory.grow(1)], [2, 2, 1], 'its bytes');
        "#,
    );
}
