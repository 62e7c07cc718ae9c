//! Property keys as serde's map keys: a string, or the number that it is the text of.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::value::StringDeserializer;
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};

use super::error::WireError;
use super::key::number_text;

pub(super) struct Key {
    text: String,
    /// `Option`s and newtypes that are left before the key's type is taken for endless.
    layers: u8,
}

impl Key {
    pub(super) fn new(text: String) -> Self {
        Key { text, layers: 64 }
    }

    fn layer(self) -> Result<Self, WireError> {
        match self.layers.checked_sub(1) {
            Some(layers) => Ok(Key { layers, ..self }),
            None => Err(WireError::custom("a map key nested too deep")),
        }
    }

    /// The integer, where the key is the text that JavaScript gives it.
    fn number<T: FromStr + Display>(&self) -> Option<T> {
        let number: T = self.text.parse().ok()?;
        (number.to_string() == self.text).then_some(number)
    }

    fn integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        if let Some(number) = self.number() {
            visitor.visit_u64(number)
        } else if let Some(number) = self.number() {
            visitor.visit_i64(number)
        } else if let Some(number) = self.number() {
            visitor.visit_u128(number)
        } else if let Some(number) = self.number() {
            visitor.visit_i128(number)
        } else {
            visitor.visit_string(self.text)
        }
    }
}

impl IntoDeserializer<'_, WireError> for Key {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Key {
    type Error = WireError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_string(self.text)
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.integer(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        match self.text.parse() {
            Ok(number) if number_text(number) == self.text => visitor.visit_f64(number),
            _ => visitor.visit_string(self.text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_some(self.layer()?)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        visitor.visit_newtype_struct(self.layer()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let variant: StringDeserializer<WireError> = self.text.into_deserializer();
        visitor.visit_enum(variant)
    }

    serde::forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
