//! The layout is an interface to JavaScript and to compiled guests: every number of it, written out.
#![cfg(not(loom))]

mod common;

use common::{lane, memory, Memory};
use isolane_guest_abi::layout::{self, Info, Slot, Tag};
use isolane_guest_abi::sync::AtomicU32;
use isolane_guest_abi::{words_from_raw, Consumer, LayoutError, Producer, Segment, Value};
use std::mem::{offset_of, size_of};
use std::sync::atomic::Ordering::Relaxed;

const _: () = {
    assert!(size_of::<AtomicU32>() == 4);
    assert!(size_of::<Slot>() == 64);
    assert!(offset_of!(Slot, tag) == 0);
    assert!(offset_of!(Slot, len) == 4);
    assert!(offset_of!(Slot, payload) == 8);
    assert!(layout::INFO_OFFSET + offset_of!(Info, magic) == 192);
    assert!(layout::INFO_OFFSET + offset_of!(Info, version) == 196);
    assert!(layout::INFO_OFFSET + offset_of!(Info, capacity) == 200);
    assert!(layout::MIN_CAPACITY == 4 && layout::MAX_CAPACITY == 1 << 20);
    assert!(layout::MAX_INLINE_UNITS == 128 && layout::MAX_RECORD_WORDS == 78);
    assert!(layout::segment_bytes(4) == 512);
};

/// Both ends may move to another thread.
const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<Producer<Memory>>();
    assert_send::<Consumer<Memory>>();
};

fn bytes(segment: &Segment<Memory>) -> Vec<u8> {
    let words = segment.memory().iter();
    words
        .flat_map(|word| word.load(Relaxed).to_le_bytes())
        .collect()
}

#[test]
fn tags_have_their_numbers() {
    let tags = [
        Tag::Undefined,
        Tag::Null,
        Tag::False,
        Tag::True,
        Tag::Int32,
        Tag::Float64,
        Tag::BigInt,
        Tag::Latin1,
        Tag::Utf16,
        Tag::Parcel,
        Tag::Link,
        Tag::Close,
        Tag::Record,
    ];
    for (tag, number) in tags.into_iter().zip(1..) {
        assert_eq!(tag as u32, number);
        assert_eq!(Tag::from_u32(number), Some(tag));
    }
    for number in [0, 14, 15, 255, u32::MAX] {
        assert_eq!(Tag::from_u32(number), None);
    }
}

#[test]
fn header_bytes() {
    let (mut producer, mut consumer) = lane(4, 0x0102_0304);
    let image = bytes(producer.segment());
    assert_eq!(image.len(), 512);
    assert_eq!(image[0..4], [4, 3, 2, 1]);
    assert_eq!(image[64..68], [4, 3, 2, 1]);
    assert_eq!(image[128..132], [0; 4]);
    assert_eq!(image[192..204], *b"ILN1\x01\0\0\0\x04\0\0\0");

    let _ = producer.push(Value::Null).unwrap();
    let _ = producer.push(Value::Null).unwrap();
    consumer.pop().unwrap();
    let image = bytes(producer.segment());
    assert_eq!(image[0..4], [6, 3, 2, 1]);
    assert_eq!(image[64..68], [5, 3, 2, 1]);
    assert_eq!(image[128..132], [1, 0, 0, 0]);
}

