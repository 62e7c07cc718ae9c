//! The runtime: one V8 platform, one wasmtime engine, and the workers that share them.
//!
//! [`platform`] starts V8 once per process and leads its foreground tasks to the right worker; [`snapshot`] holds the heap that every isolate starts
//! from; [`allocator`] gives ArrayBuffers their memory.

pub(crate) mod allocator;
mod large_memory;
pub(crate) mod platform;
mod small_memory;
pub(crate) mod snapshot;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{RuntimeError, SpawnError};
use crate::lane::endpoint::Endpoint;
use crate::ops::environment::Environment;
use crate::worker::handle::Worker;
use crate::worker::options::{Start, WorkerOptions};
use crate::worker::spare::Spares;
use crate::worker::thread;

/// What the workers of a runtime share.
pub(crate) struct RuntimeShared {
    pub(crate) engine: wasmtime::Engine,
    environment: Environment,
    next_thread_id: AtomicU32,
    pub(crate) spares: Spares,
}

impl RuntimeShared {
    /// A number that no other worker of this runtime has. The first is 0, as the main thread's in Node.
    pub(crate) fn next_thread_id(&self) -> u32 {
        // Relaxed: only the number matters.
        self.next_thread_id.fetch_add(1, Ordering::Relaxed)
    }
}

/// Makes workers. Cheap to clone; clones are the same runtime.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use isolane::{Message, Runtime, WorkerOptions};
/// let runtime = Runtime::new()?;
/// let worker = runtime.spawn(WorkerOptions::from_source("double.mjs", "onmessage = ({ data }) => postMessage(data * 2)"))?;
/// worker.post(21)?;
/// assert_eq!(worker.recv()?, Message::Number(42.0));
/// worker.terminate();
/// worker.join();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<RuntimeShared>,
}

impl Runtime {
    /// A runtime with the default settings.
    ///
    /// # Errors
    /// If the WebAssembly engine cannot be made on this machine.
    pub fn new() -> Result<Self, RuntimeError> {
        Self::builder().build()
    }

    /// Sets up a runtime.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// Starts a worker. Returns at once; errors of the script are told by the worker's outcome.
    ///
    /// # Errors
    /// If the options name no script, or the system has no thread left.
    pub fn spawn(&self, options: WorkerOptions) -> Result<Worker, SpawnError> {
        let options = options.with_own_folder()?;
        let (ours, theirs) = Endpoint::pair();
        let start = Start::new(options, self.shared.environment.fork(), None);
        let (control, thread_id, join) = thread::spawn(&self.shared, start, Some(theirs), None)?;
        Ok(Worker::new(control, thread_id, join, ours))
    }
}

/// Settings of a [`Runtime`].
#[derive(Default)]
pub struct RuntimeBuilder {
    background_threads: Option<u32>,
    spare_workers: Option<usize>,
}

impl RuntimeBuilder {
    /// Threads on which V8 compiles and collects garbage, for all workers of the process together; 1 to 16. By default one less than the machine has
    /// cores. Only the first runtime of a process decides: V8 starts once.
    #[must_use]
    pub fn background_threads(mut self, threads: u32) -> Self {
        self.background_threads = Some(threads.clamp(1, 16));
        self
    }

    /// Workers that are kept ready, each a thread and an isolate with nothing to run, so that the next worker starts sooner; 0 to 16, by default 1. The
    /// first is made in the background when the first worker has run its module, other than a program's main one. A worker takes a spare one over if both
    /// have the same stack and heap sizes; spare ones have those of the worker that was started last.
    #[must_use]
    pub fn spare_workers(mut self, workers: usize) -> Self {
        self.spare_workers = Some(workers.min(16));
        self
    }

    /// Makes the runtime.
    ///
    /// # Errors
    /// If the WebAssembly engine cannot be made on this machine.
    pub fn build(self) -> Result<Runtime, RuntimeError> {
        platform::initialize(self.background_threads.unwrap_or(0));
        crate::lane::spin::measure();
        let mut config = wasmtime::Config::new();
        config
            .wasm_threads(true)
            .shared_memory(true)
            .wasm_simd(true)
            .max_wasm_stack(crate::worker::stack::GUEST)
            .epoch_interruption(true);
        let engine = wasmtime::Engine::new(&config)
            .map_err(|error| RuntimeError::Engine(format!("{error:#}")))?;
        let environment = Environment::inheriting(Environment::host_variables());
        Ok(Runtime {
            shared: Arc::new(RuntimeShared {
                engine,
                environment,
                next_thread_id: AtomicU32::new(0),
                spares: Spares::new(self.spare_workers.unwrap_or(1)),
            }),
        })
    }
}
