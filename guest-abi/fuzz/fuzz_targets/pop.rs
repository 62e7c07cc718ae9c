//! Arbitrary bytes as a segment: `Consumer::pop` must end, and neither panic nor read out of bounds.
//!
//! `cargo +nightly fuzz run pop`, from `guest-abi`.
//!
//! Input: the first byte chooses the capacity, the rest is the segment from its first byte on, repeated as needed. The
//! consumer attaches to the header if it is a valid one, and to a repaired header otherwise, so that the slots are
//! reached either way.
#![no_main]

use isolane_guest_abi::layout::{segment_words, ABI_VERSION, INFO_OFFSET, MAGIC};
use isolane_guest_abi::sync::AtomicU32;
use isolane_guest_abi::{Consumer, Segment};
use libfuzzer_sys::fuzz_target;
use std::sync::atomic::Ordering::Relaxed;

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    if bytes.is_empty() {
        return;
    }
    let capacity = 4_u32 << (choice % 4);
    let mut bytes = bytes.iter().copied().cycle();
    let mut word = || u32::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0)));
    let words: Vec<AtomicU32> = (0..segment_words(capacity))
        .map(|_| AtomicU32::new(word()))
        .collect();

    let segment = Segment::attach(words.as_slice(), capacity).unwrap_or_else(|_| {
        let info = INFO_OFFSET / 4;
        words[info].store(MAGIC, Relaxed);
        words[info + 1].store(ABI_VERSION, Relaxed);
        words[info + 2].store(capacity, Relaxed);
        // A random tail is nearly always out of range.
        let (tail, head) = (&words[0], &words[16]);
        let ahead = tail.load(Relaxed) % (capacity + 2);
        tail.store(head.load(Relaxed).wrapping_add(ahead), Relaxed);
        Segment::attach(words.as_slice(), capacity).expect("the header was just written")
    });
    let mut consumer = Consumer::attach(segment);
    consumer.clear_signal();
    for taken in 0.. {
        assert!(
            taken <= capacity,
            "more messages than slots, though nobody sends"
        );
        match consumer.pop() {
            Ok(Some(message)) => drop(std::hint::black_box(format!("{message:?}"))),
            Ok(None) | Err(_) => break,
        }
    }
});
