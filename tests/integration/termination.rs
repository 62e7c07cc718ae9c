//! Stop means stop, wherever the worker is.

use isolane::{Message, Outcome, RecvError, Worker, WorkerOptions};

use crate::support::{Folder, LIMIT, join, passes, receive, spawn, spawn_with};

/// Terminates a worker that has said "on", and is then at the place that the rest of its script tells.
#[track_caller]
fn ends(script: &str) {
    let worker = spawn(script);
    assert_eq!(receive(&worker), Message::String("on".to_owned()));
    worker.terminate();
    assert_eq!(join(worker), Outcome::Terminated, "{script}");
}

#[test]
fn in_a_busy_loop() {
    ends("postMessage('on'); for (;;);");
}

#[test]
fn in_a_busy_loop_that_catches_everything() {
    ends(
        "postMessage('on');
         function again() { try { for (;;); } catch { again(); } finally { for (;;); } }
         again();",
    );
}

#[test]
fn in_atomics_wait() {
    ends(
        "postMessage('on');
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
         postMessage('went on after the end');",
    );
}

#[test]
fn in_a_loop_of_microtasks() {
    ends("postMessage('on'); const again = () => Promise.resolve().then(again); again();");
}

#[test]
fn in_a_loop_of_queue_microtask() {
    ends("postMessage('on'); const again = () => queueMicrotask(again); again();");
}

#[test]
fn in_a_loop_of_next_ticks() {
    ends(
        "import process from 'node:process';
         postMessage('on'); const again = () => process.nextTick(again); again();",
    );
}

#[test]
fn while_parked() {
    ends("onmessage = () => {}; postMessage('on');");
}

#[test]
fn while_a_timer_is_far() {
    ends("setTimeout(() => {}, 2 ** 30); postMessage('on');");
}

#[test]
fn in_a_handler() {
    let worker = spawn("onmessage = () => { postMessage('on'); for (;;); };");
    worker.post(1).unwrap();
    worker.post(2).unwrap();
    assert_eq!(receive(&worker), Message::String("on".to_owned()));
    worker.terminate();
    assert_eq!(worker.recv_timeout(LIMIT), Err(RecvError::Closed));
    assert_eq!(join(worker), Outcome::Terminated);
}

#[test]
fn in_a_timer() {
    ends("setTimeout(() => { postMessage('on'); for (;;); });");
}

#[test]
fn in_a_regular_expression() {
    ends("postMessage('on'); /^(a+)+$/.test('a'.repeat(64) + 'b');");
}

#[test]
fn while_it_waits_for_a_top_level_await() {
    ends("setInterval(() => {}, 1); postMessage('on'); await new Promise(() => {});");
}

#[test]
fn while_a_getter_of_a_message_runs() {
    ends("postMessage('on'); postMessage({ get endless() { for (;;); } });");
}

#[test]
fn before_it_has_begun() {
    for _ in 0..20 {
        let worker = spawn("for (;;);");
        worker.terminate();
        worker.terminate();
        assert_eq!(join(worker), Outcome::Terminated);
    }
}

#[test]
fn its_workers_end_with_it() {
    ends(
        "const inner = (code) => new Worker(`data:text/javascript,${encodeURIComponent(code)}`, { type: 'module' });
         const busy = inner(`postMessage(1); for (;;);`);
         const waiting = inner(`postMessage(1); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`);
         let started = 0;
         busy.onmessage = waiting.onmessage = () => { if (++started === 2) postMessage('on'); };",
    );
}

#[test]
fn its_neighbours_go_on() {
    let echo: Worker = spawn("onmessage = ({ data }) => postMessage(data);");
    ends("postMessage('on'); for (;;);");
    echo.post(1).unwrap();
    assert_eq!(receive(&echo), Message::Number(1.0));
}

#[test]
fn from_another_thread() {
    let worker = std::sync::Arc::new(spawn("postMessage('on'); for (;;);"));
    receive(&worker);
    let other = std::sync::Arc::clone(&worker);
    std::thread::spawn(move || other.terminate())
        .join()
        .unwrap();
    assert_eq!(worker.recv_timeout(LIMIT), Err(RecvError::Closed));
    let worker = std::sync::Arc::into_inner(worker).unwrap();
    assert_eq!(join(worker), Outcome::Terminated);
}

#[test]
fn by_the_script_that_made_the_worker() {
    passes(
        r"
        for (const place of ['for (;;);', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);', 'onmessage = () => {};']) {
          const worker = startWorker(`postMessage('on'); ${place}`);
          same((await next(worker)).data, 'on', place);
          worker.onmessage = () => { throw new Error('a message after terminate()'); };
          const closed = next(worker, 'close');
          worker.terminate();
          await closed;
        }
        ",
    );
}

#[test]
fn by_node_s_terminate_which_tells_the_exit_code() {
    passes(
        r"
        const { Worker: NodeWorker } = await import('node:worker_threads');
        const worker = new NodeWorker('import { parentPort } from \'node:worker_threads\'; parentPort.postMessage(1); for (;;);', { eval: true });
        await new Promise((resolve) => worker.once('message', resolve));
        let exits = [];
        worker.on('exit', (code) => exits.push(code));
        const code = await worker.terminate();
        same(code, 1, 'exit code of terminate()');
        same(exits, [1], 'the exit event');
        ",
    );
}

