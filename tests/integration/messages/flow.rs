//! Flow control: what waits is told in bytes, a sender may wait until little is left, and a quota refuses what is too much.

use super::*;
use crate::support::soak;

#[test]
fn a_sender_that_waits_until_it_is_ready_holds_memory_flat() {
    // The receiver takes its time; the sender posts until so many bytes wait, and goes on when a quarter is left. What waits never exceeds the mark and
    // one message, however many are sent, and all of them arrive.
    let count = soak(20_000, 10_000_000);
    passes(&format!(
        r"
        const COUNT = {count}, HIGH = 65_536;
        const worker = startWorker(`
          let expected = 0;
          onmessage = ({{ data }}) => {{
            if (data !== expected) throw new Error(data + ' instead of ' + expected);
            if (++expected % 4096 === 0) {{ const until = performance.now() + 1; while (performance.now() < until); }}
            if (expected === ${{COUNT}}) postMessage('all');
          }};`);
        const all = next(worker);
        worker.bufferedAmountLowThreshold = HIGH / 4;
        let most = 0, waits = 0;
        for (let i = 0; i < COUNT; i++) {{
          worker.postMessage(i);
          const amount = worker.bufferedAmount;
          if (amount > most) most = amount;
          if (amount >= HIGH) {{
            waits++;
            await worker.ready();
            ok(worker.bufferedAmount <= HIGH / 4, 'ready tells of too much: ' + worker.bufferedAmount);
          }}
        }}
        same((await all).data, 'all', 'everything arrives');
        ok(waits > 0, 'the sender never had to wait');
        ok(most <= HIGH + 64, 'more waited than the sender let: ' + most);
        worker.terminate();
        "
    ));
}

#[test]
fn a_flood_of_objects_is_bounded_by_their_bytes() {
    passes(
        r"
        const worker = startWorker(`onmessage = ({ data }) => { if (data.last) postMessage('all'); };`);
        const all = next(worker);
        const HIGH = 1 << 20;
        const payload = new Uint8Array(10_000);
        let most = 0;
        for (let i = 0; i < 3_000; i++) {
          worker.postMessage({ payload, last: i === 2_999 });
          most = Math.max(most, worker.bufferedAmount);
          if (worker.bufferedAmount > HIGH) await worker.ready();
        }
        await all;
        ok(most > 10_000 && most < HIGH + 11_000, 'not bounded: ' + most);
        worker.terminate();
        ",
    );
}

#[test]
fn the_amount_counts_slots_strings_and_parcels_and_falls_to_nothing() {
    passes(
        r"
        const worker = startWorker(`
          let port;
          onmessage = ({ data, ports }) => { if (ports.length > 0) port = ports[0]; else if (data === 'read') { port.onmessage = () => {}; } };
          postMessage('up');`);
        await next(worker);
        const { port1, port2 } = new MessageChannel();
        same(port1.bufferedAmount, 0, 'nothing');
        port1.postMessage(1);
        same(port1.bufferedAmount, 64, 'a number within the thread');
        port1.postMessage({ text: 'x'.repeat(1000) });
        ok(port1.bufferedAmount > 1064 && port1.bufferedAmount < 1200, 'an object within the thread: ' + port1.bufferedAmount);
        worker.postMessage(0, [port2]);
        const moved = port1.bufferedAmount;
        ok(moved > 1064 && moved < 1400, 'the queue moved with the port: ' + moved);
        port1.postMessage(2);
        same(port1.bufferedAmount, moved + 64, 'a number');
        port1.postMessage('x'.repeat(128));
        same(port1.bufferedAmount, moved + 64 * 4, 'a string of three slots');
        const before = port1.bufferedAmount;
        port1.postMessage(new ArrayBuffer(1e6));
        ok(port1.bufferedAmount - before >= 1e6 && port1.bufferedAmount - before < 1e6 + 300, 'a buffer');
        for (let i = 0; i < 20_000; i++) port1.postMessage(i);
        ok(port1.bufferedAmount >= before + 1e6 + 64 * 20_000, 'many');
        const ready = port1.ready();
        worker.postMessage('read');
        await ready;
        same(port1.bufferedAmount, 0, 'all was received');
        port1.close();
        same(port1.bufferedAmount, 0, 'closed');
        worker.terminate();
        ",
    );
}

