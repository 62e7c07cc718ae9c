//! Threads whose isolate is made before there is work for them.
//!
//! Most of a worker's start is its isolate's. Once a runtime has made a worker, a script's or the embedder's, it keeps spare ones ready, as many as
//! [`RuntimeBuilder::spare_workers`](crate::RuntimeBuilder::spare_workers) says; the next worker of the same sizes takes one over, even if it is not
//! quite ready, and the next spare is made when that worker has run its module.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::control::Control;
use super::options::WorkerOptions;
use super::outcome::Outcome;
use super::stack;
use super::thread::{Spawned, Work, live};
use crate::lane::inbox::Inbox;

/// What cannot be changed of an isolate and its thread any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) stack: usize,
    pub(crate) heap: Option<usize>,
}

impl Sizes {
    pub(crate) fn of(options: &WorkerOptions) -> Self {
        Self {
            stack: options.stack_size,
            heap: options.heap_size,
        }
    }
}

/// A thread that makes its isolate and then waits for work. If it is let go of it ends.
pub(crate) struct Spare {
    sizes: Sizes,
    control: Arc<Control>,
    work: SyncSender<Work>,
    thread: JoinHandle<Outcome>,
}

impl Spare {
    pub(crate) fn start(
        engine: &wasmtime::Engine,
        sizes: Sizes,
        name: &str,
    ) -> std::io::Result<Self> {
        let control = Control::new(Inbox::new(), engine.clone());
        let for_thread = Arc::clone(&control);
        let (work, receiver) = sync_channel(1);
        let thread = thread::Builder::new()
            // The system keeps 15 bytes of it, and takes no NUL.
            .name(name.replace('\0', " "))
            .stack_size(sizes.stack + stack::RESERVE)
            .spawn(move || live(&for_thread, sizes, &receiver))?;
        Ok(Self {
            sizes,
            control,
            work,
            thread,
        })
    }

    /// Makes it a worker.
    pub(crate) fn assign(self, work: Work) -> Spawned {
        let thread_id = work.thread_id;
        // There is room for one, and the thread does not end before it has taken it.
        let _sent = self.work.send(work);
        (self.control, thread_id, self.thread)
    }

    fn dismiss(self) {
        drop(self.work);
        let _outcome = self.thread.join();
    }
}

/// The spare workers of a runtime.
pub(crate) struct Spares {
    most: usize,
    waiting: Mutex<Vec<Spare>>,
}

impl Spares {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            waiting: Mutex::default(),
        }
    }

    /// The one that has waited longest of those of these sizes.
    pub(crate) fn take(&self, sizes: Sizes) -> Option<Spare> {
        let mut waiting = self.waiting();
        let index = waiting.iter().position(|spare| spare.sizes == sizes)?;
        Some(waiting.remove(index))
    }

    /// Makes those that are missing, of these sizes; for workers of other sizes those that they do not take make room. Without a thread for it there is none.
    pub(crate) fn refill(&self, engine: &wasmtime::Engine, sizes: Sizes) {
        let mut waiting = self.waiting();
        let fitting = waiting.iter().filter(|spare| spare.sizes == sizes).count();
        if fitting >= self.most {
            return;
        }
        let dismissed = (waiting.len() >= self.most)
            .then(|| waiting.iter().position(|spare| spare.sizes != sizes))
            .flatten()
            .map(|index| waiting.remove(index));
        while waiting.len() < self.most
            && let Ok(spare) = Spare::start(engine, sizes, "isolane-spare")
        {
            waiting.push(spare);
        }
        drop(waiting);
        if let Some(spare) = dismissed {
            spare.dismiss();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Spare>> {
        // Each change is whole when the lock is let go of.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        // A process must not end while a thread is in V8's start.
        for spare in std::mem::take(&mut *self.waiting()) {
            spare.dismiss();
        }
    }
}
