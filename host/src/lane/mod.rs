//! Lanes: one-way message queues between threads, and the ports that hold two of them.
//!
//! The slots of a lane and the algorithm over them are [`isolane_guest_abi`]'s; this module adds what only a host has: memory for segments
//! ([`segment`]) and chains of them ([`chain`]), parcels beside the ring and the owners to wake ([`queue`]), both ends as Rust uses them ([`ends`]),
//! pairs of them that move between threads ([`endpoint`]), the shapes that its records name
//! ([`record_shapes`]), limits on what waits ([`quota`]) and figures of it ([`metrics`]), the inbox that a worker
//! sleeps on ([`inbox`]), how long it looks before it sleeps ([`spin`]), and the lane that it then looks at as well ([`polled`]).
//!
//! ```text
//!   sender                         Lane                              receiver
//!   ------                         ----                              --------
//!   slots ───────────────────────▶ segment ▶ LINK ▶ segment ───────▶ drains slots
//!   parcel (bytes, stores, ports) ▶ parcels (FIFO, same order) ─────▶ takes one per PARCEL slot
//!   signal, once per burst ──────▶ receiver's inbox ▶ doorbell ─────▶ wakes
//!   wakes ◀───────── doorbell ◀ sender's inbox ◀─── little is left, if it waits for that
//! ```

pub(crate) mod chain;
pub(crate) mod endpoint;
pub(crate) mod ends;
pub(crate) mod inbox;
pub(crate) mod metrics;
pub(crate) mod polled;
pub(crate) mod queue;
pub(crate) mod quota;
pub(crate) mod record_shapes;
pub(crate) mod segment;
pub(crate) mod spin;
