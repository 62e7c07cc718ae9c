//! Lanes: one-way message queues between threads, and the ports that hold two of them.
//!
//! The slots of a lane and the algorithm over them are [`isolane_guest_abi`]'s; this module adds what only a host has: memory for segments
//! ([`segment`]), parcels beside the ring and the receiver to wake ([`queue`]), ends that move between threads ([`endpoint`]), the inbox that a
//! worker sleeps on ([`inbox`]), and how long it looks before it sleeps ([`spin`]).
//!
//! ```text
//!   sender                         Lane                              receiver
//!   ------                         ----                              --------
//!   slots ───────────────────────▶ segment ▶ LINK ▶ segment ───────▶ drains slots
//!   parcel (bytes, stores, ports) ▶ parcels (FIFO, same order) ─────▶ takes one per PARCEL slot
//!   signal, once per burst ──────▶ receiver's inbox ▶ doorbell ─────▶ wakes
//! ```

pub(crate) mod endpoint;
pub(crate) mod inbox;
pub(crate) mod queue;
pub(crate) mod segment;
pub(crate) mod spin;
