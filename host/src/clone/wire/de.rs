//! A [`Value`] as any type that serde can read.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, Error as _, IntoDeserializer, Visitor};

use super::bigint::BigInt;
use super::de_key::Key;
use super::error::WireError;
use super::tag::MAX_DEPTH;
use super::value::Value;

/// A value, and how many values, `Option`s and newtypes are around it.
///
/// The types decide how deep a value is taken apart, and a newtype around an `Option` of itself never ends.
pub(super) struct De {
    pub(super) value: Value,
    depth: usize,
}

impl De {
    /// The same value one layer further in.
    fn layer(self) -> Result<De, WireError> {
        let depth = inside(self.depth)?;
        Ok(De { depth, ..self })
    }

    /// A value inside this one.
    pub(super) fn part(depth: usize, value: Value) -> De {
        De { value, depth }
    }

    pub(super) fn inside(&self) -> Result<usize, WireError> {
        inside(self.depth)
    }

    fn seq<'de, V: Visitor<'de>>(
        depth: usize,
        elements: impl Iterator<Item = Value>,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let elements = elements.map(|element| De::part(depth, element));
        let mut elements = SeqDeserializer::new(elements);
        let value = visitor.visit_seq(&mut elements)?;
        elements.end()?;
        Ok(value)
    }

    fn object<'de, V: Visitor<'de>>(
        depth: usize,
        properties: Vec<(String, Value)>,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let properties = properties.into_iter();
        let properties = properties.map(|(key, value)| (Key::new(key), De::part(depth, value)));
        let mut properties = MapDeserializer::new(properties);
        let value = visitor.visit_map(&mut properties)?;
        properties.end()?;
        Ok(value)
    }

    fn map<'de, V: Visitor<'de>>(
        depth: usize,
        entries: Vec<(Value, Value)>,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let entries = entries.into_iter();
        let entries = entries.map(|(key, value)| (De::part(depth, key), De::part(depth, value)));
        let mut entries = MapDeserializer::new(entries);
        let value = visitor.visit_map(&mut entries)?;
        entries.end()?;
        Ok(value)
    }

    /// A number that is whole as an integer, however great it is.
    fn integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        let (Value::Number(number) | Value::Date(number)) = self.value else {
            return self.deserialize_any(visitor);
        };
        // The bounds are powers of two and as such exact; so is each conversion of a whole number between them.
        if number.fract() != 0.0 {
            visitor.visit_f64(number)
        } else if (0.0..2_f64.powi(64)).contains(&number) {
            visitor.visit_u64(number as u64)
        } else if (-2_f64.powi(63)..0.0).contains(&number) {
            visitor.visit_i64(number as i64)
        } else if (-2_f64.powi(127)..0.0).contains(&number) {
            visitor.visit_i128(number as i128)
        } else if (0.0..2_f64.powi(128)).contains(&number) {
            visitor.visit_u128(number as u128)
        } else {
            visitor.visit_f64(number)
        }
    }
}

fn inside(depth: usize) -> Result<usize, WireError> {
    // Twice, as what was read may have an `Option` around every container.
    if depth < 2 * MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(WireError::custom("a value nested too deep for its type"))
    }
}

/// A number whose type the visitor chooses: an integer where JavaScript would take it for one, exactly.
fn visit_number<'de, V: Visitor<'de>>(number: f64, visitor: V) -> Result<V::Value, WireError> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    let negative_zero = number == 0.0 && number.is_sign_negative();
    if number.fract() != 0.0 || number.abs() > MAX_SAFE || negative_zero {
        visitor.visit_f64(number)
    } else if number < 0.0 {
        visitor.visit_i64(number as i64)
    } else {
        visitor.visit_u64(number as u64)
    }
}

fn visit_bigint<'de, V: Visitor<'de>>(number: &BigInt, visitor: V) -> Result<V::Value, WireError> {
    match (number.to_u128(), number.to_i128()) {
        (Some(wide), _) => match u64::try_from(wide) {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => visitor.visit_u128(wide),
        },
        (None, Some(wide)) => match i64::try_from(wide) {
            Ok(number) => visitor.visit_i64(number),
            Err(_) => visitor.visit_i128(wide),
        },
        (None, None) => Err(WireError::custom("a bigint of more than 128 bits")),
    }
}

impl<'de> Deserializer<'de> for De {
    type Error = WireError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        let depth = self.inside()?;
        match self.value {
            Value::Array(elements) | Value::Set(elements) => {
                De::seq(depth, elements.into_iter(), visitor)
            }
            Value::Object(properties) => De::object(depth, properties, visitor),
            Value::Map(entries) => De::map(depth, entries, visitor),
            Value::TypedArray(array) => De::seq(depth, array.values(), visitor),
            Value::RegExp(regexp) => De::object(depth, regexp.into_properties(), visitor),
            Value::Error(error) => De::object(depth, error.into_properties(), visitor),
            Value::Undefined | Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) | Value::Date(number) => visit_number(number, visitor),
            Value::BigInt(number) => visit_bigint(&number, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Bytes(bytes) => visitor.visit_byte_buf(bytes),
        }
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
        match self.value {
            Value::Number(number) | Value::Date(number) => visitor.visit_f64(number),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        match self.value {
            Value::TypedArray(array) => visitor.visit_byte_buf(array.bytes),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        match self.value {
            Value::Undefined | Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self.layer()?),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        visitor.visit_newtype_struct(self.layer()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        match self.value {
            Value::Bytes(bytes) => {
                let mut elements = SeqDeserializer::new(bytes.into_iter());
                let value = visitor.visit_seq(&mut elements)?;
                elements.end()?;
                Ok(value)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    /// Not through [`De::deserialize_any`], whose frame is the largest: structs are what nests.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        let depth = self.inside()?;
        match self.value {
            Value::Object(properties) => De::object(depth, properties, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.visit_enum(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool char str string unit unit_struct identifier
    }
}

impl IntoDeserializer<'_, WireError> for De {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Each method as [`De`]'s.
macro_rules! as_de {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, WireError> {
            De::part(0, self).$method($($argument,)* visitor)
        }
    )*};
}

/// How JavaScript's values read as serde's model:
///
/// - `undefined` and `null` are `None` and `()`;
/// - a whole number is any integer type that it fits, and a bigint likewise; a `Date` is its milliseconds;
/// - arrays, sets and typed arrays are sequences; bytes are bytes, and a sequence where the type asks for one;
/// - objects and maps are maps and structs, and so are errors (`name`, `message`, `stack`, `cause`) and regular expressions (`source`, `flags`);
/// - enums are externally tagged: a string, or an object of one property.
impl<'de> Deserializer<'de> for Value {
    type Error = WireError;

    as_de! {
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_i128()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_u128()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier()
        deserialize_ignored_any()
    }
}

impl<'de> de::IntoDeserializer<'de, WireError> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
