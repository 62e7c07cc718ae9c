//! Types through bytes and back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::*;

fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) {
    let bytes = to_bytes(&value).unwrap();
    assert_eq!(read_as::<T>(&bytes), Ok(value));
    // Also as V8 would pass it on: what was read, written again.
    let again = read(&bytes).unwrap().to_bytes().unwrap();
    assert_eq!(read(&again), read(&bytes));
}

#[test]
fn integers() {
    for number in [
        i64::MIN,
        i64::MIN + 1,
        -(1 << 53),
        -(1 << 31),
        -1,
        0,
        1,
        i64::MAX,
    ] {
        check(number);
        check(i128::from(number));
        check(i128::from(number) * (1 << 60));
        check(number as i8);
        check(number as i16);
        check(number as i32);
        check(number as u8);
        check(number as u16);
        check(number as u32);
        check(number as u64);
        check(number as u128);
    }
    for shift in 0..128 {
        check(u128::MAX >> shift);
        check(i128::MIN >> shift);
        check(u64::MAX >> (shift / 2));
        check(u32::MAX >> (shift / 4));
    }
}

#[test]
fn floats() {
    for number in [
        0.0,
        -0.0,
        1.0,
        -1.5,
        1e300,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        4294967296.0,
    ] {
        let back: f64 = read_as(&to_bytes(&number).unwrap()).unwrap();
        assert_eq!(back.to_bits(), f64::to_bits(number));
        check(number as f32);
    }
    let back: f32 = read_as(&to_bytes(&f32::NAN).unwrap()).unwrap();
    assert!(back.is_nan());
}

#[test]
fn text() {
    for text in [
        "",
        "plain",
        "caf\u{e9}",
        "ÿ",
        "Ā",
        "日本語",
        "😀 and 日",
        "\0",
        "a\u{2028}",
    ] {
        // Every alignment of the data.
        for pad in 0..3 {
            check("p".repeat(pad) + text);
            check(vec!["p".repeat(pad), text.to_owned()]);
        }
        check(text.repeat(100));
        check(text.repeat(5000));
        text.chars().for_each(check);
    }
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Wrapper(u32);

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Pair(u8, String);

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Marker;

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Record {
    id: u64,
    #[serde(rename = "日")]
    name: Option<String>,
    tags: BTreeSet<String>,
    by_number: BTreeMap<i32, Vec<f64>>,
    wrapper: Wrapper,
    pair: Pair,
    marker: Marker,
    address: IpAddr,
    lasts: Duration,
    bytes: [u8; 4],
    nested: Option<Box<Record>>,
    #[serde(flatten)]
    rest: BTreeMap<String, Shape>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
enum Shape {
    Empty,
    Newtype(Option<i8>),
    Tuple(u8, bool),
    Struct { side: u8, more: Vec<Shape> },
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
#[serde(tag = "kind")]
enum Tagged {
    A { value: u32, big: u64 },
    B,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
#[serde(untagged)]
enum Untagged {
    Flag(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Untagged>),
    Table(BTreeMap<String, Untagged>),
}

fn record(depth: u32) -> Record {
    let shapes = vec![Shape::Empty, Shape::Newtype(None), Shape::Newtype(Some(-3))];
    Record {
        id: u64::MAX - u64::from(depth),
        name: depth.is_multiple_of(2).then(|| "名前".to_owned()),
        tags: ["x", "é", "日"].map(str::to_owned).into(),
        by_number: [(-1, vec![1.5, 2.0]), (0, vec![]), (4, vec![f64::MAX])].into(),
        wrapper: Wrapper(depth),
        pair: Pair(255, "p".to_owned()),
        marker: Marker,
        address: IpAddr::from([127, 0, 0, 1]),
        lasts: Duration::new(5, 6),
        bytes: [1, 2, 3, 4],
        nested: depth.checked_sub(1).map(|depth| Box::new(record(depth))),
        rest: BTreeMap::from([
            ("one".to_owned(), Shape::Tuple(1, true)),
            (
                "two".to_owned(),
                Shape::Struct {
                    side: 9,
                    more: shapes,
                },
            ),
        ]),
    }
}

#[test]
fn structs_and_enums() {
    check(record(0));
    check(record(5));
    check(vec![record(1), record(2)]);
    check(Tagged::A {
        value: 3_000_000_000,
        big: 1 << 50,
    });
    check(Tagged::B);
    check(vec![
        Untagged::Flag(true),
        Untagged::Integer(-5),
        Untagged::Integer(1 << 40),
        Untagged::Integer(i64::MAX),
        Untagged::Float(0.5),
        Untagged::Text("日".to_owned()),
        Untagged::List(vec![Untagged::Text(String::new())]),
        Untagged::Table(BTreeMap::from([("k".to_owned(), Untagged::Flag(false))])),
    ]);
}

#[test]
fn containers() {
    check(Vec::<u8>::new());
    check((1_u8, "two".to_owned(), 3.5, (), None::<u8>, [true; 3]));
    check(HashMap::from([(u128::MAX, 1), (0, 2)]));
    check(BTreeMap::from([(i128::MIN, 1), (1, 2)]));
    check(BTreeMap::from([('a', 1), ('日', 2)]));
    check(BTreeMap::from([(Some(1_u8), 1)]));
    check(Some(Some(1)));
    check(Ok::<u8, String>(1));
    check(Err::<u8, String>("no".to_owned()));
    check((0..100_000).collect::<Vec<u32>>());
}

/// A sequence that does not know its length.
struct Unsized(usize);

impl Serialize for Unsized {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let mut sequence = serializer.serialize_seq(None)?;
        for _ in 0..self.0 {
            sequence.serialize_element("日")?;
        }
        sequence.end()
    }
}

#[test]
fn sequences_of_unknown_length() {
    for length in [0, 1, 127, 128, 129, 20_000] {
        let bytes = to_bytes(&Unsized(length)).unwrap();
        let back: Vec<String> = read_as(&bytes).unwrap();
        assert_eq!(back, vec!["日"; length]);
    }
}