#[test]
fn slot_bytes() {
    let slot = |value: Value<'_>| {
        let (mut producer, _) = lane(4, 0);
        let _ = producer.push(value).unwrap();
        bytes(producer.segment())[256..272].to_vec()
    };
    assert_eq!(slot(Value::Undefined)[0..4], [1, 0, 0, 0]);
    assert_eq!(
        slot(Value::Int32(-2)),
        *b"\x05\0\0\0\0\0\0\0\xfe\xff\xff\xff\0\0\0\0"
    );
    assert_eq!(
        slot(Value::Float64(-0.0)),
        *b"\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80"
    );
    let bigint = Value::BigInt {
        negative: true,
        magnitude: 0x0807_0605_0403_0201,
    };
    assert_eq!(
        slot(bigint),
        *b"\x07\0\0\0\x01\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08"
    );
    let latin1 = Value::latin1(b"abcde").unwrap();
    assert_eq!(slot(latin1), *b"\x08\0\0\0\x05\0\0\0abcde\0\0\0");
    let utf16 = Value::utf16(&[0xd800, 0x41, 0x42]).unwrap();
    assert_eq!(slot(utf16), *b"\x09\0\0\0\x03\0\0\0\0\xd8A\0B\0\0\0");
    assert_eq!(
        slot(Value::Parcel(9))[0..12],
        *b"\x0a\0\0\0\0\0\0\0\x09\0\0\0"
    );
    let record = Value::record(&[0x0403_0201, 5]).unwrap();
    assert_eq!(
        slot(record),
        *b"\x0d\0\0\0\x02\0\0\0\x01\x02\x03\x04\x05\0\0\0"
    );

    let (mut producer, _) = lane(4, 0);
    let _ = producer.push_link(7).unwrap();
    assert_eq!(
        bytes(producer.segment())[256..268],
        *b"\x0b\0\0\0\0\0\0\0\x07\0\0\0"
    );
    let (mut producer, _) = lane(4, 0);
    let _ = producer.push_close().unwrap();
    assert_eq!(bytes(producer.segment())[256..260], *b"\x0c\0\0\0");
}

#[test]
fn long_text_is_contiguous_up_to_the_end_of_the_ring() {
    // The first slot is the ring's last, the continuation its first.
    let (mut producer, _) = lane(4, 3);
    let text: Vec<u8> = (0..100).collect();
    let _ = producer.push(Value::latin1(&text).unwrap()).unwrap();
    let image = bytes(producer.segment());
    assert_eq!(image[448..456], *b"\x08\0\0\0\x64\0\0\0");
    assert_eq!(image[456..512], text[..56]);
    assert_eq!(image[256..300], text[56..]);
}

#[test]
fn capacities() {
    for capacity in [
        0,
        1,
        2,
        3,
        5,
        6,
        12,
        (1 << 20) + 1,
        1 << 21,
        1 << 31,
        u32::MAX,
    ] {
        let error = LayoutError::Capacity { capacity };
        assert_eq!(Segment::init(memory(4), capacity, 0).unwrap_err(), error);
        assert_eq!(Segment::attach(memory(4), capacity).unwrap_err(), error);
        assert!(!layout::is_capacity(capacity));
    }
    assert!(layout::is_capacity(4) && layout::is_capacity(1 << 20));
}

#[test]
fn attach_says_what_is_wrong() {
    let words = memory(8);
    let attach = |capacity| Segment::attach(words.clone(), capacity).unwrap_err();
    assert_eq!(attach(8), LayoutError::Magic { found: 0 });
    let too_short = LayoutError::TooShort {
        needed: 320,
        words: 192,
    };
    assert_eq!(attach(16), too_short);
    let long = Segment::init(words.clone(), 8, 0).unwrap();
    assert_eq!(long.capacity(), 8);
    let mismatch = LayoutError::CapacityMismatch {
        expected: 4,
        found: 8,
    };
    assert_eq!(attach(4), mismatch);
    words[49].store(2, Relaxed);
    assert_eq!(attach(8), LayoutError::Version { found: 2 });
    assert!(attach(8).to_string().contains("version 2"));
}

#[test]
fn raw_memory() {
    let mut store = [0_u64; 64];
    let base: *mut u8 = store.as_mut_ptr().cast();
    // SAFETY: `store` outlives `words` and is not used meanwhile.
    let words = unsafe { words_from_raw(base, 512) }.unwrap();
    let mut producer = Producer::attach(Segment::init(words, 4, 0).unwrap());
    let _ = producer.push(Value::Bool(true)).unwrap();
    assert_eq!(words[64].load(Relaxed), Tag::True as u32);
    // SAFETY: as above; a byte further there is one byte less.
    let misaligned = unsafe { words_from_raw(base.add(1), 511) };
    assert_eq!(misaligned.unwrap_err(), LayoutError::Misaligned);
}
