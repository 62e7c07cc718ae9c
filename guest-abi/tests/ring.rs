//! Full and empty, wrap of the ring and of its indices, the kept slot, hand-over, signals.
#![cfg(not(loom))]

mod common;

use common::{lane, rounds, Random};
use isolane_guest_abi::layout::MAX_MESSAGE_SLOTS;
use isolane_guest_abi::{Consumer, Full, Message, Producer, Pushed, Value};
use std::collections::VecDeque;

const STARTS: [u32; 5] = [0, 3, u32::MAX, u32::MAX - 2, 1 << 31];

#[test]
fn one_slot_is_kept_for_the_link() {
    for start in STARTS {
        let (mut producer, mut consumer) = lane(4, start);
        assert_eq!((producer.free_slots(), producer.len()), (4, 0));
        for n in 0..3 {
            let _ = producer.push(Value::Int32(n)).unwrap();
        }
        assert_eq!((producer.free_slots(), producer.len()), (1, 3));
        assert_eq!(producer.push(Value::Null), Err(Full { needed: 2, free: 1 }));
        assert_eq!(producer.push_close(), Err(Full { needed: 2, free: 1 }));
        assert_eq!(producer.push_link(9), Ok(Pushed::Quiet));
        assert_eq!((producer.free_slots(), producer.len()), (0, 4));
        assert_eq!(consumer.len(), Ok(4));
        for n in 0..3 {
            assert_eq!(consumer.pop(), Ok(Some(Message::Int32(n))));
        }
        assert_eq!(consumer.pop(), Ok(Some(Message::Link(9))));
        assert_eq!(consumer.pop(), Ok(None));
        assert_eq!(consumer.is_empty(), Ok(true));
        assert!(producer.is_empty());
    }
}

#[test]
fn nothing_follows_a_link_or_a_close() {
    let (mut producer, mut consumer) = lane(8, 0);
    assert_eq!(producer.push_close(), Ok(Pushed::Signal));
    assert_eq!(producer.push(Value::Null), Err(Full { needed: 2, free: 0 }));
    assert_eq!(producer.push_close(), Err(Full { needed: 2, free: 0 }));
    assert_eq!(producer.push_link(1), Err(Full { needed: 1, free: 0 }));
    assert_eq!(consumer.pop(), Ok(Some(Message::Close)));
    assert_eq!(consumer.pop(), Ok(None));
}

#[test]
fn a_full_push_writes_nothing() {
    let (mut producer, mut consumer) = lane(8, 6);
    let long = [0x20ac; 128];
    let long = Value::utf16(&long).unwrap();
    assert_eq!(long.slots(), MAX_MESSAGE_SLOTS);
    let _ = producer.push(long).unwrap();
    assert_eq!(producer.push(long), Err(Full { needed: 6, free: 3 }));
    let _ = producer.push(Value::Bool(true)).unwrap();
    assert!(matches!(consumer.pop(), Ok(Some(Message::Utf16(_)))));
    assert_eq!(consumer.pop(), Ok(Some(Message::Bool(true))));
    let _ = producer.push(long).unwrap();
}

#[test]
fn the_smallest_segment_is_too_small_for_the_longest_message() {
    let (mut producer, _) = lane(4, 0);
    let long = [0x20ac; 128];
    let long = Value::utf16(&long).unwrap();
    assert_eq!(producer.push(long), Err(Full { needed: 6, free: 4 }));
}

#[test]
fn signal_once_per_clear() {
    let (mut producer, mut consumer) = lane(8, 0);
    assert_eq!(producer.push(Value::Null), Ok(Pushed::Signal));
    assert_eq!(producer.push(Value::Null), Ok(Pushed::Quiet));
    consumer.pop().unwrap();
    assert_eq!(producer.push(Value::Null), Ok(Pushed::Quiet));
    consumer.clear_signal();
    while consumer.pop().unwrap().is_some() {}
    assert_eq!(producer.push_link(0), Ok(Pushed::Signal));
}

#[test]
fn ends_go_on_where_they_were_left() {
    for start in STARTS {
        let (mut producer, mut consumer) = lane(4, start);
        for n in 0..20 {
            let _ = producer.push(Value::Int32(n)).unwrap();
            let _ = producer.push(Value::Int32(-n)).unwrap();
            assert_eq!(consumer.pop(), Ok(Some(Message::Int32(n))));
            producer = Producer::attach(producer.detach());
            consumer = Consumer::attach(consumer.detach());
            assert_eq!(producer.len(), 1);
            assert_eq!(consumer.pop(), Ok(Some(Message::Int32(-n))));
        }
    }
}

/// Against a plain queue, with messages of all sizes.
#[test]
fn behaves_like_a_queue() {
    let mut random = Random(2);
    let text: Vec<u16> = (0..128).map(|n| n * 511).collect();
    for start in STARTS {
        for capacity in [4, 8, 32] {
            let (mut producer, mut consumer) = lane(capacity, start);
            let mut queue: VecDeque<(usize, u32)> = VecDeque::new();
            for _ in 0..rounds(4_000) {
                if random.below(2) == 0 {
                    let len = random.below(129) as usize;
                    let value = Value::utf16(&text[..len]).unwrap();
                    let used: u32 = queue.iter().map(|(_, slots)| slots).sum();
                    let fits = used + value.slots() < capacity;
                    match producer.push(value) {
                        Ok(_) => {
                            assert!(fits);
                            queue.push_back((len, value.slots()));
                        }
                        Err(full) => {
                            assert!(!fits);
                            assert_eq!(full.needed, value.slots() + 1);
                            assert_eq!(full.free, capacity - used);
                        }
                    }
                } else {
                    match (consumer.pop().unwrap(), queue.pop_front()) {
                        (Some(Message::Utf16(units)), Some((len, _))) => {
                            assert_eq!(*units, text[..len])
                        }
                        (None, None) => {}
                        other => panic!("{other:?}"),
                    }
                }
                let used = queue.iter().map(|(_, slots)| slots).sum();
                assert_eq!(producer.len(), used);
                assert_eq!(consumer.len(), Ok(used));
            }
        }
    }
}
