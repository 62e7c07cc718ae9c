//! How a worker ended, as its handle tells it.

use isolane::{Message, Outcome, WorkerOptions};

use crate::support::{Folder, join, receive, spawn, spawn_with, thrown};

#[test]
fn a_script_that_has_nothing_left_to_do_is_finished() {
    assert_eq!(join(spawn("1 + 1;")), Outcome::Finished { code: 0 });
    assert_eq!(join(spawn("")), Outcome::Finished { code: 0 });
    let timers = "setTimeout(() => setTimeout(() => {}, 1), 1); await Promise.resolve();";
    assert_eq!(join(spawn(timers)), Outcome::Finished { code: 0 });
}

#[test]
fn the_exit_code_is_that_of_process() {
    let script = "import process from 'node:process'; process.exitCode = 3;";
    assert_eq!(join(spawn(script)), Outcome::Finished { code: 3 });
    let script =
        "import process from 'node:process'; setTimeout(() => { process.exitCode = 4; }, 1);";
    assert_eq!(join(spawn(script)), Outcome::Finished { code: 4 });
}

#[test]
fn close_finishes_a_worker_that_listens() {
    let worker = spawn(
        "import process from 'node:process';
         onmessage = () => { postMessage('last'); process.exitCode = 5; close(); };",
    );
    worker.post(1).unwrap();
    worker.post(2).unwrap();
    assert_eq!(receive(&worker), Message::String("last".to_owned()));
    assert_eq!(join(worker), Outcome::Finished { code: 5 });
}

#[test]
fn exit_ends_the_script_where_it_stands() {
    let script = "import process from 'node:process';
        onmessage = () => {};
        const run = () => { try { process.exit(7); } finally { postMessage('went on'); } };
        run();
        postMessage('went on');";
    let worker = spawn(script);
    assert_eq!(
        worker.recv_timeout(crate::support::LIMIT),
        Err(isolane::RecvError::Closed),
        "nothing runs after process.exit()"
    );
    assert_eq!(join(worker), Outcome::Exited { code: 7 });
}

#[test]
fn exit_works_from_every_place() {
    let places = [
        "setTimeout(() => process.exit(9));",
        "Promise.resolve().then(() => process.exit(9));",
        "await null; process.exit(9);",
        "queueMicrotask(() => process.exit(9)); setInterval(() => {}, 1);",
        "process.exitCode = 9; process.exit();",
        "process.nextTick(() => process.exit(9));",
    ];
    for place in places {
        let worker = spawn(&format!("import process from 'node:process'; {place}"));
        assert_eq!(join(worker), Outcome::Exited { code: 9 }, "{place}");
    }
}

#[test]
fn an_uncaught_error_tells_where_it_was_thrown() {
    let text = "// A comment.\nfunction outer() {\n  inner();\n}\nfunction inner() {\n    throw new TypeError('not that');\n}\nouter();\n";
    let worker = spawn_with(WorkerOptions::from_source("/test/faulty.mjs", text));
    let error = thrown(worker);
    assert_eq!(error.name, "TypeError");
    assert_eq!(error.message, "not that");
    assert_eq!(error.file, "file:///test/faulty.mjs");
    // Where the error was made; V8 keeps that with the error.
    assert_eq!((error.line, error.column), (6, 11));
    assert_eq!(error.source_line, "    throw new TypeError('not that');");
    let frames: Vec<&str> = error.stack.lines().map(str::trim).collect();
    assert_eq!(
        frames,
        [
            "TypeError: not that",
            "at inner (file:///test/faulty.mjs:6:11)",
            "at outer (file:///test/faulty.mjs:3:3)",
            "at file:///test/faulty.mjs:8:1",
        ]
    );
    let shown = error.to_string();
    assert!(
        shown.starts_with(
            "file:///test/faulty.mjs:6\n    throw new TypeError('not that');\n          ^\n"
        ),
        "the source line stands above the stack:\n{shown}"
    );
    assert!(shown.contains("TypeError: not that"), "{shown}");
}

