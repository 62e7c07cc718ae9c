//! Property keys: which values may be one, and how a number reads as one.

use std::fmt::{Display, Write as _};
use std::ops::Range;

use serde::Serializer;
use serde::ser::{Impossible, Serialize};

use super::error::WireError;
use super::writer::Writer;

/// Writes one property key, always as a string. Answers with where it is.
pub(super) struct KeyWriter<'w> {
    writer: &'w mut Writer,
    /// `Some`s and newtypes that are left before the key is taken for endless.
    layers: u8,
}

impl<'w> KeyWriter<'w> {
    pub(super) fn new(writer: &'w mut Writer) -> Self {
        let layers = 64;
        KeyWriter { writer, layers }
    }

    fn refuse<T>(&self) -> Result<T, WireError> {
        Err(self
            .writer
            .refuse("a map key that is neither a string nor a number"))
    }

    fn display(self, number: impl Display) -> Result<Range<usize>, WireError> {
        self.writer.string(&number.to_string())
    }

    fn layer<T: Serialize + ?Sized>(self, value: &T) -> Result<Range<usize>, WireError> {
        match self.layers.checked_sub(1) {
            Some(layers) => value.serialize(KeyWriter { layers, ..self }),
            None => self.refuse(),
        }
    }
}

type Never = Impossible<Range<usize>, WireError>;

impl Serializer for KeyWriter<'_> {
    type Ok = Range<usize>;
    type Error = WireError;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    fn serialize_bool(self, _value: bool) -> Result<Self::Ok, WireError> {
        self.refuse()
    }

    fn serialize_i8(self, value: i8) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_i16(self, value: i16) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_i32(self, value: i32) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_i64(self, value: i64) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_i128(self, value: i128) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_u8(self, value: u8) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_u16(self, value: u16) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_u32(self, value: u32) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_u64(self, value: u64) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_u128(self, value: u128) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_f32(self, value: f32) -> Result<Self::Ok, WireError> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<Self::Ok, WireError> {
        self.display(number_text(value))
    }

    fn serialize_char(self, value: char) -> Result<Self::Ok, WireError> {
        self.display(value)
    }

    fn serialize_str(self, value: &str) -> Result<Self::Ok, WireError> {
        self.writer.string(value)
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<Self::Ok, WireError> {
        self.refuse()
    }

    fn serialize_none(self) -> Result<Self::Ok, WireError> {
        self.refuse()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, WireError> {
        self.layer(value)
    }

    fn serialize_unit(self) -> Result<Self::Ok, WireError> {
        self.refuse()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Self::Ok, WireError> {
        self.refuse()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Self::Ok, WireError> {
        self.writer.string(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Self::Ok, WireError> {
        self.layer(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<Self::Ok, WireError> {
        self.refuse()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Never, WireError> {
        self.refuse()
    }

    fn serialize_tuple(self, _length: usize) -> Result<Never, WireError> {
        self.refuse()
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Never, WireError> {
        self.refuse()
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Never, WireError> {
        self.refuse()
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Never, WireError> {
        self.refuse()
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Never, WireError> {
        self.refuse()
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Never, WireError> {
        self.refuse()
    }
}

/// The property key that `number` is: ECMA-262 §6.1.6.1.20 `Number::toString`, radix 10.
pub(super) fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let mut text = String::new();
    if number < 0.0 {
        text.push('-');
    }
    if number.is_infinite() {
        text.push_str("Infinity");
        return text;
    }
    // Rust prints the shortest digits that read back as the number, as the standard asks; only where the point goes is JavaScript's own.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // The standard's k and n.
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let point = exponent + 1;
    let zeros = |text: &mut String, count: i32| {
        text.extend(std::iter::repeat_n(
            '0',
            usize::try_from(count).unwrap_or(0),
        ));
    };
    let split = |at: i32| {
        let at = usize::try_from(at).unwrap_or(0);
        digits.split_at_checked(at).unwrap_or((&digits, ""))
    };
    if (1..=21).contains(&point) {
        let (whole, fraction) = split(point.min(count));
        text.push_str(whole);
        zeros(&mut text, point - count);
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(fraction);
        }
    } else if (-5..=0).contains(&point) {
        text.push_str("0.");
        zeros(&mut text, -point);
        text.push_str(&digits);
    } else {
        let (first, rest) = split(1);
        text.push_str(first);
        if !rest.is_empty() {
            text.push('.');
            text.push_str(rest);
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "e{exponent:+}");
    }
    text
}
