//! Byte buffers on their way between the embedding program and scripts.

use std::cell::Cell;
use std::fmt;

use bytes::{Bytes, BytesMut};

use crate::clone::parcel::Store;

/// Bytes that are handed over, not copied: an ArrayBuffer on the script's side.
///
/// Made from a `Vec<u8>`, a `Box<[u8]>` or [`Bytes`]; received when a script posts an ArrayBuffer or a view by itself. Reading goes through
/// [`AsRef`] or [`Buffer::into_bytes`], neither of which copies.
pub struct Buffer(Repr);

enum Repr {
    Owned(Vec<u8>),
    Mutable(BytesMut),
    /// A part of what a script handed over.
    Store {
        store: Store,
        start: usize,
        length: usize,
    },
}

// SAFETY: a `Store` in a buffer was detached from its isolate, so that this buffer alone reaches its bytes, and shared references only read them.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// All of a store that was detached from its isolate, or a part of it; none if the part lies outside.
    pub(crate) fn from_store(store: Store, part: Option<(usize, usize)>) -> Option<Self> {
        let (start, length) = part.unwrap_or((0, store.0.len()));
        let end = start.checked_add(length)?;
        (end <= store.0.len()).then_some(Self(Repr::Store {
            store,
            start,
            length,
        }))
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_ref().len()
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes as a cheaply clonable handle, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        match self.0 {
            Repr::Owned(bytes) => Bytes::from(bytes),
            Repr::Mutable(bytes) => bytes.freeze(),
            Repr::Store { .. } => Bytes::from_owner(self),
        }
    }

    /// The bytes as a vector. Copies what a script handed over: V8 owns that memory and cannot give it up to Rust's allocator. What came from a `Vec` and
    /// was never sent is returned as it is.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Owned(bytes) => bytes,
            _ => self.as_ref().to_vec(),
        }
    }

    /// A backing store that owns the bytes.
    pub(crate) fn into_store(self) -> Store {
        let store = match self.0 {
            Repr::Owned(bytes) => v8::ArrayBuffer::new_backing_store_from_vec(bytes),
            Repr::Mutable(bytes) => v8::ArrayBuffer::new_backing_store_from_bytes(Box::new(bytes)),
            Repr::Store {
                store,
                start: 0,
                length,
            } if length == store.0.len() => return store,
            Repr::Store { .. } => {
                v8::ArrayBuffer::new_backing_store_from_vec(self.as_ref().to_vec())
            }
        };
        Store(store.make_shared())
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Repr::Owned(bytes) => bytes,
            Repr::Mutable(bytes) => bytes,
            Repr::Store {
                store,
                start,
                length,
            } => {
                let cells: &[Cell<u8>] = store.0.get(*start..start + length).unwrap_or_default();
                // SAFETY: `Cell<u8>` has the layout of `u8`; the store is detached and this buffer's alone, so nobody writes while `self` is borrowed.
                unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<u8>(), cells.len()) }
            }
        }
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Repr::Owned(bytes))
    }
}

impl From<Box<[u8]>> for Buffer {
    fn from(bytes: Box<[u8]>) -> Self {
        Self(Repr::Owned(bytes.into_vec()))
    }
}

/// Not copied if this is the only handle to the bytes; otherwise copied, since a script may write to what it gets.
impl From<Bytes> for Buffer {
    fn from(bytes: Bytes) -> Self {
        match bytes.try_into_mut() {
            Ok(bytes) => Self(Repr::Mutable(bytes)),
            Err(shared) => Self(Repr::Owned(shared.to_vec())),
        }
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Buffer({} bytes)", self.len())
    }
}
