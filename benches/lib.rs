//! What the benches share: workers that answer.

use isolane::{Message, Runtime, Worker, WorkerOptions};

/// A worker that runs `script` and has posted `"ready"`.
///
/// # Panics
/// If the worker does not start: a bench of a broken build has no figures.
#[must_use]
pub fn ready(runtime: &Runtime, script: &str) -> Worker {
    let worker = runtime
        .spawn(WorkerOptions::from_source(
            "bench.mjs",
            format!("{script}\npostMessage('ready');"),
        ))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        worker.recv().ok(),
        Some(Message::String("ready".to_owned())),
        "the worker said something else first"
    );
    worker
}
