//! V8's structured-clone bytes, read and written without an isolate, so that a Rust program can exchange serde values with JavaScript.
//!
//! The format is the one of V8's `ValueSerializer` (`src/objects/value-serializer.cc`). V8 promises that later versions read what earlier ones
//! wrote, which is what makes it safe to depend on. [`to_bytes`] writes version 15; [`from_bytes`] reads versions 14, 15 and 16 (V8 15.2 writes
//! 16), which differ in nothing that is read here but the width of a length.
//!
//! | Rust, through serde | JavaScript | back, as a [`Value`] |
//! |---|---|---|
//! | `bool` | boolean | `Bool` |
//! | integers up to ±(2^53 - 1), `f32`, `f64` | number | `Number` |
//! | wider `i64` and `u64`, every `i128` and `u128` | bigint | `BigInt` |
//! | `char`, `str`, unit variants | string | `String` |
//! | bytes (`serialize_bytes`) | `Uint8Array` | `Bytes` |
//! | `None` | `null` | `Null` |
//! | `()`, unit structs | `undefined` | `Undefined` |
//! | sequences, tuples | array | `Array` |
//! | structs, maps with string or number keys | plain object | `Object` |
//! | variants with data | object of one property, the variant's name | `Object` |
//!
//! What serde cannot name (a `Date`, a `Map`, a `RegExp`) is written from a [`Value`] with [`Value::to_bytes`].
//!
//! # Limits
//!
//! The reader trusts nothing: every length is checked against the bytes that are left, nesting ends at [`MAX_DEPTH`], and what repeated
//! references may expand to is bounded (4 MiB and four times the input's size), as are the holes of sparse arrays (2^20 in all). It does not
//! panic, whatever the bytes.
//!
//! # Departures from V8's reader
//!
//! - A [`Value`] is a tree. An object that the message names twice arrives as two copies, and a cycle is an error.
//! - Holes of an array arrive as `undefined`, named properties of an array and of an error are dropped, and wrapper objects (`new Number(1)`)
//!   arrive as their primitive.
//! - Lone surrogates of a string become U+FFFD, as a Rust string cannot hold them. Two keys may become equal by it; both are kept.
//! - Bytes after the value are an error: V8 ignores them.
//! - The parts of an error may come in any order: releases of V8 differ in the one they write.
//!
//! # Files
//!
//! | to change | look in |
//! |---|---|
//! | a tag, a version, a limit | `tag.rs` |
//! | how a value is laid out | `writer.rs`, `value_writer.rs` |
//! | how serde's model maps to JavaScript | `ser.rs`, `ser_compound.rs`, `key.rs`; back: `de.rs`, `de_key.rs`, `de_enum.rs` |
//! | what is read | `reader.rs`, `containers.rs`, `buffer.rs` for buffers and views, `input.rs` for the bytes |
//! | references and what they may cost | `reference.rs` |
//! | how a lane's records become V8's bytes | `record.rs` |
//! | messages that are one string | `text.rs` |

mod bigint;
mod buffer;
mod containers;
mod de;
mod de_enum;
mod de_key;
mod error;
mod input;
mod key;
mod reader;
mod record;
mod reference;
mod ser;
mod ser_compound;
mod tag;
mod text;
mod value;
mod value_writer;
mod writer;

#[cfg(test)]
mod tests;

pub use bigint::BigInt;
pub use error::WireError;
pub(crate) use record::from_record;
pub use tag::MAX_DEPTH;
pub(crate) use text::{
    Units, one_byte as one_byte_message, two_byte as two_byte_message, units as units_of,
};
pub use value::{ErrorValue, RegExpValue, TypedArray, TypedArrayKind, Value};

/// The structured clone of `value`, as V8's deserialiser reads it.
///
/// The mapping is the table of the [module](self). A float stays a float, also when it is whole; an `i64` or `u64` becomes a bigint only when a
/// number cannot hold it exactly. Enums are externally tagged, as JSON writers do it.
///
/// # Errors
///
/// [`WireError::Unwritable`] for what JavaScript cannot express (a map key that is neither a string nor a number, a key twice in one map, a
/// sequence of another length than it announced), [`WireError::TooDeep`] beyond [`MAX_DEPTH`], and [`WireError::Serde`] when the type's own
/// `Serialize` fails.
///
/// # Examples
///
/// ```
/// let bytes = isolane::wire::to_bytes(&["a", "b"])?;
/// assert_eq!(bytes, b"\xff\x0fA\x02\"\x01a\"\x01b$\0\x02");
/// # Ok::<(), isolane::wire::WireError>(())
/// ```
pub fn to_bytes<T: serde::Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, WireError> {
    let mut writer = writer::Writer::new();
    value.serialize(&mut writer)?;
    Ok(writer.into_bytes())
}

/// Whether `bytes` hold a string, a bigint or a buffer by itself: what is cheap to look at, since no tree is built of it.
pub(crate) fn is_leaf(bytes: &[u8]) -> bool {
    let body = match bytes {
        [tag::VERSION, _, body @ ..] => body,
        body => body,
    };
    let first = body.iter().find(|byte| **byte != tag::PADDING);
    // A view stands behind its buffer.
    let leaves = [
        tag::UTF8_STRING,
        tag::ONE_BYTE_STRING,
        tag::TWO_BYTE_STRING,
        tag::BIGINT,
        tag::ARRAY_BUFFER,
        tag::IMMUTABLE_ARRAY_BUFFER,
        tag::RESIZABLE_ARRAY_BUFFER,
        tag::ARRAY_BUFFER_TRANSFER,
    ];
    first.is_some_and(|first| leaves.contains(first))
}

/// The value that the structured clone `bytes` holds.
///
/// `transferred` resolves the number of an `ArrayBuffer` that was moved beside the message to its bytes. It is asked at most once per number.
///
/// # Errors
///
/// [`WireError::Malformed`] when the bytes are not a clone of a version that is read here, [`WireError::Unsupported`] for what has no meaning
/// outside an isolate (host objects, shared memory, WebAssembly), [`WireError::Cycle`] for an object that contains itself, and
/// [`WireError::TooDeep`] or [`WireError::TooLarge`] at the limits.
pub fn from_bytes(
    bytes: &[u8],
    transferred: &dyn Fn(u32) -> Option<Vec<u8>>,
) -> Result<Value, WireError> {
    reader::Reader::new(bytes, transferred).read_message()
}
