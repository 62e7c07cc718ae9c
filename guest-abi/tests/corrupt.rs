//! Memory that the other side has spoilt: the right complaint, and never a panic or a loop.
#![cfg(not(loom))]

mod common;

use common::{lane, memory, rounds, Memory, Random};
use isolane_guest_abi::layout::{segment_words, Tag};
use isolane_guest_abi::{Consumer, Corrupt, Full, Message, Producer, Segment, Value};
use std::sync::atomic::Ordering::Relaxed;

const TAIL: usize = 0;
const HEAD: usize = 16;
const FIRST_SLOT: usize = 64;

/// A consumer of 4 slots, of which `published` are, the first beginning with these words.
fn with_slot(published: u32, words: &[u32]) -> Consumer<Memory> {
    let (_, consumer) = lane(4, 0);
    let memory = consumer.segment().memory();
    for (word, value) in memory[FIRST_SLOT..].iter().zip(words) {
        word.store(*value, Relaxed);
    }
    memory[TAIL].store(published, Relaxed);
    consumer
}

#[track_caller]
fn complains(mut consumer: Consumer<Memory>, complaint: Corrupt) {
    let head = consumer.segment().memory()[HEAD].load(Relaxed);
    for _ in 0..2 {
        assert_eq!(consumer.pop(), Err(complaint));
    }
    // Nothing was taken.
    assert_eq!(consumer.segment().memory()[HEAD].load(Relaxed), head);
    assert!(complaint.to_string().starts_with("corrupt lane: "));
}

#[test]
fn unknown_tags() {
    for tag in [0, 14, 256, u32::MAX] {
        complains(with_slot(1, &[tag]), Corrupt::UnknownTag { tag });
    }
}

#[test]
fn texts_too_long() {
    for tag in [Tag::Latin1, Tag::Utf16] {
        for units in [129, 1 << 16, 1 << 31, u32::MAX] {
            complains(
                with_slot(4, &[tag as u32, units]),
                Corrupt::TextTooLong { units },
            );
        }
    }
}

#[test]
fn texts_past_what_is_published() {
    for (tag, units, needed) in [
        (Tag::Latin1, 57, 2),
        (Tag::Latin1, 128, 3),
        (Tag::Utf16, 29, 2),
    ] {
        let published = needed - 1;
        complains(
            with_slot(published, &[tag as u32, units]),
            Corrupt::TextTruncated { needed, published },
        );
        assert!(with_slot(needed, &[tag as u32, units]).pop().is_ok());
    }
    // More slots than the segment has.
    complains(
        with_slot(4, &[Tag::Utf16 as u32, 128]),
        Corrupt::TextTruncated {
            needed: 5,
            published: 4,
        },
    );
}

#[test]
fn records_too_long_and_past_what_is_published() {
    let tag = Tag::Record as u32;
    for words in [79, 1 << 16, 1 << 31, u32::MAX] {
        complains(
            with_slot(4, &[tag, words]),
            Corrupt::RecordTooLong { words },
        );
    }
    for (words, needed) in [(15, 2), (30, 2), (31, 3)] {
        let published = needed - 1;
        complains(
            with_slot(published, &[tag, words]),
            Corrupt::RecordTruncated { needed, published },
        );
        assert!(with_slot(needed, &[tag, words]).pop().is_ok());
    }
}

#[test]
fn bigint_signs() {
    for sign in [2, 255, u32::MAX] {
        complains(
            with_slot(1, &[Tag::BigInt as u32, sign, 1, 0]),
            Corrupt::BigIntSign { sign },
        );
    }
    complains(
        with_slot(1, &[Tag::BigInt as u32, 1, 0, 0]),
        Corrupt::BigIntNegativeZero,
    );
}

#[test]
fn tails_out_of_range() {
    for ahead in [5, 6, 1 << 20, 1 << 31, u32::MAX] {
        let complaint = Corrupt::TailOutOfRange { ahead, capacity: 4 };
        let consumer = with_slot(ahead, &[]);
        assert_eq!(consumer.len(), Err(complaint));
        assert_eq!(consumer.is_empty(), Err(complaint));
        complains(consumer, complaint);
    }
}

#[test]
fn what_len_says_elsewhere_does_not_matter() {
    assert_eq!(
        with_slot(1, &[Tag::Int32 as u32, u32::MAX, 7]).pop(),
        Ok(Some(Message::Int32(7)))
    );
}

/// The consumer's word moves nothing at the consumer, and makes a producer believe in a full ring at worst.
#[test]
fn heads_out_of_range() {
    let (mut producer, mut consumer) = lane(4, 0);
    let _ = producer.push(Value::Int32(1)).unwrap();
    for head in [2, 1 << 31, u32::MAX - 3] {
        producer.segment().memory()[HEAD].store(head, Relaxed);
        let mut producer = Producer::attach(producer.segment().clone());
        assert_eq!((producer.len(), producer.free_slots()), (4, 0));
        assert_eq!(producer.push(Value::Null), Err(Full { needed: 2, free: 0 }));
        assert_eq!(producer.push_link(0), Err(Full { needed: 1, free: 0 }));
    }
    assert_eq!(consumer.pop(), Ok(Some(Message::Int32(1))));
}

/// Takes what there is, and checks that it was a bounded amount.
fn drain(consumer: &mut Consumer<Memory>) {
    for _ in 0..=consumer.segment().capacity() {
        match consumer.pop() {
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return,
        }
    }
    panic!("more messages than slots, though nobody sends");
}

/// Random words, biased to those that get past the first checks.
#[test]
fn flood() {
    let mut random = Random(3);
    for _ in 0..rounds(20_000) {
        let capacity = 4 << random.below(3);
        let words = memory(capacity);
        Segment::init(words.clone(), capacity, 0).unwrap();
        let mut consumer = Consumer::attach(Segment::attach(words.clone(), capacity).unwrap());
        for word in &words[FIRST_SLOT..] {
            let value = match random.below(4) {
                0 => random.next() as u32,
                1 => random.below(15),
                2 => random.below(140),
                _ => 1 << random.below(32),
            };
            word.store(value, Relaxed);
        }
        words[TAIL].store(random.below(capacity + 2), Relaxed);
        drain(&mut consumer);
    }
}

/// Every word changes between any two calls, the header's too.
#[test]
fn shifting_ground() {
    let mut random = Random(4);
    let (mut producer, mut consumer) = lane(8, u32::MAX - 5);
    let text = [0xabcd; 128];
    for _ in 0..rounds(200_000) {
        let words = consumer.segment().memory();
        let word = random.below(segment_words(8) as u32) as usize;
        let place = if random.below(4) == 0 {
            16 * (word % 3)
        } else {
            word
        };
        let near = words[place]
            .load(Relaxed)
            .wrapping_add(random.below(12))
            .wrapping_sub(6);
        words[place].store(near, Relaxed);
        match random.below(4) {
            0 => consumer.clear_signal(),
            1 => {
                let len = random.below(129) as usize;
                let _ = producer.push(Value::utf16(&text[..len]).unwrap());
            }
            _ => {
                let _ = consumer.pop();
            }
        }
    }
}
