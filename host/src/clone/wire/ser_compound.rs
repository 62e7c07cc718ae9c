//! serde's containers as arrays and plain objects.

use std::ops::Range;

use serde::ser::{self, Serialize};

use super::error::WireError;
use super::key::KeyWriter;
use super::tag;
use super::writer::{ArrayStart, Writer};

/// An array that is being written.
pub(super) struct Sequence<'w> {
    writer: &'w mut Writer,
    start: ArrayStart,
    length: usize,
    /// Whether the object of an enum's variant is around it.
    in_variant: bool,
}

impl<'w> Sequence<'w> {
    pub(super) fn open(
        writer: &'w mut Writer,
        length: Option<usize>,
        in_variant: bool,
    ) -> Result<Self, WireError> {
        let start = writer.open_array(length)?;
        Ok(Sequence {
            writer,
            start,
            length: 0,
            in_variant,
        })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        value.serialize(&mut *self.writer)?;
        self.length += 1;
        Ok(())
    }

    fn close(self) -> Result<(), WireError> {
        self.writer.close_array(&self.start, self.length)?;
        close_variant(self.writer, self.in_variant)
    }
}

/// A plain object that is being written.
pub(super) struct Properties<'w> {
    writer: &'w mut Writer,
    count: usize,
    in_variant: bool,
    /// Where the keys of a map are. A struct's fields need no check.
    keys: Vec<Range<usize>>,
}

impl<'w> Properties<'w> {
    pub(super) fn open(writer: &'w mut Writer, in_variant: bool) -> Result<Self, WireError> {
        writer.open(tag::BEGIN_OBJECT)?;
        Ok(Properties {
            writer,
            count: 0,
            in_variant,
            keys: Vec::new(),
        })
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), WireError> {
        self.writer.string(name)?;
        self.value(value)
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        value.serialize(&mut *self.writer)?;
        self.count += 1;
        Ok(())
    }

    fn close(mut self) -> Result<(), WireError> {
        if self.writer.any_twice(&mut self.keys) {
            return Err(self.writer.refuse("a map with the same key twice"));
        }
        self.writer.close(tag::END_OBJECT, self.count)?;
        close_variant(self.writer, self.in_variant)
    }
}

fn close_variant(writer: &mut Writer, in_variant: bool) -> Result<(), WireError> {
    if in_variant {
        writer.close(tag::END_OBJECT, 1)?;
    }
    Ok(())
}

impl ser::SerializeSeq for Sequence<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}

impl ser::SerializeTuple for Sequence<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for Sequence<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for Sequence<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.element(value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}

impl ser::SerializeMap for Properties<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), WireError> {
        let place = key.serialize(KeyWriter::new(self.writer))?;
        self.keys.push(place);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WireError> {
        self.value(value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}

impl ser::SerializeStruct for Properties<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), WireError> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Properties<'_> {
    type Ok = ();
    type Error = WireError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), WireError> {
        self.field(name, value)
    }

    fn end(self) -> Result<(), WireError> {
        self.close()
    }
}
