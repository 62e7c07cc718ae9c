//! Where a worker's console and standard streams go.

use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rustix::event::PollFlags;

use crate::file;
use crate::worker::control::Control;
use crate::worker::outcome::UncaughtError;
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
    /// Writes all of it, or until the worker ends.
    fn write(&self, is_error: bool, bytes: &[u8], control: &Control) -> io::Result<()> {
        let sink = if is_error { &self.stderr } else { &self.stdout };
        match sink {
            Sink::Function(function) => {
                // The frames above are V8's, which a panic cannot cross. The hook has told of it.
                let _panicked = catch_unwind(AssertUnwindSafe(|| function(bytes)));
                Ok(())
            }
            Sink::Inherit if is_error => write_all(&io::stderr().lock(), bytes, control),
            Sink::Inherit => {
                let mut stdout = io::stdout().lock();
                // What the embedding program has printed comes first.
                stdout.flush()?;
                write_all(&stdout, bytes, control)
            }
        }
    }
}

/// The stream may have been made non-blocking by whoever else has it: then its reader is waited for here.
fn write_all(stream: &impl AsFd, mut bytes: &[u8], control: &Control) -> io::Result<()> {
    while !bytes.is_empty() {
        // Past the standard library's buffer, which would keep what could not be written. The lock keeps lines whole.
        match rustix::io::write(stream.as_fd(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::AGAIN) => file::wait_for(stream, PollFlags::OUT, control)?,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

pub(crate) fn write(scope: &mut v8::PinScope, is_error: bool, text: &str) {
    write_bytes(scope, is_error, text.as_bytes());
}

pub(crate) fn write_bytes(scope: &mut v8::PinScope, is_error: bool, bytes: &[u8]) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    // Of a standard error that cannot be written nobody can be told. The process's output is a program's result: without it the program has failed, as in
    // Node, and one that writes for ever ends when its reader does.
    if let Err(error) = state.output.write(is_error, bytes, &state.control)
        && !is_error
    {
        let message = format!("write to the standard output: {error}");
        state.uncaught.borrow_mut().get_or_insert(UncaughtError {
            name: "Error".to_owned(),
            stack: format!("Error: {message}"),
            message,
            ..UncaughtError::default()
        });
    }
}
