//! Objects that the message names again.
//!
//! Objects are numbered in the order in which they begin, and `^` names one by its number. A tree needs a copy there; it is made by reading the
//! object's bytes again. That needs no table of values, counts nesting as if the object stood there, and charges the copy to an allowance
//! ([`Reader::expand`]) that ends a message whose references multiply. An object that has not ended when it is named contains itself.

use super::error::WireError;
use super::reader::{Next, Reader};
use super::tag;
use super::value::Value;

/// Where an object is in the message.
#[derive(Clone, Copy)]
pub(super) struct Object {
    kind: Kind,
    start: usize,
    /// `None` until it has ended.
    end: Option<usize>,
    /// The next object's number at `start`.
    first_id: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Buffer,
    /// Begins with the buffer that it shows, or with a reference to it, before its own number.
    View,
}

impl Object {
    pub(super) fn new(kind: Kind, start: usize, first_id: u32) -> Self {
        Object {
            kind,
            start,
            end: None,
            first_id,
        }
    }
}

impl<'a> Reader<'a> {
    /// Gives the object its number.
    pub(super) fn begin(&mut self, object: Object) -> u32 {
        let id = self.next_id;
        // One object takes a byte at least, so only an input of 4 GiB comes near.
        self.next_id = id.saturating_add(1);
        // In a replay it is known already, and has ended.
        if id as usize == self.objects.len() {
            self.objects.push(object);
        }
        id
    }

    /// Makes the object one that may be named.
    pub(super) fn finish(&mut self, id: u32) {
        if let Some(object) = self.objects.get_mut(id as usize) {
            object.end.get_or_insert(self.input.position());
        }
    }

    /// What the reference at `start`, whose tag was read, stands for.
    pub(super) fn reference(&mut self, start: usize) -> Result<Next<'a>, WireError> {
        let first_id = self.next_id;
        let id = self.input.varint()?;
        let Some(object) = self.objects.get(id as usize).copied() else {
            return Err(WireError::malformed(start, "a reference to no object"));
        };
        let Some(end) = object.end else {
            return Err(WireError::Cycle { offset: start });
        };
        match object.kind {
            Kind::Plain => {
                self.expand(start, end.saturating_sub(object.start))?;
                Ok(Next::Again(object))
            }
            // What a buffer or a view costs is charged where it is copied. Neither nests: a view begins with a buffer or a reference to one.
            Kind::View => self.replay(object, Self::next),
            Kind::Buffer => {
                // Without the view that may follow the buffer there. One may follow here.
                let buffer = self.replay(object, |reader| {
                    let tag = reader.input.tag()?;
                    reader.buffer(tag)
                })?;
                let value = self.view_or_bytes(buffer, start, first_id, true)?;
                Ok(Next::Value(value))
            }
        }
    }

    /// The value of an object that came before.
    pub(super) fn again(&mut self, object: Object) -> Result<Value, WireError> {
        self.replay(object, Self::value)
    }

    /// Reads at `object`, then goes on here.
    fn replay<T>(
        &mut self,
        object: Object,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let (input, next_id) = (self.input, self.next_id);
        self.input.seek(object.start);
        self.next_id = object.first_id;
        self.replays += 1;
        let result = read(self);
        self.replays -= 1;
        self.input = input;
        self.next_id = next_id;
        result
    }

    /// Raises what references may expand to, for bytes that came in.
    pub(super) fn allow_expansion(&mut self, bytes: usize) {
        let more = bytes.saturating_mul(tag::EXPANSION_FACTOR);
        self.allowance = self.allowance.saturating_add(more);
    }

    /// Charges the copy of `bytes` bytes of the message.
    pub(super) fn expand(&mut self, offset: usize, bytes: usize) -> Result<(), WireError> {
        // Also an empty object takes time.
        match self.allowance.checked_sub(bytes.saturating_add(1)) {
            Some(left) => {
                self.allowance = left;
                Ok(())
            }
            None => {
                let what = "references that expand to too much";
                Err(WireError::TooLarge { offset, what })
            }
        }
    }

    pub(super) fn last_reference(&mut self) -> usize {
        let bytes = self.bytes;
        *self.last_reference.get_or_insert_with(|| {
            let last = bytes
                .iter()
                .rposition(|byte| *byte == tag::OBJECT_REFERENCE);
            last.unwrap_or(0)
        })
    }
}
