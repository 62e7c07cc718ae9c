//! Isolane: an embeddable worker runtime.
