//! What other threads may do to a worker: end it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::guest::atomics::lot::{Waiter, Woken};
use crate::lane::inbox::{Event, Inbox};

/// Shared by a worker's thread and all who may end it.
pub(crate) struct Control {
    pub(crate) inbox: Arc<Inbox>,
    engine: wasmtime::Engine,
    terminated: AtomicBool,
    /// The worker's scripts filled the heap.
    heap_full: AtomicBool,
    /// A guest of the worker has asked whether it goes on, at least once.
    epoch_looked: AtomicBool,
    /// The isolate is gone.
    finished: AtomicBool,
    /// Set while the isolate lives.
    isolate: Mutex<Option<v8::IsolateHandle>>,
    /// Set while a guest of the worker waits in shared memory.
    waiting: Mutex<Option<Arc<Waiter>>>,
}

impl Control {
    pub(crate) fn new(inbox: Arc<Inbox>, engine: wasmtime::Engine) -> Arc<Self> {
        Arc::new(Self {
            inbox,
            engine,
            terminated: AtomicBool::new(false),
            heap_full: AtomicBool::new(false),
            epoch_looked: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            isolate: Mutex::new(None),
            waiting: Mutex::new(None),
        })
    }

    /// Ends the worker: its script wherever it is, its loop if it sleeps. Idempotent.
    pub(crate) fn terminate(self: &Arc<Self>) {
        // SYNC: terminate — SeqCst, before the look at `epoch_looked`; the worker's loop loads it with Acquire before each turn.
        let before = self.terminated.swap(true, Ordering::SeqCst);
        // The lock orders this with `set_isolate`: either the handle is there, or the thread that sets it sees the flag.
        if let Some(isolate) = &*self.isolate.lock().unwrap_or_else(PoisonError::into_inner) {
            isolate.terminate_execution();
        }
        // Running guests look at their worker's flag when the epoch moves.
        self.engine.increment_epoch();
        if !before && self.epoch_looked.load(Ordering::SeqCst) {
            self.keep_moving();
        }
        // Those that wait look at nothing. The lock orders this with `interruptible` as the one above with `set_isolate`.
        if let Some(waiter) = &*self.waiting() {
            waiter.interrupt();
        }
        self.inbox.post(Event::Nudge);
    }

    /// Ends the worker because its heap is full. Its own thread says so.
    pub(crate) fn end_for_heap(self: &Arc<Self>) {
        // Relaxed: the thread that reads it is the one that wrote it.
        self.heap_full.store(true, Ordering::Relaxed);
        self.terminate();
    }

    pub(crate) fn is_heap_full(&self) -> bool {
        self.heap_full.load(Ordering::Relaxed)
    }

    /// A guest asks at its start, and each time that the epoch has moved, whether it goes on. What it is told counts from the epoch that there is after the answer, so that an
    /// end between the two would pass it by: [`Control::terminate`] looks whether that can be.
    pub(crate) fn goes_on_after_epoch(&self) -> bool {
        // SYNC: terminate — SeqCst on both words: either the flag is seen here, or this is seen by who sets it.
        self.epoch_looked.store(true, Ordering::SeqCst);
        !self.terminated.load(Ordering::SeqCst)
    }

    /// Moves the epoch until the worker has ended.
    fn keep_moving(self: &Arc<Self>) {
        let control = Arc::clone(self);
        let moves = move || {
            while !control.finished.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(1));
                control.engine.increment_epoch();
            }
        };
        // Without a thread the end is as late as the next one's of any worker.
        let _no_thread = std::thread::Builder::new()
            .name("isolane-epoch".to_owned())
            .spawn(moves);
    }

    pub(crate) fn is_terminated(&self) -> bool {
        // SYNC: terminate
        self.terminated.load(Ordering::Acquire)
    }

    /// The worker's thread says that its isolate lives, or that it is about to end.
    pub(crate) fn set_isolate(&self, handle: Option<v8::IsolateHandle>) {
        self.finished.store(handle.is_none(), Ordering::Release);
        let mut slot = self.isolate.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = &handle
            && self.is_terminated()
        {
            handle.terminate_execution();
        }
        *slot = handle;
    }

    /// Runs a wait of the worker's thread that the end of the worker interrupts.
    pub(crate) fn interruptible(
        &self,
        waiter: &Arc<Waiter>,
        wait: impl FnOnce() -> Woken,
    ) -> Woken {
        *self.waiting() = Some(Arc::clone(waiter));
        let woken = if self.is_terminated() {
            Woken::Interrupted
        } else {
            wait()
        };
        *self.waiting() = None;
        woken
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Arc<Waiter>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
