//! What V8 writes is read and written to the byte ([`v8_bytes`]); Rust types come back as they were ([`round_trip`]); each rule of the mapping
//! ([`mapping`]); nothing that may arrive does harm ([`hostile`]); lanes' records and
//! strings ([`records`]).

mod hostile;
mod mapping;
mod records;
mod round_trip;
mod v8_bytes;

use serde::de::DeserializeOwned;

use super::*;

/// Bytes of `digits`, of which spaces are ignored, after a header of version 15.
fn message(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| *byte != b' ').collect();
    let bytes = digits.chunks(2).map(|pair| {
        let pair = str::from_utf8(pair).expect("hexadecimal digits");
        u8::from_str_radix(pair, 16).expect("hexadecimal digits")
    });
    [0xFF, 15].into_iter().chain(bytes).collect()
}

/// What [`message`] was made of.
fn digits(message: &[u8]) -> String {
    assert_eq!(message.get(..2), Some(&[0xFF, 15][..]));
    let bytes = message.iter().skip(2);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

fn read(bytes: &[u8]) -> Result<Value, WireError> {
    from_bytes(bytes, &|_| None)
}

fn read_digits(digits: &str) -> Result<Value, WireError> {
    read(&message(digits))
}

fn read_as<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    T::deserialize(read(bytes)?)
}

fn number(number: impl Into<f64>) -> Value {
    Value::Number(number.into())
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn object<const N: usize>(properties: [(&str, Value); N]) -> Value {
    Value::Object(
        properties
            .map(|(key, value)| (key.to_owned(), value))
            .into(),
    )
}
