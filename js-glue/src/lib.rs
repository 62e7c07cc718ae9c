//! The JavaScript that gives an isolate its web APIs.
//!
//! The glue is a graph of ES modules, one file per API, entered at [`ENTRY`]. The host's build evaluates it once and keeps the result as a V8
//! start-up snapshot, from which every worker starts; no glue is compiled or run when a worker is made. `types/` beside this file holds the
//! TypeScript declarations that script authors use.

#![deny(missing_docs)]

/// Every glue file: its path below `src/`, and its text, which is ASCII.
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The module that imports all others and hands the host its entry points.
pub const ENTRY: &str = "main.js";

/// The place in [`SOURCES`] of the glue file at `path`, which is relative to `src/`.
///
/// ```
/// assert!(isolane_js_glue::index("primordials.js").is_some());
/// assert!(isolane_js_glue::index("../secrets").is_none());
/// ```
#[must_use]
pub fn index(path: &str) -> Option<usize> {
    SOURCES.iter().position(|(name, _)| *name == path)
}
