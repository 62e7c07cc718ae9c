//! Messages as the embedding program sees them.

use isolane_guest_abi as abi;
use serde::de::DeserializeOwned;

use crate::buffer::Buffer;
use crate::clone::parcel::{Parcel, counted_bytes};
use crate::clone::wire::{self, WireError};
use crate::error::PostError;
use crate::lane::ends::LaneSender;
use crate::lane::quota::QuotaExceeded;

/// A message between the embedding program and a worker.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, bit for bit.
    Number(f64),
    /// A bigint. Larger ones than this type holds arrive as [`Message::Structured`].
    BigInt(i128),
    /// A string. Lone surrogates, which Rust's strings cannot hold, arrive as U+FFFD.
    String(String),
    /// An ArrayBuffer, or the bytes of a view. Moved if the script transferred it; copied once if it is large and was not.
    Buffer(Buffer),
    /// Anything else.
    Structured(Structured),
}

/// An object, array, map or other structured value.
///
/// ```
/// use isolane::Structured;
/// let point = Structured::new(&serde_json::json!({ "x": 1, "y": 2 }))?;
/// let (x, y): (i32, i32) = { let v: serde_json::Value = point.deserialize()?; (v["x"].as_i64().unwrap_or(0) as i32, v["y"].as_i64().unwrap_or(0) as i32) };
/// assert_eq!((x, y), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Structured(Box<Parcel>);

impl Structured {
    /// The JavaScript form of a serde value: structs and maps are plain objects, sequences arrays, bytes Uint8Arrays, enums externally tagged.
    ///
    /// # Errors
    /// If the value has no JavaScript form, for example a map whose keys are not strings or numbers.
    pub fn new<T: serde::Serialize + ?Sized>(value: &T) -> Result<Self, WireError> {
        Ok(Self(Box::new(Parcel {
            bytes: wire::to_bytes(value)?,
            ..Parcel::default()
        })))
    }

    /// Reads the value into a Rust type.
    ///
    /// # Errors
    /// If the value does not have the type's shape, or holds what has no Rust form (functions of the host, shared memory, ports).
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, WireError> {
        T::deserialize(self.value()?)
    }

    /// Reads the value as a tree.
    ///
    /// # Errors
    /// If it holds what has no Rust form.
    pub fn value(&self) -> Result<wire::Value, WireError> {
        let moved = |number: u32| {
            self.0
                .moved
                .get(number as usize)
                .map(|store| store.0.iter().map(std::cell::Cell::get).collect())
        };
        wire::from_bytes(&self.0.bytes, &moved)
    }
}

impl std::fmt::Debug for Structured {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value() {
            Ok(value) => value.fmt(formatter),
            Err(error) => write!(formatter, "<{error}>"),
        }
    }
}

impl PartialEq for Structured {
    fn eq(&self, other: &Self) -> bool {
        matches!((self.value(), other.value()), (Ok(one), Ok(other)) if one == other)
    }
}

macro_rules! from {
    ($($from:ty => |$value:ident| $message:expr;)*) => {
        $(impl From<$from> for Message {
            fn from($value: $from) -> Self {
                $message
            }
        })*
    };
}
from! {
    () => |_value| Message::Undefined;
    bool => |value| Message::Bool(value);
    i32 => |value| Message::Number(f64::from(value));
    u32 => |value| Message::Number(f64::from(value));
    f64 => |value| Message::Number(value);
    i64 => |value| Message::BigInt(i128::from(value));
    u64 => |value| Message::BigInt(i128::from(value));
    i128 => |value| Message::BigInt(value);
    &str => |value| Message::String(value.to_owned());
    String => |value| Message::String(value);
    Buffer => |value| Message::Buffer(value);
    Vec<u8> => |value| Message::Buffer(value.into());
    Box<[u8]> => |value| Message::Buffer(value.into());
    bytes::Bytes => |value| Message::Buffer(value.into());
    Structured => |value| Message::Structured(value);
}

/// Tag of an ArrayBuffer that lies beside V8's bytes, by number.
const TRANSFERRED_BUFFER: u8 = b't';
/// Tag of a view, after its buffer.
const VIEW: u8 = b'V';
/// Version 15 of V8's format, which newer ones read.
const HEADER: [u8; 2] = [0xff, 15];
/// The version that this V8 writes.
const WRITTEN_HEADER: [u8; 2] = [0xff, 16];

