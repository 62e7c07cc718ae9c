//! What is posted arrives, and comes back, as it was.

use super::*;

#[test]
fn numbers_cross_bit_for_bit() {
    // The bits as the script sees them, then the number itself.
    let worker = spawn(
        "onmessage = ({ data }) => {
           const view = new DataView(new ArrayBuffer(8));
           view.setFloat64(0, data);
           postMessage(view.getBigUint64(0));
           postMessage(data);
         };",
    );
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        f64::from(i32::MIN),
        f64::from(i32::MAX),
        2_147_483_648.0,
        -2_147_483_649.0,
        9_007_199_254_740_993.0,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    for sent in numbers {
        worker.post(sent).unwrap();
        let seen = receive(&worker);
        let bits = Message::BigInt(i128::from(sent.to_bits()));
        assert_eq!(seen, bits, "bits of {sent:?} as the script sees them");
        let back = number(receive(&worker));
        assert_eq!(
            back.to_bits(),
            sent.to_bits(),
            "{sent:?} came back as {back:?}"
        );
    }
    worker.post(f64::NAN).unwrap();
    receive(&worker);
    assert!(number(receive(&worker)).is_nan(), "NaN stays NaN");
}

#[test]
fn integers_arrive_as_numbers() {
    let worker = spawn("onmessage = ({ data }) => postMessage(`${typeof data} ${data}`);");
    worker.post(i32::MIN).unwrap();
    worker.post(u32::MAX).unwrap();
    assert_eq!(text(receive(&worker)), "number -2147483648");
    assert_eq!(text(receive(&worker)), "number 4294967295");
}

#[test]
fn undefined_null_and_booleans_cross() {
    let worker =
        spawn("onmessage = ({ data }) => { postMessage(String(data)); postMessage(data); };");
    let sent = [
        (Message::Undefined, "undefined"),
        (Message::Null, "null"),
        (Message::Bool(true), "true"),
        (Message::Bool(false), "false"),
    ];
    for (message, name) in sent {
        let expected = format!("{message:?}");
        worker.post(message).unwrap();
        assert_eq!(text(receive(&worker)), name);
        assert_eq!(format!("{:?}", receive(&worker)), expected);
    }
    worker.post(()).unwrap();
    assert_eq!(text(receive(&worker)), "undefined");
}

#[test]
fn bigints_cross_at_every_size() {
    let worker = spawn(
        "onmessage = ({ data }) => { postMessage(`${typeof data} ${data}`); postMessage(data); };",
    );
    let sent = [
        0,
        1,
        -1,
        i128::from(i64::MAX),
        i128::from(i64::MIN),
        i128::from(u64::MAX),
        -i128::from(u64::MAX),
        i128::from(u64::MAX) + 1,
        i128::MAX,
        i128::MIN,
    ];
    for value in sent {
        worker.post(value).unwrap();
        assert_eq!(text(receive(&worker)), format!("bigint {value}"));
        assert_eq!(
            receive(&worker),
            Message::BigInt(value),
            "{value} comes back"
        );
    }
    worker.post(i64::MIN).unwrap();
    assert_eq!(text(receive(&worker)), format!("bigint {}", i64::MIN));
    receive(&worker);
    worker.post(u64::MAX).unwrap();
    assert_eq!(text(receive(&worker)), format!("bigint {}", u64::MAX));
}

#[test]
fn a_bigint_beyond_128_bits_arrives_as_a_structured_value() {
    let worker = spawn("postMessage(2n ** 200n);");
    let value = structured(receive(&worker));
    assert!(
        matches!(value.value(), Ok(Value::BigInt(_))),
        "a bigint, not {value:?}"
    );
}

