//! Rules of the mapping, one by one, and what is refused.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};

use super::super::key::number_text;
use super::*;

fn to<T: DeserializeOwned>(value: Value) -> Result<T, WireError> {
    T::deserialize(value)
}

#[test]
fn whole_numbers_are_integers_where_they_fit() {
    assert_eq!(to::<u8>(number(255)), Ok(255));
    assert_eq!(to::<u8>(number(-0.0)), Ok(0));
    assert!(to::<u8>(number(256)).is_err());
    assert!(to::<u8>(number(-1)).is_err());
    assert!(to::<i32>(number(0.5)).is_err());
    assert!(to::<i32>(number(f64::NAN)).is_err());
    assert!(to::<i64>(number(f64::INFINITY)).is_err());
    assert_eq!(to::<u64>(number(2_f64.powi(63))), Ok(1 << 63));
    assert!(to::<u64>(number(2_f64.powi(64))).is_err());
    assert_eq!(to::<i64>(number(-2_f64.powi(63))), Ok(i64::MIN));
    assert!(to::<i64>(number(2_f64.powi(63))).is_err());
    assert_eq!(to::<i128>(number(-2_f64.powi(127))), Ok(i128::MIN));
    assert_eq!(to::<u128>(number(2_f64.powi(127))), Ok(1 << 127));
    assert!(to::<u128>(number(2_f64.powi(128))).is_err());
    assert_eq!(to::<f64>(Value::Date(5.0)), Ok(5.0));
    assert_eq!(to::<i64>(Value::Date(5.0)), Ok(5));
}

#[test]
fn bigints_are_integers_where_they_fit() {
    assert_eq!(to::<u8>(Value::BigInt(5_u64.into())), Ok(5));
    assert_eq!(to::<i64>(Value::BigInt(i64::MIN.into())), Ok(i64::MIN));
    assert_eq!(to::<u64>(Value::BigInt(u64::MAX.into())), Ok(u64::MAX));
    assert!(to::<i64>(Value::BigInt(u64::MAX.into())).is_err());
    assert_eq!(to::<i128>(Value::BigInt(i128::MIN.into())), Ok(i128::MIN));
    let wide = BigInt::new(true, vec![0, 0, 1]);
    assert_eq!((wide.to_i128(), wide.to_u128()), (None, None));
    assert!(to::<i128>(Value::BigInt(wide.clone())).is_err());
    assert_eq!(
        to::<IgnoredAny>(Value::BigInt(wide.clone())),
        Ok(IgnoredAny)
    );
    assert_eq!(wide.to_string(), format!("-0x1{}", "0".repeat(32)));
    assert_eq!(BigInt::new(true, vec![0, 0]), BigInt::default());
    assert_eq!(BigInt::default().to_string(), "0x0");
    // 32-bit writers may leave half a digit.
    assert_eq!(
        read_digits("5a09 01000001"),
        Ok(Value::BigInt((-0x0100_0001_i64).into()))
    );
}

#[test]
fn nothing_is_none_and_unit() {
    for nothing in [Value::Undefined, Value::Null] {
        assert_eq!(to::<Option<u8>>(nothing.clone()), Ok(None));
        assert_eq!(to::<()>(nothing.clone()), Ok(()));
        assert!(to::<u8>(nothing).is_err());
    }
}

#[derive(Deserialize, PartialEq, Debug)]
struct Failure {
    name: String,
    message: Option<String>,
    cause: Option<u8>,
}

#[derive(Deserialize, PartialEq, Debug)]
struct Pattern {
    source: String,
    flags: String,
}

#[derive(Deserialize, PartialEq, Debug)]
enum Shape {
    Empty,
    Newtype(u8),
    Pair(u8, u8),
}

#[test]
fn objects_of_every_kind_are_structs() {
    let error = Value::Error(Box::new(ErrorValue {
        name: "TypeError".to_owned(),
        cause: Some(number(1)),
        ..ErrorValue::default()
    }));
    let failure = Failure {
        name: "TypeError".to_owned(),
        message: None,
        cause: Some(1),
    };
    assert_eq!(to(error), Ok(failure));
    let pattern = Pattern {
        source: "a".to_owned(),
        flags: "g".to_owned(),
    };
    assert_eq!(to(read_digits("52 220161 01").unwrap()), Ok(pattern));
    let map = Value::Map(vec![
        (text("source"), text("a")),
        (text("flags"), text("g")),
    ]);
    assert_eq!(
        to::<Pattern>(map).map(|pattern| pattern.flags),
        Ok("g".to_owned())
    );
    assert!(to::<Pattern>(object([("source", text("a"))])).is_err());
}

#[test]
fn keys_are_numbers_where_the_type_asks() {
    let numbers = object([("1", text("a")), ("-2", text("b"))]);
    let expected = BTreeMap::from([(-2, "b".to_owned()), (1, "a".to_owned())]);
    assert_eq!(to::<BTreeMap<i8, String>>(numbers), Ok(expected));
    for other in ["01", "+1", "1.0", "x", "", "256"] {
        assert!(
            to::<HashMap<u8, ()>>(object([(other, Value::Null)])).is_err(),
            "{other}"
        );
    }
    let map = Value::Map(vec![(number(1), number(2))]);
    assert_eq!(to::<HashMap<u8, u8>>(map), Ok(HashMap::from([(1, 2)])));
    assert_eq!(
        read_digits("6f 4e000000000000f83f 30 7b01"),
        Ok(object([("1.5", Value::Null)]))
    );
}

