//! Bytes as Node's `v8.Serializer` gave them (V8 11.3, format version 15), for the expression at their side.

#![cfg(target_endian = "little")]

use std::collections::BTreeMap;

use serde::Serialize;

use super::*;

fn regexp(source: &str, flags: &str) -> Value {
    let (source, flags) = (source.to_owned(), flags.to_owned());
    Value::RegExp(Box::new(RegExpValue { source, flags }))
}

fn error(name: &str, message: Option<&str>, stack: Option<&str>, cause: Option<Value>) -> Value {
    Value::Error(Box::new(ErrorValue {
        name: name.to_owned(),
        message: message.map(str::to_owned),
        stack: stack.map(str::to_owned),
        cause,
    }))
}

fn typed(kind: TypedArrayKind, bytes: &[u8]) -> Value {
    let bytes = bytes.to_vec();
    Value::TypedArray(TypedArray { kind, bytes })
}

/// Expression, V8's bytes, the value. Writing the value gives the same bytes.
fn same_both_ways() -> Vec<(&'static str, &'static str, Value)> {
    let long = "63 8c01".to_owned() + &"e565".repeat(70);
    vec![
        ("undefined", "5f", Value::Undefined),
        ("null", "30", Value::Null),
        ("true", "54", Value::Bool(true)),
        ("false", "46", Value::Bool(false)),
        ("0", "4900", number(0)),
        ("1", "4902", number(1)),
        ("-1", "4901", number(-1)),
        ("2 ** 31 - 1", "49feffffff0f", number(i32::MAX)),
        ("-(2 ** 31)", "49ffffffff0f", number(i32::MIN)),
        ("2 ** 31", "4e000000000000e041", number(2_147_483_648_u32)),
        ("1.5", "4e000000000000f83f", number(1.5)),
        ("-0", "4e0000000000000080", number(-0.0)),
        ("1n", "5a10 0100000000000000", Value::BigInt(1_u64.into())),
        ("0n", "5a00", Value::BigInt(0_u64.into())),
        (
            "-5n",
            "5a11 0500000000000000",
            Value::BigInt((-5_i64).into()),
        ),
        (
            "(1n << 64n) + 3n",
            "5a20 0300000000000000 0100000000000000",
            Value::BigInt(((1_u128 << 64) + 3).into()),
        ),
        ("''", "2200", text("")),
        ("'abc'", "2203 616263", text("abc")),
        ("'é'", "2201 e9", text("é")),
        ("'日本'", "6304 e5652c67", text("日本")),
        ("'日'", "6302 e565", text("日")),
        ("'😀'", "6304 3dd800de", text("😀")),
        (
            "'日'.repeat(70)",
            String::leak("00".to_owned() + &long),
            text(&"日".repeat(70)),
        ),
        (
            "[1, 'a', null, undefined]",
            "4104 4902 220161 30 5f 240004",
            Value::Array(vec![number(1), text("a"), Value::Null, Value::Undefined]),
        ),
        (
            "[1.5, 2.5]",
            "4102 4e000000000000f83f 4e0000000000000440 240002",
            Value::Array(vec![number(1.5), number(2.5)]),
        ),
        ("[]", "4100 240000", Value::Array(vec![])),
        (
            "{ a: 1, b: '日', c: [true] }",
            "6f 220161 4902 220162 00 6302e565 220163 4101 54 240001 7b03",
            object([
                ("a", number(1)),
                ("b", text("日")),
                ("c", Value::Array(vec![Value::Bool(true)])),
            ]),
        ),
        ("{}", "6f 7b00", object([])),
        (
            "{ a: { b: { c: {} } } }",
            "6f220161 6f220162 6f220163 6f7b00 7b01 7b01 7b01",
            object([("a", object([("b", object([("c", object([]))]))]))]),
        ),
        ("new Date(1e12)", "44 000000a2941a6d42", Value::Date(1e12)),
        ("/a+/gi", "52 2202612b 03", regexp("a+", "gi")),
        ("/日/dsuy", "52 00 6302e565 b801", regexp("日", "dsuy")),
        ("/[a]/v", "52 22035b615d 8002", regexp("[a]", "v")),
        (
            "new Map([['a', 1], [2, 'b']])",
            "3b 220161 4902 4904 220162 3a04",
            Value::Map(vec![(text("a"), number(1)), (number(2), text("b"))]),
        ),
        (
            "new Set([1, 'x'])",
            "27 4902 220178 2c02",
            Value::Set(vec![number(1), text("x")]),
        ),
        (
            "Object.assign(new TypeError('bad'), { stack: 'S' })",
            "72 54 6d 2203626164 73 220153 2e",
            error("TypeError", Some("bad"), Some("S"), None),
        ),
        (
            "Object.assign(new Error('m'), { stack: undefined })",
            "72 6d 22016d 2e",
            error("Error", Some("m"), None, None),
        ),
        (
            "new Uint8Array([1, 2, 3, 4])",
            "4204 01020304 5642000400",
            Value::Bytes(vec![1, 2, 3, 4]),
        ),
        (
            "new Uint16Array([1, 258])",
            "4204 01000201 5657000400",
            typed(TypedArrayKind::Uint16, &[1, 0, 2, 1]),
        ),
        (
            "new Int8Array([-1])",
            "4201 ff 5662000100",
            typed(TypedArrayKind::Int8, &[255]),
        ),
        (
            "new Float64Array([1.5])",
            "4208 000000000000f83f 5646000800",
            typed(TypedArrayKind::Float64, &1.5_f64.to_le_bytes()),
        ),
        (
            "new BigInt64Array([-1n])",
            "4208 ffffffffffffffff 5671000800",
            typed(TypedArrayKind::BigInt64, &[255; 8]),
        ),
    ]
}

