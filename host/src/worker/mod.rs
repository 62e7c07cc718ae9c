//! Workers: a thread, an isolate, an event loop.
//!
//! [`handle`] is the embedder's side, [`message`] what goes through it, [`options`] what it may set, [`outcome`] how a worker ended, [`control`] how others
//! end it. [`thread`] is what the worker's own thread runs: it makes the isolate ([`warm`]), waits for its work if it is a [`spare`] one, enters
//! [`event_loop`], which lets ports take what they are sent ([`receiving`]), and takes everything down again. [`state`] is what the ops of one worker share; [`child`] is what a worker knows of those that it made;
//! [`errors`] turns V8's exceptions into Rust's; [`stack`] sets how deep scripts and guests may call, and [`heap`] what happens when scripts fill V8's
//! heap.

pub(crate) mod child;
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod errors;
pub(crate) mod event_loop;
pub(crate) mod handle;
pub(crate) mod heap;
pub(crate) mod message;
pub(crate) mod options;
pub(crate) mod outcome;
mod receiving;
pub(crate) mod spare;
pub(crate) mod stack;
pub(crate) mod state;
pub(crate) mod thread;
mod warm;