#[test]
fn numbers_as_keys_read_as_in_javascript() {
    for (number, expected) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (123_456.789, "123456.789"),
        (1e20, "100000000000000000000"),
        (123_456_789_012_345_680_000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000_001, "0.000001"),
        (0.000_001_25, "0.00000125"),
        (1e-7, "1e-7"),
        (-1.25e-7, "-1.25e-7"),
        (5e-324, "5e-324"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (f64::NAN, "NaN"),
    ] {
        assert_eq!(number_text(number), expected);
    }
}

#[test]
fn sequences_come_from_all_that_is_indexed() {
    assert_eq!(to::<Vec<u8>>(Value::Bytes(vec![1, 2])), Ok(vec![1, 2]));
    assert_eq!(to::<[u8; 2]>(Value::Bytes(vec![1, 2])), Ok([1, 2]));
    assert!(to::<[u8; 2]>(Value::Bytes(vec![1, 2, 3])).is_err());
    assert_eq!(to::<Vec<u8>>(Value::Set(vec![number(1)])), Ok(vec![1]));
    let typed = |kind, bytes: &[u8]| {
        let bytes = bytes.to_vec();
        Value::TypedArray(TypedArray { kind, bytes })
    };
    let halves: Vec<u8> = [0x3C00_u16, 0xC100, 0x0001, 0x7C00, 0xFBFF]
        .iter()
        .flat_map(|bits| bits.to_ne_bytes())
        .collect();
    assert_eq!(
        to::<Vec<f64>>(typed(TypedArrayKind::Float16, &halves)),
        Ok(vec![1.0, -2.5, 2_f64.powi(-24), f64::INFINITY, -65504.0])
    );
    let wide = typed(TypedArrayKind::BigUint64, &u64::MAX.to_ne_bytes());
    assert_eq!(to::<(u64,)>(wide), Ok((u64::MAX,)));
    assert_eq!(to::<(i8,)>(typed(TypedArrayKind::Int8, &[255])), Ok((-1,)));
    assert!(to::<(u8, u8)>(Value::Array(vec![number(1)])).is_err());
    assert!(to::<(u8,)>(Value::Array(vec![number(1), number(2)])).is_err());
}

#[test]
fn enums_are_externally_tagged() {
    assert_eq!(to(text("Empty")), Ok(Shape::Empty));
    assert_eq!(to(object([("Empty", Value::Null)])), Ok(Shape::Empty));
    assert_eq!(to(object([("Newtype", number(1))])), Ok(Shape::Newtype(1)));
    let pair = Value::Array(vec![number(1), number(2)]);
    assert_eq!(to(object([("Pair", pair.clone())])), Ok(Shape::Pair(1, 2)));
    assert_eq!(
        to(Value::Map(vec![(text("Pair"), pair)])),
        Ok(Shape::Pair(1, 2))
    );
    for wrong in [
        number(1),
        text("Newtype"),
        text("Other"),
        object([]),
        object([("Empty", number(1))]),
        object([("Pair", object([]))]),
        object([("Newtype", number(1)), ("Empty", Value::Null)]),
        Value::Map(vec![(number(1), number(1))]),
    ] {
        assert!(to::<Shape>(wrong.clone()).is_err(), "{wrong:?}");
    }
}

#[test]
fn keys_that_javascript_has_not_are_refused() {
    let refused = |result: Result<Vec<u8>, WireError>| {
        assert!(
            matches!(result, Err(WireError::Unwritable { .. })),
            "{result:?}"
        );
    };
    refused(to_bytes(&BTreeMap::from([((1, 2), 3)])));
    refused(to_bytes(&BTreeMap::from([(true, 3)])));
    refused(to_bytes(&BTreeMap::from([(None::<u8>, 3)])));
    refused(to_bytes(&BTreeMap::from([((), 3)])));
    refused(Value::Object(vec![("a".to_owned(), Value::Null); 2]).to_bytes());

    struct Twice;
    impl Serialize for Twice {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([("日", 1), ("b", 2), ("日", 3)])
        }
    }
    refused(to_bytes(&Twice));

    struct Short;
    impl Serialize for Short {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            serializer.serialize_seq(Some(3))?.end()
        }
    }
    refused(to_bytes(&Short));
    for flags in ["gg", "x", "uv"] {
        let (source, flags) = ("a".to_owned(), flags.to_owned());
        refused(Value::RegExp(Box::new(RegExpValue { source, flags })).to_bytes());
    }
    let kind = TypedArrayKind::Int16;
    refused(
        Value::TypedArray(TypedArray {
            kind,
            bytes: vec![1; 3],
        })
        .to_bytes(),
    );
}

#[test]
fn transferred_buffers_are_asked_for_once() {
    let asked = Cell::new(0);
    let transferred = |id| {
        asked.set(asked.get() + 1);
        (id == 7).then(|| vec![1, 2, 3])
    };
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    // [buffer, new Uint8Array(buffer, 1), buffer, the view again]
    let shared = message("4104 7407 5e01 5642010200 5e01 5e02 240004");
    let expected = vec![
        bytes(&[1, 2, 3]),
        bytes(&[2, 3]),
        bytes(&[1, 2, 3]),
        bytes(&[2, 3]),
    ];
    assert_eq!(
        from_bytes(&shared, &transferred),
        Ok(Value::Array(expected))
    );
    assert_eq!(asked.get(), 1);
    assert_eq!(
        from_bytes(&message("7407 5642000300"), &transferred),
        Ok(bytes(&[1, 2, 3]))
    );
    assert_eq!(
        from_bytes(&message("7407"), &transferred),
        Ok(bytes(&[1, 2, 3]))
    );
    assert!(from_bytes(&message("7408"), &transferred).is_err());
    assert!(from_bytes(&message("4102 7407 7407 240002"), &transferred).is_err());
}
