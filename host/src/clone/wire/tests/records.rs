//! Records of lanes' slots, and messages that are one string: what they become, and what is refused.

use super::hostile::Noise;
use super::*;
use crate::clone::wire::{Units, from_record, one_byte_message, two_byte_message, units_of};

const UNDEFINED: u32 = 1;
const NULL: u32 = 2;
const FALSE: u32 = 3;
const TRUE: u32 = 4;
const INT32: u32 = 5;
const FLOAT64: u32 = 6;
const SMALL: u32 = 7;
const LATIN1: u32 = 8;
const UTF16: u32 = 9;
const ARRAY: u32 = 10;
const OBJECT: u32 = 11;

fn word(kind: u32, argument: u32) -> u32 {
    argument << 4 | kind
}

/// Two shapes: `{ a, ä }` and one without keys.
fn names(shape: u32) -> Option<Vec<Box<[u16]>>> {
    match shape {
        0 => Some(vec![Box::new([0x61]), Box::new([0xE4])]),
        1 => Some(Vec::new()),
        _ => None,
    }
}

fn transcoded(words: &[u32]) -> Result<Value, WireError> {
    read(&from_record(words, names)?)
}

/// `[{ a: 'Grüße', ä: '語' }, {}, 0.5, -7, 2 ** 30, [undefined, null, false, true]]`
fn rich() -> Vec<u32> {
    let half = 0.5_f64.to_bits();
    vec![
        word(ARRAY, 6),
        word(OBJECT, 0),
        word(LATIN1, 5),
        u32::from_le_bytes(*b"Gr\xFC\xDF"),
        u32::from(b'e'),
        word(UTF16, 1),
        0x8A9E,
        word(OBJECT, 1),
        FLOAT64,
        half as u32,
        (half >> 32) as u32,
        word(SMALL, 0x0FFF_FFF9),
        INT32,
        1 << 30,
        word(ARRAY, 4),
        UNDEFINED,
        NULL,
        FALSE,
        TRUE,
    ]
}

#[test]
fn every_kind_of_a_record_is_read() {
    let literals = [
        Value::Undefined,
        Value::Null,
        Value::Bool(false),
        Value::Bool(true),
    ];
    let expected = Value::Array(vec![
        object([("a", text("Grüße")), ("ä", text("語"))]),
        object([]),
        number(0.5),
        number(-7),
        number(1 << 30),
        Value::Array(literals.to_vec()),
    ]);
    assert_eq!(transcoded(&rich()), Ok(expected));
}

#[test]
fn records_that_no_sender_writes_are_refused() {
    let refused = |words: &[u32]| {
        let result = from_record(words, names);
        assert!(
            matches!(result, Err(WireError::Malformed { .. })),
            "{words:x?}: {result:?}"
        );
    };
    let rich = rich();
    for length in 0..rich.len() {
        refused(&rich[..length]);
    }
    refused(&[NULL, NULL]);
    for kind in [0, 12, 13, 14, 15] {
        refused(&[word(kind, 0)]);
    }
    refused(&[word(OBJECT, 2), NULL]);
    refused(&[word(ARRAY, 2), NULL]);
    for kind in [ARRAY, LATIN1, UTF16, OBJECT] {
        refused(&[word(kind, 0x0FFF_FFFF)]);
    }
}

#[test]
fn no_words_make_the_reader_panic() {
    let mut noise = Noise(0xA076_1D64_78BD_642F);
    for _ in 0..20_000 {
        let length = noise.below(80);
        // Kinds that there are and small arguments, so that the reader gets far; and now and then anything.
        let words: Vec<u32> = (0..length)
            .map(|_| match noise.below(8) {
                0 => noise.next() as u32,
                _ => word(noise.below(12) as u32, noise.below(4) as u32),
            })
            .collect();
        if let Ok(bytes) = from_record(&words, names) {
            let read = read(&bytes);
            assert!(
                matches!(read, Ok(_) | Err(WireError::TooDeep { .. })),
                "{words:x?}: {read:?}"
            );
        }
    }
}

#[test]
fn a_message_that_is_one_string_is_told_from_all_others() {
    for length in [0, 1, 2, 127, 128, 20_000] {
        let units = vec![0xE4_u8; length];
        // SAFETY: all that there is room for is written.
        let message = unsafe {
            one_byte_message(length, |room| {
                for (room, unit) in room.iter_mut().zip(&units) {
                    room.write(*unit);
                }
            })
        }
        .expect("short enough");
        assert_eq!(read(&message), Ok(text(&"ä".repeat(length))));
        assert!(matches!(units_of(&message), Some(Units::OneByte(read)) if read == units));
        let units = vec![0x8A9E_u16; length];
        let message = two_byte_message(&units).expect("short enough");
        assert_eq!(read(&message), Ok(text(&"語".repeat(length))));
        assert!(matches!(units_of(&message), Some(Units::TwoByte(read)) if read == units));
    }
    for other in [
        "",
        "30",
        "22",
        "2202 61",
        "2201 6161",
        "22ffffffff0f 61",
        "6302 61",
        "6301 61",
        "5301 61",
        "6f 220161 3001 7b01",
    ] {
        assert!(units_of(&message(other)).is_none(), "{other}");
    }
    assert!(units_of(b"").is_none() && units_of(b"\xff\x0f").is_none());
    assert!(units_of(b"\xff\x7f\x22\x01a").is_none(), "another version");
}
