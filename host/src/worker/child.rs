//! What a worker knows of the workers that it made.

use std::sync::Arc;
use std::thread::JoinHandle;

use super::control::Control;
use super::outcome::{Outcome, UncaughtError};

/// News from a worker to the one that made it.
pub(crate) struct ChildEvent {
    /// The child's place in the parent's table.
    pub(crate) id: u32,
    pub(crate) kind: ChildNews,
}

/// What happened.
pub(crate) enum ChildNews {
    /// Its script is about to run.
    Online,
    /// An exception that the child did not handle itself. The child goes on.
    Error(UncaughtError),
    /// It ended.
    Exit(Outcome),
}

/// One worker, as its parent holds it. Dropping it ends the worker and waits for its thread.
pub(crate) struct Child {
    pub(crate) control: Arc<Control>,
    pub(crate) thread: Option<JoinHandle<Outcome>>,
    /// Whether it keeps its parent's loop alive.
    pub(crate) referenced: bool,
}

impl Drop for Child {
    fn drop(&mut self) {
        self.control.terminate();
        if let Some(thread) = self.thread.take() {
            // A panic of the child's thread was reported where it happened.
            drop(thread.join());
        }
    }
}