#[test]
fn causes_are_part_of_the_stack() {
    let error = thrown(spawn(
        "const root = new RangeError('the root');
         throw new Error('the tip', { cause: new Error('the middle', { cause: root }) });",
    ));
    let at = |text: &str| {
        error
            .stack
            .find(text)
            .unwrap_or_else(|| panic!("{text:?} is not in the stack:\n{}", error.stack))
    };
    assert!(at("Error: the tip") < at("Error: the middle"));
    assert!(at("Error: the middle") < at("RangeError: the root"));
    assert!(error.stack.contains("[cause]"), "{}", error.stack);
}

#[test]
fn a_cause_need_not_be_an_error() {
    let error = thrown(spawn("throw new Error('x', { cause: { code: 17 } });"));
    assert!(error.stack.contains("code: 17"), "{}", error.stack);
}

#[test]
fn causes_that_go_round_end() {
    let error = thrown(spawn("const e = new Error('round'); e.cause = e; throw e;"));
    assert_eq!(error.message, "round");
}

#[test]
fn a_thrown_value_need_not_be_an_error() {
    let cases = [
        ("'a string'", "a string"),
        ("{ code: 5 }", "code: 5"),
        ("undefined", "undefined"),
        ("null", "null"),
        ("7n", "7"),
        ("Symbol('s')", "Symbol(s)"),
        ("Object.create(null)", ""),
        (
            "new Proxy({}, { get() { throw 1; }, ownKeys() { throw 2; } })",
            "",
        ),
        (
            "{ get message() { throw 1; }, toString() { throw 2; } }",
            "",
        ),
    ];
    for (value, shown) in cases {
        let error = thrown(spawn(&format!("\nthrow {value};")));
        assert_eq!(error.name, "", "{value} has no class");
        assert!(
            error.message.contains(shown),
            "{value} is shown as {:?}",
            error.message
        );
        // What is no error keeps no place, and a module's exception is what its promise was rejected with.
        assert_eq!(error.line, 0, "line of {value}");
    }
}

#[test]
fn errors_outside_the_first_run_end_the_worker_too() {
    let places = [
        "setTimeout(() => { throw new Error('found'); });",
        "queueMicrotask(() => { throw new Error('found'); });",
        "Promise.reject(new Error('found'));",
        "(async () => { await null; throw new Error('found'); })();",
        "await new Promise((resolve) => setTimeout(resolve, 1)); throw new Error('found');",
        "const { port1, port2 } = new MessageChannel(); port2.onmessage = () => { throw new Error('found'); }; port1.postMessage(1);",
        "new EventTarget().dispatchEvent(new Event('x')); const t = new EventTarget(); t.addEventListener('x', () => { throw new Error('found'); }); t.dispatchEvent(new Event('x'));",
        "reportError(new Error('found'));",
        "import process from 'node:process'; process.nextTick(() => { throw new Error('found'); });",
        "new Worker('data:text/javascript,throw new Error(`found`)', { type: 'module' });",
    ];
    for place in places {
        // Something is left to wait for, so that only the error can end it.
        let error = thrown(spawn(&format!("setInterval(() => {{}}, 1000);\n{place}")));
        assert_eq!(error.message, "found", "{place}");
    }
}

#[test]
fn an_error_in_a_message_handler_is_told_with_its_place() {
    let worker = spawn("onmessage = ({ data }) => {\n  data.missing.property;\n};");
    worker.post_structured(&serde_json::json!({})).unwrap();
    let error = thrown(worker);
    assert_eq!(error.name, "TypeError");
    assert_eq!((error.line, error.column), (2, 16));
    assert_eq!(error.source_line, "  data.missing.property;");
}

#[test]
fn a_script_may_handle_its_uncaught_errors() {
    let worker = spawn(
        "const seen = [];
         addEventListener('error', (event) => {
           event.preventDefault();
           seen.push(`${event.error.message}@${event.lineno}`);
         });
         addEventListener('unhandledrejection', (event) => {
           event.preventDefault();
           seen.push(`rejected ${event.reason.message}`);
           postMessage(seen.join());
         });
         setTimeout(() => { throw new Error('first'); });
         setTimeout(() => Promise.reject(new Error('second')));",
    );
    assert_eq!(
        receive(&worker),
        Message::String("first@11,rejected second".to_owned())
    );
    assert_eq!(join(worker), Outcome::Finished { code: 0 });
}

