//! Bytes that nobody meant: limits, malformed messages, noise.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::*;

fn malformed(digits: &str) {
    let result = read_digits(digits);
    assert!(
        matches!(result, Err(WireError::Malformed { .. })),
        "{digits}: {result:?}"
    );
}

#[test]
fn headers() {
    for bytes in [
        &b""[..],
        b"\xff",
        b"\xff\x0d0",
        b"\xff\x110",
        b"0",
        b"\xff\xff\xff\xff\xff\xff0",
    ] {
        assert!(
            matches!(read(bytes), Err(WireError::Malformed { .. })),
            "{bytes:?}"
        );
    }
    for version in 14..=16 {
        assert_eq!(read(&[0xFF, version, b'0']), Ok(Value::Null));
    }
}

#[test]
fn malformed_messages() {
    malformed("");
    malformed("00");
    // Unknown, or an end or hole where a value belongs.
    for tag in ["01", "40", "24", "7b", "3a", "2c", "2d", "4d", "56"] {
        malformed(tag);
    }
    // Bytes after the value.
    malformed("30 30");
    // Counts and lengths that are not what is there.
    malformed("6f 7b01");
    malformed("4101 30 240002");
    malformed("4102 30 240001");
    malformed("41ffffffff0f 240000");
    malformed("6101 400000");
    malformed("3b 30 30 3a01");
    malformed("27 30 2c02");
    malformed("2205 6161");
    malformed("6303 616161");
    malformed("42ffffffffffffffffff01");
    malformed("7e04 03 00000000");
    malformed("5afeffffff0f 00");
    // A negative zero, flags that do not exist or exclude each other.
    malformed("5a01");
    malformed("52 220161 8008");
    malformed("52 220161 9002");
    // Keys and texts of another type.
    malformed("6f 30 30 7b01");
    malformed("73 30");
    malformed("72 7a");
    malformed("72 6d220161 6d220161 2e");
    // Views: beyond the buffer, of no kind, splitting an element, of nothing.
    malformed("4202 0000 5642010200");
    malformed("4202 0000 5642ffffffffffffffffff010100");
    malformed("4202 0000 567a000200");
    malformed("4204 00000000 5657010200");
    malformed("4204 00000000 5644000300");
    malformed("49ffffffffff01");
    // A reference to nothing.
    malformed("5e00");
    malformed("4101 5e05 240001");
}

