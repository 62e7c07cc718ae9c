//! Every value arrives bit for bit, wherever in the ring it lies.
#![cfg(not(loom))]

mod common;

use common::{lane, rounds, Random};
use isolane_guest_abi::layout::{text_slots, MAX_INLINE_UNITS, MAX_RECORD_WORDS};
use isolane_guest_abi::{Message, Value};

/// Of the lengths, each one; where each instruction is interpreted, a few.
const STEP: usize = if cfg!(miri) { 19 } else { 1 };

/// Sends one value through a fresh lane of 8 slots.
fn echo_from(start: u32, value: Value<'_>) -> Message {
    let (mut producer, mut consumer) = lane(8, start);
    let _ = producer.push(value).unwrap();
    assert_eq!(producer.len(), value.slots());
    let message = consumer.pop().unwrap().unwrap();
    assert_eq!(consumer.pop(), Ok(None));
    assert!(producer.is_empty());
    message
}

fn echo(value: Value<'_>) -> Message {
    echo_from(0, value)
}

#[test]
fn oddballs() {
    assert_eq!(echo(Value::Undefined), Message::Undefined);
    assert_eq!(echo(Value::Null), Message::Null);
    assert_eq!(echo(Value::Bool(false)), Message::Bool(false));
    assert_eq!(echo(Value::Bool(true)), Message::Bool(true));
    for number in [0, 1, u32::MAX] {
        assert_eq!(echo(Value::Parcel(number)), Message::Parcel(number));
    }
}

#[test]
fn integers() {
    for number in [0, 1, -1, 42, i32::MIN, i32::MAX] {
        assert_eq!(echo(Value::Int32(number)), Message::Int32(number));
    }
}

#[test]
fn floats_keep_their_bits() {
    let mut random = Random(1);
    let special = [
        0.0_f64.to_bits(),
        (-0.0_f64).to_bits(),
        f64::INFINITY.to_bits(),
        f64::NEG_INFINITY.to_bits(),
        f64::MIN_POSITIVE.to_bits(),
        1,                     // subnormal
        0x7ff8_0000_0000_0000, // the usual NaN
        0x7ff8_dead_beef_cafe, // a NaN that says something
        0xfff8_0000_0000_0001, // a negative one
        0x7ff0_0000_0000_0001, // a signalling one
    ];
    let random = (0..rounds(10_000)).map(|_| random.next());
    for bits in special.into_iter().chain(random) {
        match echo(Value::Float64(f64::from_bits(bits))) {
            Message::Float64(number) => assert_eq!(number.to_bits(), bits),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn bigints() {
    for magnitude in [0, 1, u64::from(u32::MAX), 1 << 32, 1 << 63, u64::MAX] {
        for sign in [false, true] {
            let sent = Value::BigInt {
                negative: sign,
                magnitude,
            };
            let received = Message::BigInt {
                negative: sign && magnitude != 0,
                magnitude,
            };
            assert_eq!(echo(sent), received);
        }
    }
}

#[test]
fn latin1_of_every_length_at_every_place() {
    let text: Vec<u8> = (0..=MAX_INLINE_UNITS as u8)
        .map(|n| n.wrapping_mul(37) ^ 0xa5)
        .collect();
    for len in (0..=MAX_INLINE_UNITS).step_by(STEP) {
        for start in 0..8 {
            let value = Value::latin1(&text[..len]).unwrap();
            assert_eq!(value.slots(), text_slots(len));
            match echo_from(start, value) {
                Message::Latin1(units) => assert_eq!(*units, text[..len]),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn utf16_of_every_length_at_every_place() {
    // Lone and swapped surrogates among them.
    let text: Vec<u16> = (0..=MAX_INLINE_UNITS as u16)
        .map(|n| match n % 4 {
            0 => 0xdc00 + n,
            1 => 0xd800 + n,
            2 => n,
            _ => 0xffff - n,
        })
        .collect();
    for len in (0..=MAX_INLINE_UNITS).step_by(STEP) {
        for start in 0..8 {
            let value = Value::utf16(&text[..len]).unwrap();
            assert_eq!(value.slots(), text_slots(len * 2));
            match echo_from(start, value) {
                Message::Utf16(units) => assert_eq!(*units, text[..len]),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn records_of_every_length_at_every_place() {
    let words: Vec<u32> = (0..=MAX_RECORD_WORDS as u32)
        .map(|n| n.wrapping_mul(0x9e37_79b9))
        .collect();
    for len in (0..=MAX_RECORD_WORDS).step_by(STEP) {
        for start in 0..8 {
            let value = Value::record(&words[..len]).unwrap();
            assert_eq!(value.slots(), text_slots(len * 4));
            match echo_from(start, value) {
                Message::Record(record) => assert_eq!(*record, words[..len]),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn longer_strings_and_records_are_refused() {
    assert!(Value::record(&[0; MAX_RECORD_WORDS + 1]).is_none());
    assert!(Value::latin1(&[0; MAX_INLINE_UNITS + 1]).is_none());
    assert!(Value::utf16(&[0; MAX_INLINE_UNITS + 1]).is_none());
}

#[test]
fn a_text_owns_its_units() {
    let (mut producer, mut consumer) = lane(8, 0);
    let _ = producer.push(Value::latin1(b"first").unwrap()).unwrap();
    let text = consumer.pop().unwrap();
    for _ in 0..7 {
        let _ = producer.push(Value::latin1(b"other").unwrap()).unwrap();
    }
    match text {
        Some(Message::Latin1(units)) => assert_eq!(*units, *b"first"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn texts_compare_by_their_units() {
    // The second lane has other bytes beside the string's.
    let (mut producer, mut consumer) = lane(8, 0);
    for fill in [b"abcd", b"abce"] {
        for _ in 0..8 {
            let _ = producer.push(Value::latin1(fill).unwrap()).unwrap();
            consumer.pop().unwrap();
        }
    }
    let _ = producer.push(Value::latin1(b"ab").unwrap()).unwrap();
    let left = consumer.pop().unwrap().unwrap();
    assert_eq!(left, echo(Value::latin1(b"ab").unwrap()));
    assert_ne!(left, echo(Value::latin1(b"ac").unwrap()));
    assert_eq!(format!("{left:?}"), "Latin1([97, 98])");
}
