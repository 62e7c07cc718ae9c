//! Integration tests: what an embedder, a script's author and a user of the command can rely on. One module per feature.
//!
//! No test asserts a time. Each wait has a limit, far above what the wait takes, so that a hang fails its test and names it.

mod command;
mod darkroom;
mod deferred;
mod embed;
mod guest_waits;
mod messages;
mod modules;
mod node_modules;
mod outcomes;
mod permissions;
mod primordials;
mod support;
mod termination;
mod wasm;
mod wasm_memory;
mod web_apis;