impl Message {
    /// Sends it in slots if it fits them, else as a parcel. Refused, it comes back as it was.
    pub(crate) fn send(self, sender: &mut LaneSender) -> Result<(), Refused> {
        let sent = match self {
            Self::Undefined => sender.send(abi::Value::Undefined),
            Self::Null => sender.send(abi::Value::Null),
            Self::Bool(value) => sender.send(abi::Value::Bool(value)),
            Self::Number(value) => {
                let integer = value as i32;
                let exact = f64::from(integer).to_bits() == value.to_bits();
                sender.send(if exact {
                    abi::Value::Int32(integer)
                } else {
                    abi::Value::Float64(value)
                })
            }
            Self::BigInt(value) => match u64::try_from(value.unsigned_abs()) {
                Ok(magnitude) => sender.send(abi::Value::BigInt {
                    negative: value < 0,
                    magnitude,
                }),
                Err(_) => return send_bytes(sender, wire::to_bytes(&value), self),
            },
            Self::String(ref text) => {
                if let Some(sent) = send_inline_text(sender, text) {
                    sent
                } else {
                    return send_bytes(sender, wire::to_bytes(text), self);
                }
            }
            Self::Buffer(buffer) => {
                // Its store leaves it for good, so only once it is sure to go.
                let mut kept = Some(buffer);
                let length = kept.as_ref().map_or(0, |buffer| buffer.len());
                let sent = sender.send_parcel(counted_bytes(0, [length].into_iter()), || Parcel {
                    bytes: [HEADER.as_slice(), &[TRANSFERRED_BUFFER, 0]].concat(),
                    moved: kept.take().map(Buffer::into_store).into_iter().collect(),
                    ..Parcel::default()
                });
                return match (sent, kept) {
                    (Err(refused), Some(buffer)) => Err(Refused {
                        error: refused.into(),
                        message: Self::Buffer(buffer),
                    }),
                    (sent, _) => sent.map_err(|refused| Refused {
                        error: refused.into(),
                        message: Self::Undefined,
                    }),
                };
            }
            Self::Structured(Structured(parcel)) => {
                let bytes = parcel.byte_length();
                let mut kept = Some(parcel);
                let sent = sender.send_parcel(bytes, || *kept.take().unwrap_or_default());
                return sent.map_err(|refused| Refused {
                    error: refused.into(),
                    message: Self::Structured(Structured(kept.unwrap_or_default())),
                });
            }
        };
        sent.map_err(|refused| Refused {
            error: refused.into(),
            message: self,
        })
    }

    pub(crate) fn from_slot(slot: abi::Message) -> Self {
        match slot {
            abi::Message::Null => Self::Null,
            abi::Message::Bool(value) => Self::Bool(value),
            abi::Message::Int32(value) => Self::Number(f64::from(value)),
            abi::Message::Float64(value) => Self::Number(value),
            abi::Message::BigInt {
                negative,
                magnitude,
            } => {
                let magnitude = i128::from(magnitude);
                Self::BigInt(if negative { -magnitude } else { magnitude })
            }
            abi::Message::Latin1(text) => {
                Self::String(text.iter().map(|unit| char::from(*unit)).collect())
            }
            abi::Message::Utf16(text) => Self::String(String::from_utf16_lossy(&text)),
            _ => Self::Undefined,
        }
    }

    pub(crate) fn from_parcel(mut parcel: Parcel) -> Self {
        if let Some(part) = sole_buffer(&parcel)
            && let Some(store) = parcel.moved.pop()
        {
            let length = store.0.len();
            let part = part
                .filter(|(start, size)| start.checked_add(*size).is_some_and(|end| end <= length));
            if let Some(buffer) = Buffer::from_store(store, part) {
                return Self::Buffer(buffer);
            }
        }
        let structured = Structured(Box::new(parcel));
        if !wire::is_leaf(&structured.0.bytes) {
            return Self::Structured(structured);
        }
        match structured.value() {
            Ok(wire::Value::String(text)) => Self::String(text),
            Ok(wire::Value::BigInt(number)) => match number.to_i128() {
                Some(number) => Self::BigInt(number),
                None => Self::Structured(structured),
            },
            Ok(wire::Value::Bytes(bytes)) => Self::Buffer(bytes.into()),
            Ok(wire::Value::TypedArray(array)) => Self::Buffer(array.bytes.into()),
            _ => Self::Structured(structured),
        }
    }
}

/// Whether the parcel is one buffer and nothing else; and the part of it that a view shows.
fn sole_buffer(parcel: &Parcel) -> Option<Option<(usize, usize)>> {
    let rest = parcel
        .bytes
        .strip_prefix(&WRITTEN_HEADER)?
        .strip_prefix(&[TRANSFERRED_BUFFER, 0])?;
    if parcel.moved.len() != 1 {
        return None;
    }
    match rest {
        [] => Some(None),
        [VIEW, _kind, rest @ ..] => {
            let (start, rest) = varint(rest)?;
            let (length, rest) = varint(rest)?;
            // Flags: a length-tracking view is not a fixed part.
            (rest == [0]).then_some(Some((start, length)))
        }
        _ => None,
    }
}

fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        value |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}

/// Sends a text that fits slots; none: it does not.
fn send_inline_text(sender: &mut LaneSender, text: &str) -> Option<Result<(), QuotaExceeded>> {
    let latin1: Option<Vec<u8>> = text
        .chars()
        .take(abi::layout::MAX_INLINE_UNITS + 1)
        .map(|unit| u8::try_from(unit).ok())
        .collect();
    if let Some(value) = latin1.as_deref().and_then(abi::Value::latin1) {
        return Some(sender.send(value));
    }
    let utf16: Vec<u16> = text
        .encode_utf16()
        .take(abi::layout::MAX_INLINE_UNITS + 1)
        .collect();
    abi::Value::utf16(&utf16).map(|value| sender.send(value))
}

/// Sends the serialised form of a message.
fn send_bytes(
    sender: &mut LaneSender,
    bytes: Result<Vec<u8>, WireError>,
    message: Message,
) -> Result<(), Refused> {
    let sent = bytes.map_err(PostError::from).and_then(|bytes| {
        let length = counted_bytes(bytes.len(), std::iter::empty());
        let make = || Parcel {
            bytes,
            ..Parcel::default()
        };
        sender.send_parcel(length, make).map_err(PostError::from)
    });
    sent.map_err(|error| Refused { error, message })
}

/// A message that was not sent, and why.
pub(crate) struct Refused {
    pub(crate) error: PostError,
    pub(crate) message: Message,
}
