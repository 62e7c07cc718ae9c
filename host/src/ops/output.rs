//! Where a worker's console and standard streams go.

use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::worker::state::WorkerState;

type Write = dyn Fn(&[u8]) + Send + Sync;

/// One of a worker's output streams.
#[derive(Clone, Default)]
pub(crate) enum Sink {
    /// The process's own stream.
    #[default]
    Inherit,
    /// A function of the embedder's.
    Function(Arc<Write>),
}

/// The two output streams of a worker.
#[derive(Clone, Default)]
pub(crate) struct Output {
    pub(crate) stdout: Sink,
    pub(crate) stderr: Sink,
}

impl Output {
    pub(crate) fn write(&self, is_error: bool, bytes: &[u8]) {
        let sink = if is_error { &self.stderr } else { &self.stdout };
        // A closed pipe is the reader's choice; a script's console has no way to hear of it.
        let _ignored = match sink {
            Sink::Function(function) => {
                // The frames above are V8's, which a panic cannot cross. The hook has told of it.
                let _panicked = catch_unwind(AssertUnwindSafe(|| function(bytes)));
                Ok(())
            }
            Sink::Inherit if is_error => io::stderr().lock().write_all(bytes),
            Sink::Inherit => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
        };
    }
}

pub(crate) fn write(scope: &mut v8::PinScope, is_error: bool, text: &str) {
    write_bytes(scope, is_error, text.as_bytes());
}

pub(crate) fn write_bytes(scope: &mut v8::PinScope, is_error: bool, bytes: &[u8]) {
    if let Some(state) = WorkerState::of(scope) {
        state.output.write(is_error, bytes);
    }
}
