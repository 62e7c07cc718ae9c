//! Message lanes: the memory that they are made of, and the algorithm over it.
//!
//! A *lane* carries small messages one way, from one producer to one consumer, through slots in memory that both
//! can address. Its two ends need not be in one language: a Rust host, a WebAssembly guest and JavaScript (over
//! `Atomics`) work on the same bytes by the rules written down here. A lane is a chain of *segments*; each is a
//! ring of slots behind a header ([`layout`]). Growth is a new, larger segment and a link to it in the old one.
//!
//! ```
//! use isolane_guest_abi::{layout, sync::AtomicU32, Consumer, Message, Producer, Pushed, Segment, Value};
//!
//! let memory: Vec<AtomicU32> = (0..layout::segment_words(8)).map(|_| AtomicU32::new(0)).collect();
//! let mut producer = Producer::attach(Segment::init(memory.as_slice(), 8, 0)?);
//! let mut consumer = Consumer::attach(Segment::attach(memory.as_slice(), 8)?);
//!
//! // The first message of a burst asks for a ring, the rest of the burst does not.
//! assert_eq!(producer.push(Value::Int32(7)), Ok(Pushed::Signal));
//! assert_eq!(producer.push(Value::Float64(-0.0)), Ok(Pushed::Quiet));
//!
//! // Rung: clear the signal, *then* drain until there is nothing left.
//! consumer.clear_signal();
//! assert_eq!(consumer.pop(), Ok(Some(Message::Int32(7))));
//! assert_eq!(consumer.pop(), Ok(Some(Message::Float64(-0.0))));
//! assert_eq!(consumer.pop(), Ok(None));
//! # Ok::<(), isolane_guest_abi::LayoutError>(())
//! ```
//!
//! # Progress
//! - [`Producer::push`], [`Consumer::pop`] and everything else on a lane is wait-free: a bounded number of loads and
//!   stores and at most one swap, whatever the other side does or fails to do. Nothing allocates, nothing blocks.
//! - With the feature `std`, `Doorbell::wait` blocks until a ring or a timeout. `Doorbell::ring` is one swap; only when
//!   the owner is parked does it also take a lock, which is held for the time of cloning a handle, and make one system
//!   call.
//!
//! # Hostile memory
//! The other side may write anything, anywhere in the segment, at any time. Every access is atomic, so this is never
//! undefined behaviour; every word is read once and checked before it is used, so it is never an access out of
//! bounds, an endless loop or a panic. Nonsense is reported as [`Corrupt`]. What a liar can do is spoil its own lane:
//! forge or lose messages in it, or not be woken. Numbers of parcels and segments are claims, to be looked up by
//! whoever gave them out.
//!
//! # Not offered
//! - More than one producer or consumer at a time. An end may move to another thread; the move must synchronise.
//! - Batches: each message is published by itself.
//! - Blocking pushes and pops: ring a `Doorbell`, an `Atomics.notify` or an event loop instead.
//! - Freeing segments, and the tables behind [`Value::Parcel`] and [`Message::Link`]: these are the host's.
//! - Big-endian machines.

#![no_std]
#![deny(
    missing_docs,
    unsafe_op_in_unsafe_fn,
    clippy::undocumented_unsafe_blocks
)]
#![warn(missing_debug_implementations, rust_2018_idioms)]

#[cfg(any(feature = "std", test))]
extern crate std;

pub mod layout;
pub mod sync;

mod consumer;
#[cfg(feature = "std")]
mod doorbell;
mod error;
mod producer;
mod segment;
mod value;

pub use consumer::Consumer;
#[cfg(feature = "std")]
pub use doorbell::Doorbell;
pub use error::{Corrupt, Full, LayoutError};
pub use producer::{Producer, Pushed};
#[cfg(not(loom))]
pub use segment::words_from_raw;
pub use segment::Segment;
pub use value::{Message, Record, Text, Units, Value, Words};