#[test]
fn the_event_comes_once_each_time_that_little_is_left() {
    passes(
        r"
        const worker = startWorker(`onmessage = ({ data }) => { if (data === 'end') postMessage('end'); };`);
        const ended = next(worker);
        // A pump that only ever goes on by the event, one message at a time: it must not stop when the receiver is quicker than the sender looks.
        let sent = 0, events = 0;
        worker.onbufferedamountlow = (event) => {
          events++;
          ok(event instanceof Event && event.isTrusted && event.type === 'bufferedamountlow' && event.target === worker, 'the event');
          if (sent === 500) worker.onbufferedamountlow = null;
          worker.postMessage(sent++ === 500 ? 'end' : sent);
        };
        worker.postMessage('first');
        await ended;
        same(events, 501, 'one event a message');
        worker.terminate();

        // Within the thread.
        const { port1, port2 } = new MessageChannel();
        const order = [];
        port2.onmessage = ({ data }) => order.push(data);
        port1.addEventListener('bufferedamountlow', () => order.push('low'));
        for (let i = 0; i < 3; i++) port1.postMessage(i);
        await new Promise((resolve) => setTimeout(resolve, 20));
        same(order, [0, 1, 2, 'low'], 'after the last message was taken');
        port1.close();
        ",
    );
}

#[test]
fn ready_is_refused_by_ports_that_send_no_more() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        await port1.ready();
        port1.postMessage(1);
        const waiting = port1.ready();
        ok(waiting === port1.ready(), 'one promise for all who wait');
        port2.close();
        await rejects(waiting, 'InvalidStateError', 'the other side closed');
        port1.close();
        await rejects(port1.ready(), 'InvalidStateError', 'closed');
        same(port1.bufferedAmount, 0, 'closed');

        // The other side is in another thread, and this one never starts its port: nothing else would tell it.
        const keeper = startWorker(`let port; onmessage = ({ data, ports }) => { if (ports.length) port = ports[0]; else port.close(); };`);
        const away = new MessageChannel();
        keeper.postMessage(0, [away.port2]);
        away.port1.postMessage('never read');
        const told = away.port1.ready();
        keeper.postMessage('close');
        await rejects(told, 'InvalidStateError', 'the receiver closed');
        await rejects(away.port1.ready(), 'InvalidStateError', 'and stays so');

        // Sent away while somebody waits.
        const moved = new MessageChannel();
        moved.port1.postMessage(1);
        const lost = moved.port1.ready();
        keeper.postMessage(0, [moved.port1]);
        await rejects(lost, 'InvalidStateError', 'the port was sent away');
        keeper.terminate();

        // The worker ends.
        const worker = startWorker(`setTimeout(() => {}, 1e6)`);
        worker.postMessage(1);
        const end = worker.ready();
        worker.terminate();
        await rejects(end, 'InvalidStateError', 'terminated');

        const get = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'bufferedAmount').get;
        throws(() => get.call({}), 'TypeError', 'brand');
        await rejects(MessagePort.prototype.ready.call({}), 'TypeError', 'brand of ready');
        ",
    );
}

#[test]
fn a_worker_may_wait_for_who_made_it_and_ports_for_each_other() {
    passes(
        r"
        // Up: the worker's global.
        const up = startWorker(`
          for (let i = 0; i < 5_000; i++) { postMessage(i); if (bufferedAmount > 10_000) await ready(); }
          await ready();
          postMessage(bufferedAmountLowThreshold === 0 && bufferedAmount === 0 ? 'done' : 'wrong');`);
        let expected = 0;
        await new Promise((resolve, reject) => {
          up.onmessage = ({ data }) => {
            if (data === 'done') resolve();
            else if (data !== expected++) reject(new Error(data + ' instead of ' + (expected - 1)));
          };
        });
        same(expected, 5_000, 'all came');
        up.terminate();
        // Across: two workers, with the receiving end moved to a third while the sender waits.
        const sender = startWorker(`
          onmessage = async ({ ports: [port] }) => {
            port.bufferedAmountLowThreshold = 640;
            for (let i = 0; i < 3_000; i++) { port.postMessage(i % 3 ? i : { i }); if (port.bufferedAmount > 6400) await port.ready(); }
            port.postMessage('end');
          };`);
        const reader = `onmessage = ({ data: { from, until }, ports: [port] }) => {
          port.onmessage = ({ data }) => {
            if (data === 'end') return postMessage('end');
            const i = typeof data === 'object' ? data.i : data;
            if (i !== from++) throw new Error(i + ' instead of ' + (from - 1));
            if (from === until) { postMessage(from, [port]); }
          };
        };`;
        const [one, other] = [startWorker(reader), startWorker(reader)];
        const { port1, port2 } = new MessageChannel();
        sender.postMessage(0, [port1]);
        one.postMessage({ from: 0, until: 1_000 }, [port2]);
        const { data: from, ports: [moved] } = await next(one);
        other.postMessage({ from }, [moved]);
        same((await next(other)).data, 'end', 'the rest came');
        for (const worker of [sender, one, other]) worker.terminate();
        ",
    );
}

