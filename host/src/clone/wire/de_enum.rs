//! Externally tagged enums: a string for a variant without data, else an object (or map) of one property.

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, Unexpected,
    VariantAccess, Visitor,
};

use super::de::De;
use super::error::WireError;
use super::value::Value;

impl De {
    pub(super) fn visit_enum<'de, V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let depth = self.inside()?;
        let single = match self.value {
            Value::String(name) => {
                let variant: StringDeserializer<WireError> = name.into_deserializer();
                return visitor.visit_enum(variant);
            }
            Value::Object(mut properties) if properties.len() == 1 => properties.pop(),
            Value::Map(mut entries) if entries.len() == 1 => match entries.pop() {
                Some((Value::String(name), data)) => Some((name, data)),
                _ => None,
            },
            other => {
                let expected = &"a string or an object of one property";
                return Err(WireError::invalid_type(unexpected(&other), expected));
            }
        };
        let Some((name, data)) = single else {
            return Err(WireError::custom("a variant whose name is not a string"));
        };
        let data = De::part(depth, data);
        visitor.visit_enum(Variant { name, data })
    }
}

/// A variant with data.
struct Variant {
    name: String,
    data: De,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = WireError;
    type Variant = De;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, De), WireError> {
        let name: StringDeserializer<WireError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self.data))
    }
}

impl<'de> VariantAccess<'de> for De {
    type Error = WireError;

    fn unit_variant(self) -> Result<(), WireError> {
        match self.value {
            Value::Undefined | Value::Null => Ok(()),
            other => Err(WireError::invalid_type(
                unexpected(&other),
                &"a variant without data",
            )),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, WireError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.deserialize_struct("", fields, visitor)
    }
}

/// What serde's messages call a value.
fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Undefined | Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => Unexpected::Float(*number),
        Value::BigInt(_) => Unexpected::Other("bigint"),
        Value::String(text) => Unexpected::Str(text),
        Value::Date(_) => Unexpected::Other("Date"),
        Value::RegExp(_) => Unexpected::Other("RegExp"),
        Value::Array(_) | Value::Set(_) | Value::TypedArray(_) => Unexpected::Seq,
        Value::Object(_) | Value::Map(_) => Unexpected::Map,
        Value::Bytes(bytes) => Unexpected::Bytes(bytes),
        Value::Error(_) => Unexpected::Other("Error"),
    }
}
