//! The rules of web ports, of Node's ports and of `Worker` objects.

use super::*;

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
fn events_of_one_burst_are_as_different_as_those_of_many() {
    passes(
        r"
        // Events of a burst are copies of one; what one of them has, or is given, must not show in another.
        const { port1, port2 } = new MessageChannel();
        const events = [];
        const before = performance.now();
        await new Promise((resolve) => {
          port2.onmessage = (event) => {
            same([event.eventPhase, event.currentTarget === port2, event.composedPath().length], [2, true, 1], 'during its dispatch');
            ok(event.timeStamp <= performance.now(), 'an event is not of the future');
            event.mark = events.length;
            event.stopImmediatePropagation();
            if (events.push(event) === 100) resolve();
            const until = performance.now() + 0.05;
            while (performance.now() < until);
          };
          for (let i = 0; i < 100; i++) port1.postMessage(i + 0.25);
        });
        port1.close();
        same(new Set(events).size, 100, 'so many objects');
        same(events.map(({ data }) => data), events.map((_, i) => i + 0.25), 'their data');
        same(events.map(({ mark }) => mark), events.map((_, i) => i), 'what the handler added');
        const getter = Object.getOwnPropertyDescriptor(new Event('other'), 'isTrusted').get;
        let last = before;
        for (const event of events) {
          same([event.eventPhase, event.currentTarget, event.cancelBubble, event.isTrusted], [0, null, false, true], 'after its dispatch');
          const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(event, 'isTrusted');
          same([get === getter, set, enumerable, configurable], [true, undefined, true, false], 'isTrusted is [LegacyUnforgeable]');
          ok(event.timeStamp >= last, 'time goes on');
          last = event.timeStamp;
        }
        ok(last - events[0].timeStamp >= 99 * 0.05, 'each has its own time');
        events[0].initMessageEvent('renamed', true, true, 'other data', 'origin');
        same([events[1].type, events[1].data, events[1].origin, events[1].bubbles], ['message', 1.25, '', false], 'one alone is initialised');
        port2.dispatchEvent(events[2]);
        same([events[2].isTrusted, events[3].isTrusted], [false, true], 'one alone is dispatched by the script');
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

/// HTML §9.4.4, the message port post message steps: "doomed".
#[test]
fn a_port_that_is_sent_through_its_own_channel_is_lost_with_it() {
    passes(
        r"
        for (const listens of [true, false]) {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => { throw new Error('a message'); };
          if (listens) port2.onmessage = () => { throw new Error('a message'); };
          const closed = next(port1, 'close');
          const buffer = new ArrayBuffer(8);
          port1.postMessage(buffer, [port2, buffer]);
          same(buffer.byteLength, 0, 'what was transferred is gone');
          await closed;
        }
        throws(() => { const { port1 } = new MessageChannel(); port1.postMessage(0, [port1]); }, 'DataCloneError', 'the port itself');
        ",
    );
}

/// HTML §10.2.4: the closing flag discards the tasks that are queued.
#[test]
fn close_lets_no_other_task_begin() {
    passes(
        r"
        const worker = startWorker(`onmessage = ({ data }) => { postMessage(data); if (data === 2) { close(); postMessage('after close'); } };`);
        const heard = [];
        worker.onmessage = ({ data }) => heard.push(data);
        for (let i = 0; i < 5; i++) worker.postMessage(i);
        await next(worker, 'close');
        same(heard, [0, 1, 2, 'after close'], 'messages');
        const timers = startWorker(`setTimeout(() => { close(); Promise.resolve().then(() => postMessage('its own microtask')); }, 1); setTimeout(() => postMessage('timer'), 1); onmessage = () => {};`);
        const later = [];
        timers.onmessage = ({ data }) => later.push(data);
        await next(timers, 'close');
        same(later, ['its own microtask'], 'timers');
        ",
    );
}

/// HTML §8.1.4.4: what a module throws is reported at its global, and the worker goes on.
#[test]
fn an_error_of_a_worker_s_first_module_is_reported_there_first() {
    passes(
        r"
        const handled = startWorker(`self.onerror = (message) => { postMessage('onerror ' + message.includes('top')); return true; }; onmessage = ({ data }) => postMessage(data); throw new Error('top');`);
        handled.onerror = () => { throw new Error('it was handled'); };
        same((await next(handled)).data, 'onerror true', 'its own handler');
        handled.postMessage('goes on');
        same((await next(handled)).data, 'goes on', 'it goes on');
        handled.terminate();
        const told = startWorker(`onmessage = ({ data }) => postMessage(data); await null; throw new RangeError('late');`);
        const event = await new Promise((resolve) => { told.onerror = (event) => { event.preventDefault(); resolve(event); }; });
        same([event.message.includes('late'), event.error.name], [true, 'RangeError'], 'its maker hears of it');
        told.postMessage(5);
        same((await next(told)).data, 5, 'it goes on, too');
        told.terminate();
        ",
    );
}

/// Web IDL §3.2.17 and §3.2.18 for HTML's `WorkerOptions`.
#[test]
fn the_options_of_a_worker_are_a_dictionary() {
    passes(
        r"
        const url = 'data:text/javascript,';
        for (const options of [5, 'x', true, { name: Symbol('s') }, { type: 'x' }, { credentials: 'x' }]) throws(() => new Worker(url, options), 'TypeError', String(typeof options));
        Object.prototype.type = 'nonsense'; Object.prototype.name = 'inherited';
        new Worker(url);
        new Worker(url, null).terminate();
        delete Object.prototype.type; delete Object.prototype.name;
        const { Worker: NodeWorker } = await import('node:worker_threads');
        throws(() => new NodeWorker(new URL('file:///x.mjs'), { eval: true }), 'TypeError', 'source text is a string');
        ",
    );
}