#[test]
fn strings_cross_at_every_length_and_width() {
    let worker =
        spawn("onmessage = ({ data }) => { postMessage(data.length); postMessage(data); };");
    // Latin-1 of one byte and of two in UTF-8, UTF-16, a pair of surrogates, and the null character.
    for unit in ["a", "é", "語", "😀", "\0", "aé語😀"] {
        for count in [
            0, 1, 2, 25, 26, 60, 63, 64, 127, 128, 129, 200, 5_000, 100_000,
        ] {
            let sent = unit.repeat(count);
            worker.post(sent.as_str()).unwrap();
            let length = number(receive(&worker));
            assert_eq!(
                length as usize,
                sent.encode_utf16().count(),
                "length of {unit:?} {count} times"
            );
            let back = text(receive(&worker));
            assert!(back == sent, "{unit:?} {count} times comes back changed");
        }
    }
}

#[test]
fn lone_surrogates_arrive_as_replacement_characters() {
    let worker = spawn(
        r"postMessage('a\ud800b');
          postMessage('\udc00');
          postMessage('x\ud83d'.repeat(300));
          postMessage({ text: '\ud800' });",
    );
    assert_eq!(text(receive(&worker)), "a\u{fffd}b");
    assert_eq!(text(receive(&worker)), "\u{fffd}");
    assert_eq!(text(receive(&worker)), "x\u{fffd}".repeat(300));
    let object: BTreeMap<String, String> = structured(receive(&worker)).deserialize().unwrap();
    assert_eq!(object["text"], "\u{fffd}");
}

#[test]
fn buffers_of_every_type_arrive_as_array_buffers() {
    let worker = spawn(
        "onmessage = ({ data }) => {
           const bytes = new Uint8Array(data);
           postMessage(`${data.constructor.name} ${data.byteLength}: ${bytes.slice(0, 4)}`);
         };",
    );
    let mut spacious = Vec::with_capacity(1000);
    spacious.extend([1, 2, 3]);
    worker.post(spacious).unwrap();
    assert_eq!(text(receive(&worker)), "ArrayBuffer 3: 1,2,3");
    worker.post(vec![4_u8, 5].into_boxed_slice()).unwrap();
    assert_eq!(text(receive(&worker)), "ArrayBuffer 2: 4,5");
    worker.post(Bytes::from(vec![6_u8; 100_000])).unwrap();
    assert_eq!(text(receive(&worker)), "ArrayBuffer 100000: 6,6,6,6");
    worker.post(Bytes::from_static(&[7])).unwrap();
    assert_eq!(text(receive(&worker)), "ArrayBuffer 1: 7");
    worker.post(Vec::<u8>::new()).unwrap();
    assert_eq!(text(receive(&worker)), "ArrayBuffer 0: ");
    let view = Bytes::from(vec![1_u8, 2, 3, 4, 5]).slice(1..4);
    worker.post(view).unwrap();
    assert_eq!(text(receive(&worker)), "ArrayBuffer 3: 2,3,4");
}

#[test]
fn a_vector_that_is_transferred_back_was_never_copied() {
    let worker = spawn(
        "onmessage = ({ data }) => {
           new Uint8Array(data)[0] = 42;
           postMessage(data, [data]);
           postMessage(data.detached);
         };",
    );
    for size in [8, 20_000, 1 << 20] {
        let sent = vec![1_u8; size];
        let address = sent.as_ptr();
        worker.post(sent).unwrap();
        let back = buffer(receive(&worker));
        assert_eq!(
            receive(&worker),
            Message::Bool(true),
            "the sender's is detached"
        );
        assert_eq!(
            (back.len(), back.as_ref()[0], back.as_ref()[1]),
            (size, 42, 1)
        );
        assert_eq!(back.as_ref().as_ptr(), address, "{size} bytes were copied");
        let bytes = back.into_bytes();
        assert_eq!(bytes.as_ptr(), address, "into_bytes copied {size} bytes");
    }
}

#[test]
fn bytes_that_someone_else_holds_do_not_change_under_them() {
    let worker = spawn(
        "onmessage = ({ data }) => { new Uint8Array(data).fill(9); postMessage(data, [data]); };",
    );
    let shared = Bytes::from(vec![1_u8; 50_000]);
    worker.post(shared.clone()).unwrap();
    let back = buffer(receive(&worker));
    assert!(back.as_ref().iter().all(|byte| *byte == 9));
    assert!(
        shared.iter().all(|byte| *byte == 1),
        "a script wrote to bytes that Rust shares"
    );
}