/// Expression, V8's bytes, the value that they become, which is written otherwise or not the same any more.
fn read_only() -> Vec<(&'static str, &'static str, Value)> {
    let shared = || object([("a", number(1))]);
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    vec![
        ("'\\ud800x'", "6304 00d87800", text("\u{FFFD}x")),
        (
            "[1, , 3]",
            "6103 4900 4902 4904 4906 400203",
            Value::Array(vec![number(1), Value::Undefined, number(3)]),
        ),
        (
            "new Array(5)",
            "6105 400005",
            Value::Array(vec![Value::Undefined; 5]),
        ),
        (
            "Object.assign([1], { k: 2 })",
            "4101 4902 22016b 4904 240101",
            Value::Array(vec![number(1)]),
        ),
        (
            "{ 1: 'a', 4294967294: 'b', 3000000000: 'c', x: 1 }",
            "6f 4902 220161 4e000000c00b5ae641 220163 4e0000c0ffffffef41 220162 220178 4902 7b04",
            object([
                ("1", text("a")),
                ("3000000000", text("c")),
                ("4294967294", text("b")),
                ("x", number(1)),
            ]),
        ),
        ("new Boolean(true)", "79", Value::Bool(true)),
        ("new Boolean(false)", "78", Value::Bool(false)),
        ("new Number(3)", "6e 0000000000000840", number(3)),
        ("new String('s')", "73 220173", text("s")),
        (
            "Object(7n)",
            "7a10 0700000000000000",
            Value::BigInt(7_u64.into()),
        ),
        (
            "an Error with a RangeError as its cause, in V8 11's order",
            "72 6d 220178 63 72 52 6d 220172 73 220163 2e 73 22027374 2e",
            error(
                "Error",
                Some("x"),
                Some("st"),
                Some(error("RangeError", Some("r"), Some("c"), None)),
            ),
        ),
        ("new ArrayBuffer(3)", "4203 000000", bytes(&[0; 3])),
        (
            "new Uint8ClampedArray([1])",
            "4201 01 5643000100",
            bytes(&[1]),
        ),
        (
            "new DataView(b, 1, 2)",
            "4204 01020304 563f010200",
            bytes(&[2, 3]),
        ),
        (
            "u8.subarray(1, 3)",
            "4204 01020304 5642010200",
            bytes(&[2, 3]),
        ),
        (
            "[shared, shared]",
            "4102 6f 220161 4902 7b01 5e01 240002",
            Value::Array(vec![shared(), shared()]),
        ),
        (
            "[u8.buffer, u8, u8.subarray(2), u8]",
            "4104 4204 01020304 5e01 5642000400 5e01 5642020200 5e02 240004",
            Value::Array(vec![
                bytes(&[1, 2, 3, 4]),
                bytes(&[1, 2, 3, 4]),
                bytes(&[3, 4]),
                bytes(&[1, 2, 3, 4]),
            ]),
        ),
        (
            "[u8, u8.buffer]",
            "4102 4204 01020304 5642000400 5e01 240002",
            Value::Array(vec![bytes(&[1, 2, 3, 4]), bytes(&[1, 2, 3, 4])]),
        ),
        (
            "new ArrayBuffer(4, { maxByteLength: 8 })",
            "7e04 08 00000000",
            bytes(&[0; 4]),
        ),
        (
            "new Uint8Array(resizable)",
            "7e04 08 00000000 5642000003",
            bytes(&[]),
        ),
        (
            "new Uint8Array(resizable, 1, 2)",
            "7e04 08 00000000 5642010202",
            bytes(&[0; 2]),
        ),
    ]
}