#[test]
fn a_rejection_that_is_handled_in_time_is_no_error() {
    let script = "const p = Promise.reject(new Error('handled')); await null; p.catch(() => {});
                  try { await Promise.reject(new Error('caught')); } catch {}";
    assert_eq!(join(spawn(script)), Outcome::Finished { code: 0 });
}

#[test]
fn recursion_without_end_is_a_range_error() {
    let error = thrown(spawn("function deeper() { deeper(); }\ndeeper();"));
    assert_eq!(error.name, "RangeError");
    let small = WorkerOptions::from_source(
        "/test/deep.mjs",
        "let depth = 0; function deeper() { depth++; deeper(); } try { deeper(); } catch {} postMessage(depth);",
    );
    let depth = |options: WorkerOptions| match receive(&spawn_with(options)) {
        Message::Number(depth) => depth,
        other => panic!("{other:?}"),
    };
    let (small, large) = (
        depth(small.clone().stack_size(1 << 20)),
        depth(small.stack_size(16 << 20)),
    );
    assert!(
        large > 2.0 * small,
        "a larger stack is deeper: {large} against {small}"
    );
}

#[test]
fn a_missing_script_is_an_error_that_names_it() {
    let folder = Folder::new(&[]);
    let error = thrown(spawn_with(WorkerOptions::from_file(
        folder.at("missing.mjs"),
    )));
    assert!(error.message.contains("missing.mjs"), "{}", error.message);
}

#[test]
fn a_syntax_error_tells_its_place() {
    let error = thrown(spawn("const fine = 1;\nconst = 2;\n"));
    assert_eq!(error.name, "SyntaxError");
    assert_eq!(error.file, "file:///test/worker.mjs");
    assert_eq!((error.line, error.column), (2, 7));
    assert_eq!(error.source_line, "const = 2;");
}

#[test]
fn an_await_that_nothing_can_end_is_an_error() {
    let error = thrown(spawn("\nawait new Promise(() => {});"));
    assert!(
        error.message.contains("await"),
        "the message tells: {}",
        error.message
    );
    assert_eq!(error.file, "file:///test/worker.mjs");
    assert_eq!(error.line, 2);
    assert_eq!(error.source_line, "await new Promise(() => {});");
}

#[test]
fn an_error_in_a_worker_of_a_worker_names_the_inner_script() {
    let folder = Folder::new(&[
        (
            "main.mjs",
            "new Worker(new URL('inner.mjs', import.meta.url), { type: 'module' });",
        ),
        ("inner.mjs", "\n\n  throw new RangeError('inside');"),
    ]);
    let ended = folder.run();
    let error = ended.error();
    assert_eq!((&*error.name, &*error.message), ("RangeError", "inside"));
    assert_eq!(error.file, folder.url("inner.mjs"));
    assert_eq!((error.line, error.column), (3, 9));
}

#[test]
fn what_listeners_of_exit_do_counts() {
    let script = "import process from 'node:process'; process.on('exit', () => { throw new RangeError('late'); });";
    assert_eq!(thrown(spawn(script)).message, "late");
    let script = "import process from 'node:process'; process.on('exit', () => process.exit(5));";
    assert_eq!(join(spawn(script)), Outcome::Exited { code: 5 });
    let script = "import process from 'node:process'; process.on('exit', () => { throw new Error('second'); }); throw new Error('first');";
    assert_eq!(thrown(spawn(script)).message, "first");
    let script = "import process from 'node:process'; process.on('exit', () => process.exit(6)); throw new Error('first');";
    assert_eq!(join(spawn(script)), Outcome::Exited { code: 6 });
}