#[test]
fn buffers_of_a_script_arrive_as_buffers() {
    let worker = spawn(
        "const bytes = (length) => Uint8Array.from({ length }, (_, i) => i);
         const moved = bytes(100_000);
         postMessage(moved.buffer, [moved.buffer]);
         const part = bytes(40_000);
         postMessage(part.subarray(3, 7), [part.buffer]);
         postMessage(bytes(20_000));
         postMessage(bytes(10).buffer);
         postMessage(bytes(10).subarray(2, 5));
         const empty = new ArrayBuffer(0);
         postMessage(empty, [empty]);
         postMessage(new Uint16Array([0x0102]));",
    );
    let expected = |length: usize| -> Vec<u8> { (0..length).map(|byte| byte as u8).collect() };
    let moved = buffer(receive(&worker));
    assert!(moved.as_ref() == expected(100_000), "a transferred buffer");
    assert!(moved.into_vec() == expected(100_000), "into_vec");
    assert_eq!(
        buffer(receive(&worker)).as_ref(),
        [3, 4, 5, 6],
        "a view with its buffer transferred"
    );
    assert!(
        buffer(receive(&worker)).as_ref() == expected(20_000),
        "a large view, not transferred"
    );
    assert_eq!(
        buffer(receive(&worker)).as_ref(),
        expected(10),
        "a small buffer, not transferred"
    );
    assert_eq!(
        buffer(receive(&worker)).as_ref(),
        [2, 3, 4],
        "a part of a small buffer"
    );
    assert!(buffer(receive(&worker)).is_empty(), "an empty buffer");
    assert_eq!(
        buffer(receive(&worker)).as_ref(),
        0x0102_u16.to_ne_bytes(),
        "a view of wider elements"
    );
}

