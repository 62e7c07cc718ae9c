//! Memory for segments, and a small random number generator.
#![allow(dead_code)] // each test binary uses its part

use isolane_guest_abi::layout::segment_words;
use isolane_guest_abi::sync::AtomicU32;
use isolane_guest_abi::{Consumer, Producer, Segment};
use std::sync::Arc;

/// Words that both ends hold.
pub type Memory = Arc<[AtomicU32]>;

/// Zeroed words for a segment of so many slots.
pub fn memory(capacity: u32) -> Memory {
    (0..segment_words(capacity))
        .map(|_| AtomicU32::new(0))
        .collect()
}

/// A new segment whose indices start there, and its two ends.
pub fn lane(capacity: u32, start: u32) -> (Producer<Memory>, Consumer<Memory>) {
    let segment = Segment::init(memory(capacity), capacity, start).unwrap();
    let other = Segment::attach(segment.memory().clone(), capacity).unwrap();
    (Producer::attach(segment), Consumer::attach(other))
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }
}

/// Fewer rounds where each instruction is interpreted.
pub fn rounds(native: u32) -> u32 {
    if cfg!(miri) {
        (native / 200).max(1)
    } else {
        native
    }
}
