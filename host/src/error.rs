//! Errors of the embedder's API.

use std::io;

use crate::clone::wire::WireError;
use crate::lane::quota::QuotaExceeded;
use crate::worker::message::Message;

/// A runtime could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// wasmtime refused its configuration on this machine.
    #[error("the WebAssembly engine could not be made: {0}")]
    Engine(String),
}

/// A worker could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The script's name is neither a path nor a URL.
    #[error("\"{0}\" names no script: a path, a file: URL or a data: URL is needed")]
    Url(String),
    /// The system gave no thread.
    #[error("no thread for the worker \"{name}\": {source}")]
    Thread {
        /// The worker's name.
        name: String,
        /// The system's error.
        source: io::Error,
    },
}

/// A message could not be sent to a worker.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    /// The worker ended, or closed its port.
    #[error("the worker has ended")]
    Closed,
    /// What waits for the worker has reached [`WorkerOptions::message_bytes`](crate::WorkerOptions::message_bytes). Nothing was sent.
    #[error(
        "the worker's limit of {limit} bytes of undelivered messages would be exceeded: {requested} bytes with this one"
    )]
    QuotaExceeded {
        /// The limit, in bytes.
        limit: usize,
        /// What would have waited, in bytes.
        requested: usize,
    },
    /// The value has no form in JavaScript.
    #[error("the value cannot be sent: {0}")]
    Value(#[from] WireError),
}

impl From<QuotaExceeded> for PostError {
    fn from(QuotaExceeded { limit, requested }: QuotaExceeded) -> Self {
        Self::QuotaExceeded { limit, requested }
    }
}

/// A message could not be sent by [`Worker::try_post`](crate::Worker::try_post), which gives it back.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct TryPostError {
    /// Why not.
    #[source]
    pub error: PostError,
    /// The message, as it was.
    pub message: Message,
}

/// No message was received.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecvError {
    /// The worker ended or closed its port, and everything that it sent has been received.
    #[error("the worker has ended")]
    Closed,
    /// Nothing arrived in time.
    #[error("no message arrived in time")]
    Timeout,
    /// Nothing is there now.
    #[error("no message is waiting")]
    Empty,
    /// The lane's memory holds something that no sender writes.
    #[error("the lane is corrupt: {0}")]
    Corrupt(String),
}
