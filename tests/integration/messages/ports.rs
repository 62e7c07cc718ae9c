//! Ports: order, moves between threads, close, and whose turn it is.

use super::*;
use crate::support::soak;

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
        const last = next(second);
        while (i < COUNT) { post(i + 500); await new Promise((resolve) => setTimeout(resolve)); }
        const two = (await last).data;
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
fn both_ends_move_between_workers_while_both_send() {
    // Four workers; the two ends of one channel go round among them, each on its own, while whoever holds an end sends on it. The state of an end (what
    // it sent last, what it must receive next) travels with it. No message is lost, doubled or out of order, and each is what was sent.
    let count = soak(6_000, 3_000_000);
    passes(&format!(
        r"
        const COUNT = {count};
        const code = `
          const wrap = (i) => {{
            switch (i % 7) {{
              case 0: return i;
              case 1: return String(i).padStart(i % 128, '0');
              case 2: return BigInt(i);
              case 3: return {{ i, list: [i] }};
              case 4: return '語'.repeat(i % 90) + i;
              case 5: return Float64Array.of(i, i).buffer;
              default: return [i, null, true];
            }}
          }};
          const unwrap = (v) => {{
            if (v instanceof ArrayBuffer) return new Float64Array(v)[1];
            if (Array.isArray(v)) return v[0];
            if (typeof v === 'object') return v.list[0] === v.i ? v.i : NaN;
            return typeof v === 'string' ? Number(v.replaceAll('語', '')) : Number(v);
          }};
          onmessage = ({{ data: state, ports: [port] }}) => {{
            let turn = 0;
            const leave = () => {{ if (port) {{ const gone = port; port = undefined; gone.onmessage = null; postMessage(state, [gone]); }} }};
            const send = () => {{
              if (!port) return;
              const until = Math.min(state.sent + 40, state.count);
              while (state.sent < until) port.postMessage(wrap(state.sent++));
              if (++turn === state.turns) leave(); else setTimeout(send);
            }};
            port.onmessage = ({{ data }}) => {{
              const i = unwrap(data);
              if (i !== state.received) throw new Error('end ' + state.end + ': message ' + i + ' instead of ' + state.received);
              state.received++;
              if (state.received % 977 === 0) leave();
            }};
            setTimeout(send);
          }};`;
        const workers = [0, 1, 2, 3].map(() => startWorker(code));
        const {{ port1, port2 }} = new MessageChannel();
        let moves = 0;
        const home = [];
        await new Promise((resolve, reject) => {{
          const give = (state, port) => {{
            if (state.sent === COUNT && state.received === COUNT) {{ home.push(port); if (home.length === 2) resolve(); return; }}
            moves++;
            workers[(moves * 7 + state.end) % 4].postMessage({{ ...state, turns: 1 + moves % 9 }}, [port]);
          }};
          for (const worker of workers) {{
            worker.onmessage = ({{ data, ports: [port] }}) => give(data, port);
            worker.onerror = (event) => {{ event.preventDefault(); reject(new Error(event.message)); }};
          }}
          give({{ end: 0, sent: 0, received: 0, count: COUNT }}, port1);
          give({{ end: 1, sent: 0, received: 0, count: COUNT }}, port2);
        }});
        ok(moves > 20, 'the ends hardly moved: ' + moves);
        home[0].postMessage('home');
        same((await next(home[1])).data, 'home', 'the channel is whole');
        home[0].close();
        for (const worker of workers) worker.terminate();
        "
    ));
}
