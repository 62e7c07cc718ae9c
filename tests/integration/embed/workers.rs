//! Workers and runtimes as values of the embedder: many, shared, dropped; and what their options do.

use super::*;

#[test]
fn many_workers_run_at_once() {
    let workers: Vec<Worker> = (0..64)
        .map(|_| spawn("onmessage = ({ data }) => { postMessage(data * data); close(); };"))
        .collect();
    for (index, worker) in workers.iter().enumerate() {
        worker.post(index as f64).unwrap();
    }
    let ids: std::collections::HashSet<u32> = workers.iter().map(Worker::thread_id).collect();
    assert_eq!(ids.len(), workers.len(), "thread ids are their own");
    for (index, worker) in workers.iter().enumerate() {
        assert_eq!(
            receive(worker),
            Message::Number((index * index) as f64),
            "answer of worker {index}"
        );
    }
    for worker in workers {
        assert_eq!(join(worker), Outcome::Finished { code: 0 });
    }
}

#[test]
fn workers_of_one_runtime_come_and_go() {
    for round in 0..30 {
        let worker = spawn(ECHO);
        worker.post(round).unwrap();
        assert_eq!(receive(&worker), Message::Number(f64::from(round)));
        worker.terminate();
        assert_eq!(join(worker), Outcome::Terminated);
    }
}

#[test]
fn dropping_the_handle_ends_the_worker() {
    /// Tells when the worker let go of its options, which it does at its end.
    struct Guard(Sender<()>);
    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    for script in [
        "onmessage = () => {}; postMessage(1);",
        "postMessage(1); for (;;);",
    ] {
        let (sender, receiver) = channel();
        let guard = Guard(sender);
        let options = WorkerOptions::from_source("/test/dropped.mjs", script).stdout(move |_| {
            let _ = &guard;
        });
        let worker = spawn_with(options);
        receive(&worker);
        assert!(receiver.try_recv().is_err(), "the worker runs");
        drop(worker);
        receiver
            .recv_timeout(LIMIT)
            .unwrap_or_else(|_| panic!("the worker goes on after its handle: {script}"));
    }
}

#[test]
fn several_runtimes_live_side_by_side() {
    let runtimes = [
        Runtime::new().unwrap(),
        Runtime::builder().background_threads(1).build().unwrap(),
        runtime().clone(),
    ];
    for runtime in &runtimes {
        let worker = runtime
            .spawn(WorkerOptions::from_source("/test/echo.mjs", ECHO))
            .unwrap();
        worker.post("hello").unwrap();
        assert_eq!(text(receive(&worker)), "hello");
    }
}

#[test]
fn the_runtime_may_go_before_its_workers() {
    let worker = {
        let runtime = Runtime::new().unwrap();
        runtime
            .spawn(WorkerOptions::from_source("/test/echo.mjs", ECHO))
            .unwrap()
    };
    worker.post(1).unwrap();
    assert_eq!(receive(&worker), Message::Number(1.0));
}

#[test]
fn options_reach_the_script() {
    let options = WorkerOptions::from_source(
        "/test/options.mjs",
        "import process from 'node:process';
         postMessage([self.name, ...process.argv.slice(2), import.meta.url].join('|'));",
    )
    .name("the name")
    .arguments(["a b", "", "--c"]);
    let worker = spawn_with(options);
    assert_eq!(
        text(receive(&worker)),
        "the name|a b||--c|file:///test/options.mjs"
    );
}

#[test]
fn a_script_without_a_name_that_can_be_used_is_refused() {
    let refused = runtime().spawn(WorkerOptions::from_url("not a url"));
    let Err(SpawnError::Url(name)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(name, "not a url");
}

#[test]
fn a_data_url_is_a_script() {
    let worker = spawn_with(WorkerOptions::from_url(
        "data:text/javascript,postMessage(6*7)",
    ));
    assert_eq!(receive(&worker), Message::Number(42.0));
}

#[test]
fn output_goes_where_the_embedder_wants_it() {
    let (stdout, stderr) = (
        crate::support::Captured::default(),
        crate::support::Captured::default(),
    );
    let options = WorkerOptions::from_source(
        "/test/output.mjs",
        "import process from 'node:process';
         console.log('out', { a: [1, 2] });
         console.error('err');
         process.stdout.write('no newline');",
    )
    .stdout(stdout.sink())
    .stderr(stderr.sink());
    assert_eq!(join(spawn_with(options)), Outcome::Finished { code: 0 });
    assert_eq!(stdout.text(), "out { a: [ 1, 2 ] }\nno newline");
    assert_eq!(stderr.text(), "err\n");
}