#[test]
fn reads_what_v8_writes() {
    for (expression, digits, value) in same_both_ways().into_iter().chain(read_only()) {
        assert_eq!(read_digits(digits), Ok(value), "{expression}");
    }
}

#[test]
fn writes_what_v8_writes() {
    for (expression, expected, value) in same_both_ways() {
        let written = value.to_bytes().map(|bytes| digits(&bytes));
        assert_eq!(written, Ok(expected.replace(' ', "")), "{expression}");
    }
}

#[test]
fn nan_is_one_pattern() {
    assert_eq!(
        digits(&number(f64::NAN).to_bytes().unwrap()),
        "4e000000000000f87f"
    );
    assert_eq!(
        digits(&number(-f64::NAN).to_bytes().unwrap()),
        "4e000000000000f87f"
    );
    assert_eq!(
        digits(&Value::Date(f64::NAN).to_bytes().unwrap()),
        "44000000000000f87f"
    );
    let Ok(Value::Date(time)) = read_digits("44 010000000000f8ff") else {
        panic!("a date");
    };
    assert!(time.is_nan() && time.is_sign_positive());
}

#[test]
fn the_cause_is_written_last() {
    let value = error("Error", Some("x"), Some("s"), Some(number(1)));
    let bytes = value.to_bytes().unwrap();
    assert_eq!(digits(&bytes), "726d220178732201736349022e");
    assert_eq!(read(&bytes), Ok(value));
}

#[derive(Serialize)]
struct Bytes<'a>(#[serde(serialize_with = "as_bytes")] &'a [u8]);

fn as_bytes<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Point {
    x: f64,
    label: Option<&'static str>,
}

#[derive(Serialize)]
enum Shape {
    Empty,
    Newtype(u8),
    Tuple(u8, bool),
    Struct { side: u8 },
}

fn check<T: Serialize>(value: T, expected: &str) {
    let written = to_bytes(&value).map(|bytes| digits(&bytes));
    assert_eq!(written, Ok(expected.replace(' ', "")), "{expected}");
}

#[test]
fn serde_values_become_what_v8_writes() {
    check(true, "54");
    check(-1_i8, "4901");
    check(i32::MIN, "49ffffffff0f");
    check(i32::MAX as u32, "49feffffff0f");
    check(2_147_483_648_u32, "4e000000000000e041");
    check(2_147_483_648_i64, "4e000000000000e041");
    check(-2_147_483_649_i64, "4e000020000000e0c1");
    check((1_u64 << 53) - 1, "4effffffffffff3f43");
    check(1_u64 << 53, "5a10 0000000000002000");
    check(-(1_i64 << 53), "5a11 0000000000002000");
    check(i64::MIN, "5a11 0000000000000080");
    check(1_i128, "5a10 0100000000000000");
    check(0_u128, "5a00");
    check(i128::MIN, "5a21 0000000000000000 0000000000000080");
    check(u128::MAX, "5a20 ffffffffffffffff ffffffffffffffff");
    check(1.0_f64, "4e000000000000f03f");
    check(0.5_f32, "4e000000000000e03f");
    check('é', "2201e9");
    check('日', "6302e565");
    check("ÿ", "2201ff");
    check("Ā", "63020001");
    check((), "5f");
    check(Unit, "5f");
    check(None::<u8>, "30");
    check(Some(1_u8), "4902");
    check(Bytes(&[1, 2, 3, 4]), "4204 01020304 5642000400");
    check([1_u8, 2], "4102 4902 4904 240002");
    check((256_u16, "日"), "4102 498004 00 6302e565 240002");
    check((1_u8, "日"), "4102 4902 6302e565 240002");
    check(
        Point {
            x: 1.5,
            label: None,
        },
        "6f 220178 4e000000000000f83f 22056c6162656c 30 7b02",
    );
    check(Shape::Empty, "2205456d707479");
    check(Shape::Newtype(1), "6f 22074e657774797065 4902 7b01");
    check(
        Shape::Tuple(1, true),
        "6f 22055475706c65 4102 4902 54 240002 7b01",
    );
    check(
        Shape::Struct { side: 1 },
        "6f 2206537472756374 6f 220473696465 4902 7b01 7b01",
    );
    check(BTreeMap::from([("a", 1_u8)]), "6f 220161 4902 7b01");
    check(
        BTreeMap::from([(-1, ()), (7, ())]),
        "6f 22022d31 5f 220137 5f 7b02",
    );
}