#[test]
fn a_quota_refuses_what_is_too_much_and_nothing_is_lost() {
    passes(
        r"
        import { once } from 'node:events';
        import { Worker, MessageChannel } from 'node:worker_threads';
        const LIMIT = 200_000;
        const code = `
          import { parentPort, resourceLimits } from 'node:worker_threads';
          parentPort.postMessage(resourceLimits.messageBytes);
          await new Promise((resolve) => { const it = setInterval(() => { if (Atomics.load(new Int32Array(flag), 0)) { clearInterval(it); resolve(); } }, 1); });
          let expected = 0;
          parentPort.on('message', (data) => {
            if (data === 'end') return parentPort.postMessage(expected);
            const number = typeof data === 'object' ? data.number : data;
            if (number !== expected++) throw new Error(number + ' instead of ' + (expected - 1));
          });`;
        const flag = new SharedArrayBuffer(4);
        const worker = new Worker(`import { workerData as flag } from 'node:worker_threads';${code}`, {
          eval: true, workerData: flag, resourceLimits: { messageBytes: LIMIT },
        });
        same((await once(worker, 'message'))[0], LIMIT, 'the worker knows its limit');
        let number = 0, refused;
        while (refused === undefined) {
          try { worker.postMessage(number); number++; } catch (error) { refused = error; }
        }
        ok(refused instanceof QuotaExceededError && refused instanceof DOMException && refused.name === 'QuotaExceededError' && refused.code === 22, 'its class');
        same(refused.quota, LIMIT, 'the limit');
        ok(refused.requested > LIMIT, 'what was asked');
        ok(worker.bufferedAmount <= LIMIT && worker.bufferedAmount > LIMIT / 2, 'what waits: ' + worker.bufferedAmount);
        // Refused with everything that it would have handed over.
        const buffer = new ArrayBuffer(LIMIT);
        const { port1, port2 } = new MessageChannel();
        throws(() => worker.postMessage({ buffer, port1 }, [buffer, port1]), 'QuotaExceededError', 'a buffer that is too much');
        same(buffer.byteLength, LIMIT, 'the buffer is still here');
        port2.postMessage('still');
        same((await new Promise((resolve) => port1.once('message', resolve))), 'still', 'the port is still here');
        port1.close();
        // Another port to the same worker counts with it, and one to this thread does not.
        const channel = new MessageChannel();
        const object = { number: 0, filler: 'x'.repeat(1000) };
        const counted = worker.bufferedAmount;
        let sent = 0;
        try { for (; sent < 1000; sent++) worker.postMessage({ ...object, number: number + sent }); } catch (error) { same(error.name, 'QuotaExceededError', 'objects'); }
        ok(sent < 200, 'objects were let through: ' + sent);
        Atomics.store(new Int32Array(flag), 0, 1);
        await worker.ready();
        // There is room again.
        for (let i = 0; i < 100; i++) worker.postMessage({ number: number + sent + i, buffer: new ArrayBuffer(500) });
        await worker.ready();
        worker.postMessage('end');
        same((await once(worker, 'message'))[0], number + sent + 100, 'all that was not refused arrived, in order');
        await worker.terminate();
        ",
    );
}

#[test]
fn a_worker_that_floods_who_made_it_is_stopped_by_its_own_limit() {
    passes(
        r"
        import { once } from 'node:events';
        import { Worker } from 'node:worker_threads';
        const full = new Int32Array(new SharedArrayBuffer(4));
        const flood = new Worker(`
          import { parentPort, workerData as full } from 'node:worker_threads';
          let sent = 0, failed;
          try { for (;;) { parentPort.postMessage({ sent, filler: 'x'.repeat(2000) }); sent++; } } catch (error) { failed = error; }
          Atomics.store(full, 0, 1);
          Atomics.notify(full, 0);
          if (failed.name !== 'QuotaExceededError') throw failed;
          if (sent > 100) throw new Error('sent ' + sent);
          await parentPort.ready();
          parentPort.postMessage({ sent, done: true });
        `, { eval: true, workerData: full, resourceLimits: { messageBytes: 100_000 } });
        let came = 0;
        flood.on('message', (data) => { if (data.done) { same(came, data.sent, 'nothing is lost'); flood.terminate(); } else { same(data.sent, came++, 'order'); } });
        // Nothing is read until the limit was met: a reader as quick as the flood would let it go on for ever.
        Atomics.wait(full, 0, 0);
        same((await once(flood, 'exit')).length, 1, 'it ended');
        ok(came > 10, 'came: ' + came);
        for (const bad of [-1, NaN]) throws(() => new Worker('', { eval: true, resourceLimits: { messageBytes: bad } }), 'TypeError', 'limit ' + bad);
        throws(() => new Worker('', { eval: true, resourceLimits: { messageBytes: '1' } }), 'TypeError', 'a string');
        ",
    );
}