#[test]
fn a_full_heap_ends_its_worker_and_no_other() {
    let neighbour = spawn("onmessage = ({ data }) => postMessage(data);");
    for fill in [
        "const kept = []; for (let i = 0; ; i++) kept.push([i, i, i, i, i, i, i, i]);",
        "let text = 'x'; const kept = []; for (;;) { try { kept.push({ text: text + kept.length, more: [kept.length] }); } catch {} }",
        "const kept = []; const more = () => { kept.push([1, 2, 3, 4, 5, 6, 7, 8]); queueMicrotask(more); }; more();",
        "const kept = new Map(); for (let i = 0; ; i++) kept.set(`key ${i}`, { i });",
    ] {
        let script = format!("postMessage('on'); {fill}");
        let options = WorkerOptions::from_source("/test/full.mjs", script);
        let worker = spawn_with(options.heap_size(32 << 20));
        receive(&worker);
        assert!(thrown(worker).message.contains("memory limit"), "{fill}");
        neighbour.post(7).unwrap();
        assert_eq!(receive(&neighbour), Message::Number(7.0));
    }
    let maker = "const worker = new Worker('data:text/javascript,const kept = []; for (let i = 0; ; i++) kept.push([i, i, i, i, i, i]);', { type: 'module' });
        worker.onerror = (event) => { event.preventDefault(); postMessage(event.message); };";
    let maker =
        spawn_with(WorkerOptions::from_source("/test/maker.mjs", maker).heap_size(32 << 20));
    let Message::String(message) = receive(&maker) else {
        panic!("the limit is the child's too");
    };
    assert!(message.contains("memory limit"), "{message}");
}

#[test]
fn a_panic_of_the_embedder_s_output_function_stays_there() {
    let options =
        WorkerOptions::from_source("/test/loud.mjs", "console.log(1); postMessage('goes on');");
    let worker = spawn_with(options.stdout(|_| panic!("in the embedder's function")));
    assert_eq!(receive(&worker), Message::String("goes on".to_owned()));
    assert_eq!(join(worker), Outcome::Finished { code: 0 });
}

#[test]
fn any_stack_size_that_is_asked_for_is_safe() {
    for bytes in [0, 1, 64 << 20, usize::MAX] {
        let script =
            "const deep = () => deep(); try { deep(); } catch (error) { postMessage(error.name); }";
        let worker =
            spawn_with(WorkerOptions::from_source("/test/deep.mjs", script).stack_size(bytes));
        assert_eq!(
            receive(&worker),
            Message::String("RangeError".to_owned()),
            "{bytes}"
        );
    }
}

#[test]
fn exit_in_a_listener_of_before_exit_counts() {
    let script =
        "import process from 'node:process'; process.on('beforeExit', () => process.exit(4));";
    assert_eq!(join(spawn(script)), Outcome::Exited { code: 4 });
}

#[test]
fn causes_and_parts_of_an_error_are_shown_once() {
    let script = "const error = new Error('top', { cause: new TypeError('below') }); error.cause.cause = error; throw error;";
    let stack = thrown(spawn(script)).stack;
    assert_eq!(stack.matches("TypeError: below").count(), 1, "{stack}");
    assert!(stack.contains("[Circular"), "{stack}");
    let script = "throw new AggregateError([new Error('one'), new RangeError('two')], 'all');";
    let stack = thrown(spawn(script)).stack;
    assert!(
        stack.contains("Error: one") && stack.contains("RangeError: two"),
        "{stack}"
    );
    let script = "const error = new Error('x'); delete error.stack; for (const name of ['name', 'message']) Object.defineProperty(error, name, { get() { throw 1; } }); throw error;";
    assert!(!thrown(spawn(script)).stack.is_empty());
}

#[test]
fn what_has_no_place_in_the_script_has_none() {
    let error = thrown(spawn("Promise.reject(1); await new Promise(() => {});"));
    assert!(
        !error.file.contains("glue") && !error.source_line.contains("ops."),
        "{error:?}"
    );
}

#[test]
fn a_listener_of_before_exit_may_find_more_to_do() {
    let script = "import process from 'node:process'; let n = 0;
        process.on('beforeExit', () => { postMessage('idle'); if (n++ < 2) setTimeout(() => postMessage('timer'), 1); });";
    let worker = spawn(script);
    for expected in ["idle", "timer", "idle", "timer", "idle"] {
        assert_eq!(receive(&worker), Message::String(expected.to_owned()));
    }
    assert_eq!(join(worker), Outcome::Finished { code: 0 });
}

#[test]
fn a_buffer_that_does_not_fit_is_a_range_error() {
    let script = "for (const size of [1e12, 1e13, 2 ** 53]) try { new ArrayBuffer(size); postMessage('made'); } catch (error) { postMessage(error.name); }";
    let worker = spawn(script);
    for _ in 0..3 {
        assert_eq!(receive(&worker), Message::String("RangeError".to_owned()));
    }
    assert_eq!(join(worker), Outcome::Finished { code: 0 });
}
