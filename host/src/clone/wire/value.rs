//! A JavaScript value as Rust sees it.

use super::bigint::BigInt;

/// A JavaScript value that was, or can be, structured-cloned.
///
/// A tree: what the message names twice is here twice. It implements [`serde::Deserializer`], so `T::deserialize(value)` turns it into any type
/// that serde knows.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Value {
    /// `undefined`; also a hole of an array.
    #[default]
    Undefined,
    /// `null`.
    Null,
    /// A boolean, or a `Boolean` object.
    Bool(bool),
    /// A number, or a `Number` object.
    Number(f64),
    /// A bigint, or an object around one.
    BigInt(BigInt),
    /// A string, or a `String` object. Lone surrogates were replaced by U+FFFD.
    String(String),
    /// A `Date`, in milliseconds since the epoch. NaN for an invalid one.
    Date(f64),
    /// A `RegExp`.
    RegExp(Box<RegExpValue>),
    /// An array. Its named properties, where it had any, are dropped.
    Array(Vec<Value>),
    /// A plain object: its own enumerable properties in their order.
    Object(Vec<(String, Value)>),
    /// A `Map`, in insertion order.
    Map(Vec<(Value, Value)>),
    /// A `Set`, in insertion order.
    Set(Vec<Value>),
    /// An `ArrayBuffer`, or the part of one that a `Uint8Array`, `Uint8ClampedArray` or `DataView` shows. Written as a `Uint8Array`.
    Bytes(Vec<u8>),
    /// A typed array of another kind.
    TypedArray(TypedArray),
    /// An `Error`.
    Error(Box<ErrorValue>),
}

/// A JavaScript `RegExp`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegExpValue {
    /// The pattern, in JavaScript's syntax.
    pub source: String,
    /// Its flags, as `RegExp.prototype.flags` gives them.
    pub flags: String,
}

/// A JavaScript `Error`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorValue {
    /// `"Error"`, or the name of one of its built-in subclasses. A structured clone keeps no other names: written, they become `"Error"`.
    pub name: String,
    /// The message, where the error has one of its own.
    pub message: Option<String>,
    /// The stack, as V8 formats it.
    pub stack: Option<String>,
    /// The cause, where the error has one.
    pub cause: Option<Value>,
}

impl RegExpValue {
    /// As an object's properties.
    pub(super) fn into_properties(self) -> Vec<(String, Value)> {
        [("source", self.source), ("flags", self.flags)]
            .map(|(key, text)| (key.to_owned(), Value::String(text)))
            .into()
    }
}

impl ErrorValue {
    /// As an object's properties. What the error does not have is not among them.
    pub(super) fn into_properties(self) -> Vec<(String, Value)> {
        [
            ("name", Some(Value::String(self.name))),
            ("message", self.message.map(Value::String)),
            ("stack", self.stack.map(Value::String)),
            ("cause", self.cause),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect()
    }
}

/// A typed array whose elements are not plain bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedArray {
    /// What the elements are.
    pub kind: TypedArrayKind,
    /// The elements in the machine's byte order. Bytes that do not fill an element are not part of the array.
    pub bytes: Vec<u8>,
}

/// What the elements of a [`TypedArray`] are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum TypedArrayKind {
    Int8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float16,
    Float32,
    Float64,
    BigInt64,
    BigUint64,
}

impl TypedArrayKind {
    /// Bytes per element.
    pub fn element_size(self) -> usize {
        match self {
            TypedArrayKind::Int8 => 1,
            TypedArrayKind::Int16 | TypedArrayKind::Uint16 | TypedArrayKind::Float16 => 2,
            TypedArrayKind::Int32 | TypedArrayKind::Uint32 | TypedArrayKind::Float32 => 4,
            TypedArrayKind::Float64 | TypedArrayKind::BigInt64 | TypedArrayKind::BigUint64 => 8,
        }
    }

    pub(super) fn tag(self) -> u8 {
        match self {
            TypedArrayKind::Int8 => b'b',
            TypedArrayKind::Int16 => b'w',
            TypedArrayKind::Uint16 => b'W',
            TypedArrayKind::Int32 => b'd',
            TypedArrayKind::Uint32 => b'D',
            TypedArrayKind::Float16 => b'h',
            TypedArrayKind::Float32 => b'f',
            TypedArrayKind::Float64 => b'F',
            TypedArrayKind::BigInt64 => b'q',
            TypedArrayKind::BigUint64 => b'Q',
        }
    }

    pub(super) fn from_tag(tag: u8) -> Option<Self> {
        Some(match tag {
            b'b' => TypedArrayKind::Int8,
            b'w' => TypedArrayKind::Int16,
            b'W' => TypedArrayKind::Uint16,
            b'd' => TypedArrayKind::Int32,
            b'D' => TypedArrayKind::Uint32,
            b'h' => TypedArrayKind::Float16,
            b'f' => TypedArrayKind::Float32,
            b'F' => TypedArrayKind::Float64,
            b'q' => TypedArrayKind::BigInt64,
            b'Q' => TypedArrayKind::BigUint64,
            _ => return None,
        })
    }
}

impl TypedArray {
    /// The elements, as numbers or bigints.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value> + '_ {
        let kind = self.kind;
        self.bytes
            .chunks_exact(kind.element_size())
            .map(move |element| decode(kind, element).unwrap_or_default())
    }
}

/// One element. `None` when `bytes` is not as long as `kind` needs.
fn decode(kind: TypedArrayKind, bytes: &[u8]) -> Option<Value> {
    Some(match kind {
        TypedArrayKind::Int8 => Value::Number(i8::from_ne_bytes(bytes.try_into().ok()?).into()),
        TypedArrayKind::Int16 => Value::Number(i16::from_ne_bytes(bytes.try_into().ok()?).into()),
        TypedArrayKind::Uint16 => Value::Number(u16::from_ne_bytes(bytes.try_into().ok()?).into()),
        TypedArrayKind::Int32 => Value::Number(i32::from_ne_bytes(bytes.try_into().ok()?).into()),
        TypedArrayKind::Uint32 => Value::Number(u32::from_ne_bytes(bytes.try_into().ok()?).into()),
        TypedArrayKind::Float16 => {
            Value::Number(widen_half(u16::from_ne_bytes(bytes.try_into().ok()?)))
        }
        TypedArrayKind::Float32 => Value::Number(f32::from_ne_bytes(bytes.try_into().ok()?).into()),
        TypedArrayKind::Float64 => Value::Number(f64::from_ne_bytes(bytes.try_into().ok()?)),
        TypedArrayKind::BigInt64 => {
            Value::BigInt(i64::from_ne_bytes(bytes.try_into().ok()?).into())
        }
        TypedArrayKind::BigUint64 => {
            Value::BigInt(u64::from_ne_bytes(bytes.try_into().ok()?).into())
        }
    })
}

/// IEEE 754 binary16, which stable Rust has no type for.
fn widen_half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3FF);
    let magnitude = match (bits >> 10) & 0x1F {
        // Subnormal: no hidden bit.
        0 => fraction * 2_f64.powi(-24),
        0x1F if fraction == 0.0 => f64::INFINITY,
        0x1F => f64::NAN,
        exponent => (fraction + 1024.0) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}
