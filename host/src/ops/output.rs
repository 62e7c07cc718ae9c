//! Where a worker's console and standard streams go.

use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, TryLockError};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::FileType;

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
            Sink::Inherit if is_error => write_all(&io::stderr(), &STDERR, bytes, control),
            Sink::Inherit => {
                // What the embedding program has printed comes first.
                io::stdout().flush()?;
                write_all(&io::stdout(), &STDOUT, bytes, control)
            }
        }
    }
}

/// One of the process's streams, as workers share it.
struct Stream {
    /// Keeps what one worker writes at a time whole. Not the standard library's lock, for which a worker would wait although it is ended.
    turn: Mutex<()>,
    /// Whether what is written goes to a file, where nobody waits.
    is_file: OnceLock<bool>,
}

static STDOUT: Stream = Stream::new();
static STDERR: Stream = Stream::new();

impl Stream {
    const fn new() -> Self {
        Self {
            turn: Mutex::new(()),
            is_file: OnceLock::new(),
        }
    }

    fn turn(&self, control: &Control) -> io::Result<MutexGuard<'_, ()>> {
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) => file::pause(A_TURN, control)?,
            }
        }
    }
}

/// How long a worker waits before it asks again for its turn at a stream.
const A_TURN: Duration = Duration::from_micros(200);

/// What a pipe that can be written takes at least (pipe(7), `PIPE_BUF`).
const PIPE_BUF: usize = 4096;

/// Writes past the standard library's buffer, which would keep what could not be written. The reader is waited for here and not in the kernel, where a
/// worker could not be ended.
fn write_all(
    file: &impl AsFd,
    stream: &Stream,
    mut bytes: &[u8],
    control: &Control,
) -> io::Result<()> {
    let is_file = *stream.is_file.get_or_init(|| {
        let status = rustix::fs::fstat(file.as_fd());
        status.is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::RegularFile)
    });
    let _turn = stream.turn(control)?;
    while !bytes.is_empty() {
        let most = if is_file {
            bytes.len()
        } else {
            bytes.len().min(PIPE_BUF)
        };
        if !is_file {
            file::wait_for(file, PollFlags::OUT, control)?;
        }
        match rustix::io::write(file.as_fd(), bytes.get(..most).unwrap_or(bytes)) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
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
        let error = UncaughtError::of_host(format!("write to the standard output: {error}"));
        state.uncaught.borrow_mut().get_or_insert(error);
    }
}
