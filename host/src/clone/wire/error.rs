//! Why a value could not be written or read.

use std::borrow::Cow;
use std::fmt::Display;

use super::tag::MAX_DEPTH;

/// Why a value could not be written, read, or turned into a Rust type.
///
/// Offsets count from the first byte of the message, its header included.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The bytes are not a structured clone, or of a version that is not read.
    #[error("structured clone, byte {offset}: {what}")]
    Malformed {
        /// Where the reader stopped.
        offset: usize,
        /// What it found there.
        what: Cow<'static, str>,
    },
    /// The message holds something that only an isolate can take.
    #[error("structured clone, byte {offset}: {what} has no meaning outside a worker")]
    Unsupported {
        /// Where it begins.
        offset: usize,
        /// What it is.
        what: &'static str,
    },
    /// An object contains itself.
    #[error("structured clone, byte {offset}: an object contains itself")]
    Cycle {
        /// The reference that closes the circle.
        offset: usize,
    },
    /// Containers nest deeper than [`MAX_DEPTH`].
    #[error("structured clone, byte {offset}: nested deeper than {MAX_DEPTH}")]
    TooDeep {
        /// The container that is one too many; when writing, the length of what was written before it.
        offset: usize,
    },
    /// The message would expand to more than the reader allows.
    #[error("structured clone, byte {offset}: {what}")]
    TooLarge {
        /// What would have been expanded.
        offset: usize,
        /// Which limit it meets.
        what: &'static str,
    },
    /// JavaScript has no such value, or V8 no room for it.
    #[error("structured clone, after {offset} bytes: {what}")]
    Unwritable {
        /// How much was written before.
        offset: usize,
        /// What could not be written.
        what: Cow<'static, str>,
    },
    /// A type's own `Serialize` or `Deserialize` refused, for example because the value is of another shape.
    #[error("{0}")]
    Serde(String),
}

impl WireError {
    pub(super) fn malformed(offset: usize, what: impl Into<Cow<'static, str>>) -> Self {
        let what = what.into();
        WireError::Malformed { offset, what }
    }

    pub(super) fn unwritable(offset: usize, what: impl Into<Cow<'static, str>>) -> Self {
        let what = what.into();
        WireError::Unwritable { offset, what }
    }
}

impl serde::ser::Error for WireError {
    fn custom<T: Display>(message: T) -> Self {
        WireError::Serde(message.to_string())
    }
}

impl serde::de::Error for WireError {
    fn custom<T: Display>(message: T) -> Self {
        WireError::Serde(message.to_string())
    }
}
