//! Every kind of value crosses, within a thread and between threads.

use super::*;

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
fn strings_of_every_length_and_representation_cross_wherever_the_ring_begins_again() {
    passes(
        r"
        // Engines keep strings in several ways: flat, concatenated, as a slice of another, and with two bytes a unit though one would do.
        const wide = '\u8a9e' + 'z'.repeat(150);
        const ways = [
          (n) => 'abcdefghij'.repeat(14).slice(0, n),
          (n) => 'x'.repeat(n >> 1) + '\u00ff'.repeat(n - (n >> 1)),
          (n) => '\ud800\u8a9e\udc00'.repeat(50).slice(0, n),
          (n) => wide.slice(1, n + 1),
          (n) => Array.from({ length: n }, (_, i) => String.fromCharCode(i === n - 1 ? 0x100 : 32 + i)).join(''),
        ];
        const worker = startWorker(() => { onmessage = ({ data }) => postMessage(data); });
        const strings = [];
        for (let n = 0; n <= 131; n++) for (const way of ways) strings.push(way(n));
        // One at a time: the ring stays small, and a string begins at each of its slots.
        for (let at = 0; at < strings.length; at++) {
          worker.postMessage(strings[at]);
          same((await next(worker)).data, strings[at], `string ${at}, alone`);
        }
        // All at once: it grows.
        let received = 0;
        const all = new Promise((resolve) => {
          worker.onmessage = ({ data }) => {
            same(data, strings[received], `string ${received}, of many`);
            if (++received === strings.length) resolve();
          };
        });
        for (const string of strings) worker.postMessage(string);
        await all;
        worker.terminate();
        ",
    );
}
