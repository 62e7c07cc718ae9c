//! Array buffers and the views over them.
//!
//! A view follows the buffer that it shows, or a reference to it, and takes its place as the value. So a buffer is not copied before it is known
//! whether a view follows: a thousand small views of one large buffer cost what they show.

use std::rc::Rc;

use super::error::WireError;
use super::reader::Reader;
use super::reference::{Kind, Object};
use super::tag;
use super::value::{TypedArray, TypedArrayKind, Value};

/// The bytes of a buffer that was just read.
pub(super) enum Buffer<'a> {
    /// They lie in the message.
    Inline(&'a [u8]),
    /// They were moved beside it.
    Moved(Rc<Vec<u8>>),
}

impl Buffer<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Buffer::Inline(bytes) => bytes,
            Buffer::Moved(bytes) => bytes,
        }
    }

    /// The whole, without a copy where nothing else will need it.
    fn into_vec(self) -> Vec<u8> {
        match self {
            Buffer::Inline(bytes) => bytes.to_vec(),
            Buffer::Moved(bytes) => Rc::unwrap_or_clone(bytes),
        }
    }
}

/// Whether a buffer's bytes, or where they are, follow `tag`.
pub(super) fn is_buffer(tag: u8) -> bool {
    matches!(
        tag,
        tag::ARRAY_BUFFER
            | tag::IMMUTABLE_ARRAY_BUFFER
            | tag::RESIZABLE_ARRAY_BUFFER
            | tag::ARRAY_BUFFER_TRANSFER
    )
}

impl<'a> Reader<'a> {
    /// The buffer whose tag, just read, is `tag`.
    pub(super) fn buffer(&mut self, tag: u8) -> Result<Buffer<'a>, WireError> {
        if tag == tag::ARRAY_BUFFER_TRANSFER {
            return self.moved();
        }
        let length = self.input.length()?;
        if tag == tag::RESIZABLE_ARRAY_BUFFER && self.input.length()? < length {
            return self.input.malformed("a buffer beyond its greatest length");
        }
        self.input.take(length).map(Buffer::Inline)
    }

    fn moved(&mut self) -> Result<Buffer<'a>, WireError> {
        let number = self.input.varint()?;
        match self.moved.get(&number) {
            Some(Some(bytes)) => return Ok(Buffer::Moved(Rc::clone(bytes))),
            Some(None) => return self.input.malformed("a transferred buffer twice"),
            None => {}
        }
        let Some(bytes) = (self.transferred)(number) else {
            return self
                .input
                .malformed("a transferred buffer that did not come along");
        };
        self.allow_expansion(bytes.len());
        let bytes = Rc::new(bytes);
        // Kept only where a reference may still come. A byte that merely looks like one costs a copy.
        let kept = (self.input.position() <= self.last_reference()).then(|| Rc::clone(&bytes));
        self.moved.insert(number, kept);
        Ok(Buffer::Moved(bytes))
    }

    /// The value that `buffer` is: a view over it, or its bytes. `start` and `first_id` are the position and object number before it; it `repeats`
    /// when its bytes are, or will be, part of another value as well.
    pub(super) fn view_or_bytes(
        &mut self,
        buffer: Buffer<'a>,
        start: usize,
        first_id: u32,
        repeats: bool,
    ) -> Result<Value, WireError> {
        if !self.input.eat(tag::ARRAY_BUFFER_VIEW) {
            if repeats {
                self.expand(start, buffer.as_slice().len())?;
            }
            return Ok(Value::Bytes(buffer.into_vec()));
        }
        let at = self.input.position();
        let kind = self.input.byte()?;
        let offset = self.input.length()?;
        let length = self.input.length()?;
        // Whether the view follows a resizable buffer's length: a snapshot has one length only.
        self.input.varint()?;
        let id = self.begin(Object::new(Kind::View, start, first_id));
        let whole = buffer.as_slice();
        let shown = whole.get(offset..).and_then(|rest| rest.get(..length));
        let Some(shown) = shown else {
            return Err(WireError::malformed(at, "a view beyond its buffer"));
        };
        if repeats {
            self.expand(start, length)?;
        }
        let bytes = if length == whole.len() {
            buffer.into_vec()
        } else {
            shown.to_vec()
        };
        let value = match kind {
            tag::UINT8_ARRAY | tag::UINT8_CLAMPED_ARRAY | tag::DATA_VIEW => Value::Bytes(bytes),
            _ => {
                let Some(kind) = TypedArrayKind::from_tag(kind) else {
                    return Err(WireError::malformed(at, "an unknown kind of view"));
                };
                let size = kind.element_size();
                if offset % size != 0 || length % size != 0 {
                    return Err(WireError::malformed(at, "a view that splits an element"));
                }
                Value::TypedArray(TypedArray { kind, bytes })
            }
        };
        self.finish(id);
        Ok(value)
    }
}
