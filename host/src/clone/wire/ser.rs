//! serde's data model as JavaScript values: scalars, and the way into containers ([`super::ser_compound`]).

use serde::Serializer;
use serde::ser::Serialize;

use super::bigint::BigInt;
use super::error::WireError;
use super::ser_compound::{Properties, Sequence};
use super::tag;
use super::writer::Writer;

/// `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE: u64 = (1 << 53) - 1;

impl Writer {
    /// A wide integer, as the narrowest of the forms that hold it exactly.
    fn integer(&mut self, number: i128) -> Result<(), WireError> {
        if let Ok(short) = i32::try_from(number) {
            self.int32(short);
            Ok(())
        } else if number.unsigned_abs() <= u128::from(MAX_SAFE) {
            // Exact: at most 53 bits.
            self.double(number as f64);
            Ok(())
        } else {
            self.wide(&BigInt::from(number))
        }
    }

    fn wide(&mut self, number: &BigInt) -> Result<(), WireError> {
        self.bigint(number.is_negative(), number.digits())
    }

    fn layer<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.enter_layer()?;
        value.serialize(&mut *self)?;
        self.leave_layer();
        Ok(())
    }

    /// The object around a variant's data: `{ variant: … }`.
    fn open_variant(&mut self, variant: &str) -> Result<(), WireError> {
        self.open(tag::BEGIN_OBJECT)?;
        self.string(variant)?;
        Ok(())
    }
}

impl<'w> Serializer for &'w mut Writer {
    type Ok = ();
    type Error = WireError;
    type SerializeSeq = Sequence<'w>;
    type SerializeTuple = Sequence<'w>;
    type SerializeTupleStruct = Sequence<'w>;
    type SerializeTupleVariant = Sequence<'w>;
    type SerializeMap = Properties<'w>;
    type SerializeStruct = Properties<'w>;
    type SerializeStructVariant = Properties<'w>;

    fn serialize_bool(self, value: bool) -> Result<(), WireError> {
        self.tag(if value { tag::TRUE } else { tag::FALSE });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), WireError> {
        self.serialize_i32(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), WireError> {
        self.serialize_i32(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), WireError> {
        self.int32(value);
        Ok(())
    }

    fn serialize_i64(self, value: i64) -> Result<(), WireError> {
        self.integer(value.into())
    }

    fn serialize_i128(self, value: i128) -> Result<(), WireError> {
        self.wide(&BigInt::from(value))
    }

    fn serialize_u8(self, value: u8) -> Result<(), WireError> {
        self.serialize_i32(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), WireError> {
        self.serialize_i32(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), WireError> {
        self.integer(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), WireError> {
        self.integer(value.into())
    }

    fn serialize_u128(self, value: u128) -> Result<(), WireError> {
        self.wide(&BigInt::from(value))
    }

    fn serialize_f32(self, value: f32) -> Result<(), WireError> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), WireError> {
        self.double(value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), WireError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), WireError> {
        self.string(value)?;
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), WireError> {
        self.view(tag::UINT8_ARRAY, value)
    }

    fn serialize_none(self) -> Result<(), WireError> {
        self.tag(tag::NULL);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WireError> {
        self.layer(value)
    }

    fn serialize_unit(self) -> Result<(), WireError> {
        self.tag(tag::UNDEFINED);
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), WireError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), WireError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), WireError> {
        self.layer(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), WireError> {
        self.open_variant(variant)?;
        value.serialize(&mut *self)?;
        self.close(tag::END_OBJECT, 1)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Sequence<'w>, WireError> {
        Sequence::open(self, length, false)
    }

    fn serialize_tuple(self, length: usize) -> Result<Sequence<'w>, WireError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        length: usize,
    ) -> Result<Sequence<'w>, WireError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Sequence<'w>, WireError> {
        self.open_variant(variant)?;
        Sequence::open(self, Some(length), true)
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Properties<'w>, WireError> {
        Properties::open(self, false)
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Properties<'w>, WireError> {
        Properties::open(self, false)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Properties<'w>, WireError> {
        self.open_variant(variant)?;
        Properties::open(self, true)
    }
}