/// V8 forgets that it ends a script when none is left on the stack: no other may start then.
#[test]
fn at_any_moment_of_the_start() {
    const SCRIPT: &str = "import process from 'node:process';
        const again = () => queueMicrotask(again); const ticks = () => process.nextTick(ticks);
        const timers = () => setTimeout(timers); const { port1, port2 } = new MessageChannel(); port2.onmessage = () => port1.postMessage(1); port1.postMessage(1);
        addEventListener('unhandledrejection', () => { for (;;); }); Promise.reject(1); timers(); ticks(); again();
        for (;;) { try { await null; } catch {} }";
    for round in 0..60 {
        let worker = spawn(SCRIPT);
        let until = std::time::Instant::now() + std::time::Duration::from_micros(round * 200);
        while std::time::Instant::now() < until {
            std::hint::spin_loop();
        }
        worker.terminate();
        assert_eq!(join(worker), Outcome::Terminated, "after {round} steps");
    }
}

/// Pipes and the like make the system wait; the worker does not wait with it.
#[test]
fn in_a_file_that_never_comes_to_an_end() {
    let folder = Folder::new(&[]);
    let pipes = std::cell::Cell::new(0);
    // Each its own: what one worker waits for may be open for a moment after its end.
    let pipe = || {
        pipes.set(pipes.get() + 1);
        let path = folder.at(&format!("pipe{}", pipes.get()));
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        path
    };
    for what in [
        "readFileSync('PIPE')",
        "writeFileSync('PIPE', 'x')",
        "await promises.readFile('PIPE')",
        "await promises.writeFile('PIPE', 'x')",
        "await import('file://PIPE')",
        "readFileSync('/dev/zero')",
    ] {
        let what = what.replace("PIPE", &pipe().display().to_string());
        let script = format!(
            "import {{ readFileSync, writeFileSync, promises }} from 'node:fs'; postMessage('on'); {what}; postMessage('went on');"
        );
        let options = WorkerOptions::from_source("/test/worker.mjs", script.clone());
        let worker = spawn_with(options.permissions(isolane::Permissions::all()));
        assert_eq!(receive(&worker), Message::String("on".to_owned()), "{what}");
        worker.terminate();
        assert_eq!(worker.recv_timeout(LIMIT), Err(RecvError::Closed), "{what}");
        assert_eq!(join(worker), Outcome::Terminated, "{what}");
        // A script's worker ends as well, and with its maker.
        let nested = format!(
            "const worker = new Worker('data:text/javascript,' + encodeURIComponent({script:?}), {{ type: 'module' }});
             worker.onmessage = () => {{ worker.terminate(); worker.addEventListener('close', () => postMessage('closed')); }};"
        );
        let options = WorkerOptions::from_source("/test/maker.mjs", nested);
        let worker = spawn_with(options.permissions(isolane::Permissions::all()));
        assert_eq!(
            receive(&worker),
            Message::String("closed".to_owned()),
            "{what}"
        );
        assert_eq!(join(worker), Outcome::Finished { code: 0 }, "{what}");
    }
    let pipe = pipe();
    let read = format!(
        "import {{ readFileSync }} from 'node:fs'; postMessage(readFileSync('{}', 'utf8'));",
        pipe.display()
    );
    let slow = std::thread::spawn(move || {
        let mut writer = std::fs::OpenOptions::new()
            .write(true)
            .open(pipe)
            .expect("the pipe");
        for part in ["one ", "two"] {
            std::io::Write::write_all(&mut writer, part.as_bytes()).expect("a reader");
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
    });
    let worker = spawn_with(
        WorkerOptions::from_source("/test/worker.mjs", read)
            .permissions(isolane::Permissions::all()),
    );
    assert_eq!(
        receive(&worker),
        Message::String("one two".to_owned()),
        "pipes are read to their end"
    );
    drop(slow.join());
}

/// Wherever the sender was stopped, its port's other side reads a close.
#[test]
fn in_the_middle_of_a_flood_of_messages() {
    passes(
        r"
        for (let round = 0; round < 40; round++) {
          const { port1, port2 } = new MessageChannel();
          const worker = startWorker(`onmessage = ({ data: port }) => { postMessage(0); for (let i = 0; ; i++) { port.postMessage(i % 7 ? i : { i }); postMessage(i); } };`);
          worker.postMessage(port2, [port2]);
          await next(worker);
          const closed = next(port1, 'close');
          await new Promise((resolve) => setTimeout(resolve, round % 8));
          worker.terminate();
          await closed;
        }
        ",
    );
    for round in 0..40 {
        let worker = spawn("for (let i = 0; ; i++) postMessage(i);");
        receive(&worker);
        std::thread::sleep(std::time::Duration::from_micros(100 * round));
        worker.terminate();
        while worker
            .recv_timeout(LIMIT)
            .map_err(|error| assert_eq!(error, RecvError::Closed))
            .is_ok()
        {}
        assert_eq!(join(worker), Outcome::Terminated);
    }
}