#[test]
fn what_only_a_worker_can_take() {
    for (digits, name) in [
        ("5c0101", "host object"),
        ("7500", "SharedArrayBuffer"),
        ("7000", "shared struct"),
        ("7700", "WebAssembly.Module"),
        ("6d0000", "WebAssembly.Memory"),
    ] {
        let error = read_digits(&format!("4101 {digits} 240001")).unwrap_err();
        assert!(
            matches!(error, WireError::Unsupported { offset: 4, .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn cycles() {
    // o.me = o; an array in its own element's map; an error that is its own cause.
    for digits in [
        "6f 22026d65 5e00 7b01",
        "4101 3b 30 5e00 3a02 240001",
        "72 63 5e00 2e",
    ] {
        let result = read_digits(digits);
        assert!(
            matches!(result, Err(WireError::Cycle { .. })),
            "{digits}: {result:?}"
        );
    }
}

#[test]
fn a_view_is_a_value_that_can_be_named() {
    // [u8, [u8, its buffer]], where the inner array repeats.
    let digits = "4103 4203 010203 5642010100 4102 5e02 5e01 240002 5e03 240003";
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    let inner = || Value::Array(vec![bytes(&[2]), bytes(&[1, 2, 3])]);
    let expected = Value::Array(vec![bytes(&[2]), inner(), inner()]);
    assert_eq!(read_digits(digits), Ok(expected));
}

/// What recurses to the limit needs more than a test's stack where nothing is optimised.
fn on_large_stack(run: fn()) {
    let thread = std::thread::Builder::new().stack_size(32 << 20);
    thread.spawn(run).unwrap().join().unwrap();
}

fn nested(depth: usize) -> Vec<u8> {
    let open = "4101".repeat(depth);
    message(&(open + "30" + &"240001".repeat(depth)))
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Chain {
    next: Option<Box<Chain>>,
}

fn chain(length: usize) -> Chain {
    (1..length).fold(Chain { next: None }, |next, _| Chain {
        next: Some(Box::new(next)),
    })
}

#[test]
fn depth() {
    on_large_stack(|| {
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        let deeper = read(&nested(MAX_DEPTH + 1));
        assert!(
            matches!(deeper, Err(WireError::TooDeep { .. })),
            "{deeper:?}"
        );
        assert!(read(&nested(100_000)).is_err());
        // The same depth, made of references: [ [[…]], [[… ^1 …]] ].
        let half = MAX_DEPTH / 2;
        let first = "4101".repeat(half) + "30" + &"240001".repeat(half);
        let second = |depth| "4101".repeat(depth) + "5e01" + &"240001".repeat(depth);
        let both = |depth| read_digits(&format!("4102 {first} {} 240002", second(depth)));
        assert!(both(half - 1).is_ok());
        assert!(matches!(both(half), Err(WireError::TooDeep { .. })));

        let bytes = to_bytes(&chain(MAX_DEPTH)).unwrap();
        assert_eq!(read_as::<Chain>(&bytes), Ok(chain(MAX_DEPTH)));
        assert!(matches!(
            to_bytes(&chain(MAX_DEPTH + 1)),
            Err(WireError::TooDeep { .. })
        ));

        let deep = |depth| (0..depth).fold(Value::Null, |value, _| Value::Array(vec![value]));
        assert!(deep(MAX_DEPTH).to_bytes().is_ok());
        assert!(matches!(
            deep(MAX_DEPTH + 1).to_bytes(),
            Err(WireError::TooDeep { .. })
        ));
    });
}

/// Leaves no bytes, however often it is wrapped.
#[derive(Serialize, Deserialize, Debug, PartialEq, Eq, Hash)]
struct Layers(Option<Box<Layers>>);

#[test]
fn endless_types() {
    on_large_stack(|| {
        let layers =
            |count| (0..count).fold(Layers(None), |inner, _| Layers(Some(Box::new(inner))));
        assert!(to_bytes(&layers(200)).is_ok());
        assert!(matches!(
            to_bytes(&layers(600)),
            Err(WireError::TooDeep { .. })
        ));
        assert!(Layers::deserialize(number(1)).is_err());
        let map = object([("key", Value::Null)]);
        assert!(std::collections::HashMap::<Layers, ()>::deserialize(map).is_err());
        assert!(to_bytes(&std::collections::HashMap::from([(layers(100), ())])).is_err());
    });
}

#[test]
fn references_that_multiply() {
    // Each array names the one before it ten times: 10^n values of 14 n bytes.
    let bomb = |levels: usize| {
        let mut digits = format!("41{:02x} 41 00 240000", levels + 1);
        for level in 1..=levels {
            digits += &(String::from("410a") + &format!("5e{level:02x}").repeat(10) + "24000a");
        }
        read_digits(&(digits + &format!("2400{:02x}", levels + 1)))
    };
    assert!(bomb(4).is_ok());
    for levels in [10, 60] {
        let result = bomb(levels);
        assert!(
            matches!(result, Err(WireError::TooLarge { .. })),
            "{result:?}"
        );
    }
    // One buffer, many small views: costs what they show.
    let many = |view: &str, count: usize| {
        let buffer = "4280800400".to_owned() + &"00".repeat(65535);
        let views = format!("5e01 {view}").repeat(count);
        read_digits(&format!("41e907 {buffer} {views} 2400e907"))
    };
    assert!(many("5642000400", 1000).is_ok());
    let whole = many("56420080800400", 1000);
    assert!(matches!(whole, Err(WireError::TooLarge { .. })));
}

#[test]
fn sparse_arrays() {
    let huge = read_digits("61ffffffff0f 4000ffffffff0f");
    assert!(matches!(huge, Err(WireError::TooLarge { .. })));
    let far = read_digits("61ffffffff0f 49fcffffff0f 30 4001ffffffff0f");
    assert!(matches!(far, Err(WireError::TooLarge { .. })), "{far:?}");
    // The limit is of one message.
    let many = format!("4103 {} 240003", "61c0843d 4000c0843d".repeat(3));
    assert!(matches!(
        read_digits(&many),
        Err(WireError::TooLarge { .. })
    ));
    // Elements in any order, beyond the length, and names.
    let odd = read_digits("6103 4904 54 4900 46 490a 30 220161 30 22023031 30 400503");
    let expected = vec![Value::Bool(false), Value::Undefined, Value::Bool(true)];
    assert_eq!(odd, Ok(Value::Array(expected)));
}

/// A generator of the same numbers at each run (xorshift64*).
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit.max(1)
    }
}

/// What was read is written, and reads as the same again.
fn consume(bytes: &[u8]) {
    let Ok(value) = from_bytes(bytes, &|id| (id < 4).then(|| vec![7; id as usize])) else {
        return;
    };
    let _ = IgnoredAny::deserialize(value.clone());
    let _ = Chain::deserialize(value.clone());
    let _ = Vec::<Option<String>>::deserialize(value.clone());
    // Replaced surrogates may make two keys one, which is not written.
    if let Ok(again) = value.to_bytes() {
        let back = read(&again).expect("what was written is read");
        assert_eq!(format!("{back:?}"), format!("{value:?}"));
    }
}

#[test]
fn noise() {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    // Tags and small numbers, which get further than bytes at random.
    let alphabet = b"\0?-_0TFIUNZS\"c^o{aA@$DyxnzsR;:',BC~tVupw\\mr\x01\x02\x03\x04\x80";
    for _ in 0..60_000 {
        let length = noise.below(40);
        let mut bytes = vec![0xFF, 15];
        for _ in 0..length {
            bytes.push(match noise.below(8) {
                0 => noise.next() as u8,
                _ => alphabet[noise.below(alphabet.len())],
            });
        }
        consume(&bytes);
    }
}

#[test]
fn mutations() {
    let samples = [
        "4104 4902 220161 30 5f 240004",
        "6f 220161 4902 220162 00 6302e565 220163 4101 54 240001 7b03",
        "72 6d 220178 63 72 52 6d 220172 73 220163 2e 73 22027374 2e",
        "4104 4204 01020304 5e01 5642000400 5e01 5642020200 5e02 240004",
        "3b 220161 27 4902 2c01 52 2202612b 03 44 000000a2941a6d42 3a04",
        "4105 7402 5e01 5642000100 6103 4900 4902 400103 5e03 5a20 0300000000000000 0100000000000000 240005",
    ]
    .map(message);
    let mut noise = Noise(0xD1B5_4A32_D192_ED03);
    for sample in &samples {
        (0..=sample.len()).for_each(|length| consume(&sample[..length]));
        for _ in 0..8_000 {
            let mut bytes = sample.clone();
            for _ in 0..=noise.below(3) {
                let at = noise.below(bytes.len());
                let other = &samples[noise.below(samples.len())];
                match noise.below(4) {
                    0 => bytes[at] = noise.next() as u8,
                    1 => bytes[at] ^= 1 << noise.below(8),
                    2 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, other[noise.below(other.len())]),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            consume(&bytes);
        }
    }
}
