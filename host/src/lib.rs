//! Isolane: an embeddable worker runtime.
//!
//! A [`Runtime`] starts workers. Each is an OS thread with a V8 isolate of its own, running an ES module with web APIs and the parts of Node's that the
//! guides list; it exchanges messages with the embedding program and with other workers over lock-free lanes, and may share WebAssembly memory with
//! them.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use isolane::{Message, Runtime, WorkerOptions};
//!
//! let runtime = Runtime::new()?;
//! let worker = runtime.spawn(WorkerOptions::from_source("echo.mjs", "onmessage = ({ data }) => postMessage(data)"))?;
//! worker.post(vec![1_u8, 2, 3])?; // moved, not copied
//! match worker.recv()? {
//!     Message::Buffer(buffer) => assert_eq!(buffer.as_ref(), [1, 2, 3]),
//!     other => panic!("{other:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What blocks, and what does not
//! [`Worker::post`], [`Worker::try_recv`] and [`Worker::terminate`] never wait for a worker. [`Worker::recv`] and [`Worker::join`] do.
//!
//! # Isolation
//! A worker may reach nothing outside itself unless its [`Permissions`] grant it. What a script or guest does wrong ends its own worker, with an [`Outcome`]:
//! an exception, a trap, a full heap or stack. Not bounded yet are the bytes of ArrayBuffers, and a single allocation far beyond the heap's limit.

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod buffer;
mod clone;
mod error;
mod file;
mod guest;
mod lane;
mod modules;
mod ops;
mod permissions;
mod runtime;
mod worker;

pub use buffer::Buffer;
pub use clone::wire;
pub use error::{PostError, RecvError, RuntimeError, SpawnError, TryPostError};
pub use lane::metrics::{LaneMetrics, WorkerMetrics};
pub use permissions::Permissions;
pub use runtime::{Runtime, RuntimeBuilder};
pub use worker::handle::Worker;
pub use worker::message::{Message, Structured};
pub use worker::options::WorkerOptions;
pub use worker::outcome::{Outcome, UncaughtError};

/// Versions of the crate and of its two engines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Versions {
    /// This crate's.
    pub isolane: &'static str,
    /// V8's.
    pub v8: &'static str,
    /// wasmtime's.
    pub wasmtime: &'static str,
}

/// Versions of the crate and of its two engines.
#[must_use]
pub fn versions() -> Versions {
    Versions {
        isolane: env!("CARGO_PKG_VERSION"),
        v8: v8::V8::get_version(),
        wasmtime: env!("ISOLANE_WASMTIME_VERSION"),
    }
}
