//! Structured clone and transfer: HTML §2.7, on V8's serialiser.
//!
//! What is not a primitive travels as a [`parcel::Parcel`]: V8's bytes, and beside them what is moved or shared instead of copied. Writing is
//! [`serialize`], with [`large_buffers`] copied apart; reading is [`deserialize`]; [`wire`] reads and writes V8's bytes without an isolate, for the embedder's serde values.

pub(crate) mod deserialize;
pub(crate) mod large_buffers;
pub(crate) mod parcel;
pub(crate) mod passing;
pub(crate) mod serialize;
pub(crate) mod shapes;
pub(crate) mod text;
mod visited;
pub mod wire;
