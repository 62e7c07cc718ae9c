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
            .name(name.to_owned())
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

    /// Its thread, which ends as soon as it is through with the isolate's start.
    fn let_go(self) -> JoinHandle<Outcome> {
        self.thread
    }
}

/// The spare workers of a runtime.
pub(crate) struct Spares {
    most: usize,
    pool: Mutex<Pool>,
}

#[derive(Default)]
struct Pool {
    waiting: Vec<Spare>,
    /// Let go of, and ending by themselves.
    leaving: Vec<JoinHandle<Outcome>>,
}

impl Spares {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            pool: Mutex::default(),
        }
    }

    /// The one that has waited longest of those of these sizes.
    pub(crate) fn take(&self, sizes: Sizes) -> Option<Spare> {
        let waiting = &mut self.pool().waiting;
        let index = waiting.iter().position(|spare| spare.sizes == sizes)?;
        Some(waiting.remove(index))
    }

    /// Makes those that are missing. All are of these sizes then: workers of a runtime mostly are. Without a thread for one there are fewer.
    pub(crate) fn refill(&self, engine: &wasmtime::Engine, sizes: Sizes) {
        let mut pool = self.pool();
        let pool = &mut *pool;
        pool.leaving.retain(|thread| !thread.is_finished());
        let others = pool.waiting.extract_if(.., |spare| spare.sizes != sizes);
        pool.leaving.extend(others.map(Spare::let_go));
        while pool.waiting.len() < self.most
            && let Ok(spare) = Spare::start(engine, sizes, "isolane-spare")
        {
            pool.waiting.push(spare);
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // Each change is whole when the lock is let go of.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        let Pool { waiting, leaving } = std::mem::take(&mut *self.pool());
        // All are told before any is waited for. A process must not end while a thread is in V8's start.
        let waiting: Vec<_> = waiting.into_iter().map(Spare::let_go).collect();
        for thread in leaving.into_iter().chain(waiting) {
            let _outcome = thread.join();
        }
    }
}