#[test]
fn a_buffer_outlives_its_worker() {
    let worker = spawn("const b = new Uint8Array(1 << 20).fill(5).buffer; postMessage(b, [b]);");
    let bytes = buffer(receive(&worker)).into_bytes();
    assert_eq!(join(worker), Outcome::Finished { code: 0 });
    assert!(bytes.iter().all(|byte| *byte == 5));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Empty,
    Circle(f64),
    Rect { width: u32, height: u32 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    title: String,
    note: Option<String>,
    missing: Option<i32>,
    tags: Vec<String>,
    counts: BTreeMap<String, i64>,
    shapes: Vec<Shape>,
    pair: (i8, char),
    ratio: f64,
}

#[test]
fn serde_values_survive_the_round_trip() {
    let sent = Order {
        id: u64::MAX,
        title: "grün 😀".to_owned(),
        note: Some("x".repeat(1000)),
        missing: None,
        tags: vec![String::new(), "b".to_owned()],
        counts: [
            ("small".to_owned(), -1),
            ("large".to_owned(), i64::MIN),
            ("7".to_owned(), 7),
        ]
        .into(),
        shapes: vec![
            Shape::Empty,
            Shape::Circle(-0.5),
            Shape::Rect {
                width: 3,
                height: 4,
            },
        ],
        pair: (-8, 'ß'),
        ratio: 1e300,
    };
    let worker = spawn(ECHO);
    worker.post_structured(&sent).unwrap();
    let back: Order = structured(receive(&worker)).deserialize().unwrap();
    assert_eq!(back, sent);
}

#[test]
fn serde_values_are_plain_objects_to_a_script() {
    let worker = spawn(
        "onmessage = ({ data }) => postMessage(JSON.stringify(data, (_, v) => typeof v === 'bigint' ? `${v}n` : v));",
    );
    let value = serde_json::json!({ "x": 1.5, "list": [null, true, "text"], "deep": { "er": {} } });
    worker.post_structured(&value).unwrap();
    let seen: serde_json::Value = serde_json::from_str(&text(receive(&worker))).unwrap();
    assert_eq!(seen, value);
    worker
        .post_structured(&Shape::Rect {
            width: 3,
            height: 4,
        })
        .unwrap();
    assert_eq!(text(receive(&worker)), r#"{"Rect":{"width":3,"height":4}}"#);
    worker.post_structured(&u64::MAX).unwrap();
    assert_eq!(text(receive(&worker)), r#""18446744073709551615n""#);
}

#[test]
fn a_value_without_a_javascript_form_is_refused_and_the_worker_goes_on() {
    let worker = spawn(ECHO);
    let faulty = BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(
        worker.post_structured(&faulty),
        Err(PostError::Value(_))
    ));
    worker.post(1).unwrap();
    assert_eq!(receive(&worker), Message::Number(1.0));
}

#[test]
fn values_of_a_script_are_a_tree() {
    let worker = spawn(
        "postMessage({ date: new Date(5), map: new Map([[1, 'one']]), set: new Set([true]), re: /a+/gi,
           error: new RangeError('far'), none: undefined, nil: null, bytes: new Uint8Array([1, 2]) });",
    );
    let Value::Object(properties) = structured(receive(&worker)).value().unwrap() else {
        panic!("an object was expected");
    };
    let get = |name: &str| {
        properties
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
            .unwrap_or_else(|| panic!("no property {name}"))
    };
    assert_eq!(get("date"), &Value::Date(5.0));
    assert_eq!(
        get("map"),
        &Value::Map(vec![(Value::Number(1.0), Value::String("one".to_owned()))])
    );
    assert_eq!(get("set"), &Value::Set(vec![Value::Bool(true)]));
    let Value::RegExp(regexp) = get("re") else {
        panic!("a RegExp was expected");
    };
    assert_eq!((&*regexp.source, &*regexp.flags), ("a+", "gi"));
    let Value::Error(error) = get("error") else {
        panic!("an error was expected");
    };
    assert_eq!(
        (&*error.name, error.message.as_deref()),
        ("RangeError", Some("far"))
    );
    assert_eq!(get("none"), &Value::Undefined);
    assert_eq!(get("nil"), &Value::Null);
    assert_eq!(get("bytes"), &Value::Bytes(vec![1, 2]));
}

#[test]
fn a_shape_that_does_not_fit_is_an_error_not_a_panic() {
    let worker = spawn("postMessage({ x: 'text' }); const a = {}; a.a = a; postMessage(a);");
    let value = structured(receive(&worker));
    assert!(value.deserialize::<BTreeMap<String, u8>>().is_err());
    assert!(value.deserialize::<BTreeMap<String, String>>().is_ok());
    assert!(
        structured(receive(&worker)).value().is_err(),
        "a cycle has no tree"
    );
}

#[test]
fn plain_objects_that_a_worker_sends_in_slots_are_structured_values() {
    let worker = spawn(
        r"for (let i = 0; i < 60; i++) postMessage({ id: i, name: 'ünï 語', tags: [i, i + 0.5, -0, null, true], inner: { big: 2 ** 31, none: undefined } });",
    );
    for id in 0..60_i32 {
        let object = structured(receive(&worker));
        let number = |value: f64| Value::Number(value);
        let entry = |name: &str, value: Value| (name.into(), value);
        assert_eq!(
            object.value().unwrap(),
            Value::Object(vec![
                entry("id", number(id.into())),
                entry("name", Value::String("ünï 語".into())),
                entry(
                    "tags",
                    Value::Array(vec![
                        number(id.into()),
                        number(f64::from(id) + 0.5),
                        number(-0.0),
                        Value::Null,
                        Value::Bool(true),
                    ])
                ),
                entry(
                    "inner",
                    Value::Object(vec![
                        entry("big", number(2_147_483_648.0)),
                        entry("none", Value::Undefined),
                    ])
                ),
            ]),
            "message {id}"
        );
    }
}
