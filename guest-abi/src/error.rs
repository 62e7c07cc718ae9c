//! What can be wrong with memory that is taken for a segment.

use core::fmt;

/// A segment could not be made or found in the given memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// Not a power of two between [`MIN_CAPACITY`](crate::layout::MIN_CAPACITY) and
    /// [`MAX_CAPACITY`](crate::layout::MAX_CAPACITY).
    Capacity {
        /// What was asked for.
        capacity: u32,
    },
    /// The memory is shorter than the segment.
    TooShort {
        /// Words that the segment takes.
        needed: usize,
        /// Words that there are.
        words: usize,
    },
    /// The address is not a multiple of four.
    Misaligned,
    /// The info line does not begin with [`MAGIC`](crate::layout::MAGIC).
    Magic {
        /// What is there.
        found: u32,
    },
    /// The segment has another layout.
    Version {
        /// Its version.
        found: u32,
    },
    /// The segment says that it has another number of slots.
    CapacityMismatch {
        /// What the caller expects.
        expected: u32,
        /// What the info line says.
        found: u32,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LayoutError::Capacity { capacity } => write!(
                f,
                "segment capacity {capacity} is not a power of two from {} to {}",
                crate::layout::MIN_CAPACITY,
                crate::layout::MAX_CAPACITY
            ),
            LayoutError::TooShort { needed, words } => {
                write!(f, "segment needs {needed} words of memory but has {words}")
            }
            LayoutError::Misaligned => f.write_str("segment address is not a multiple of 4"),
            LayoutError::Magic { found } => write!(f, "no segment here: magic is {found:#010x}"),
            LayoutError::Version { found } => write!(
                f,
                "segment has layout version {found}, this side reads version {}",
                crate::layout::ABI_VERSION
            ),
            LayoutError::CapacityMismatch { expected, found } => {
                write!(f, "segment says it has {found} slots, expected {expected}")
            }
        }
    }
}

/// No room for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// Slots that had to be free, with the one that is kept for the link.
    pub needed: u32,
    /// Slots that were free. 0 too if the lane ended in this segment (link or close), or if the consumer's index is
    /// one that no consumer of this crate writes.
    pub free: u32,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "segment is full: {} slots needed, {} free",
            self.needed, self.free
        )
    }
}

/// The memory holds what no producer of this crate writes. Says which check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Corrupt {
    /// The producer's index is further ahead of the consumer's than there are slots.
    TailOutOfRange {
        /// How far ahead.
        ahead: u32,
        /// Slots of the segment.
        capacity: u32,
    },
    /// A published slot has a tag that means nothing.
    UnknownTag {
        /// The tag; 0 if the slot was never written.
        tag: u32,
    },
    /// A string is longer than [`MAX_INLINE_UNITS`](crate::layout::MAX_INLINE_UNITS).
    TextTooLong {
        /// Its length.
        units: u32,
    },
    /// A string goes on past what is published.
    TextTruncated {
        /// Slots that it takes.
        needed: u32,
        /// Slots that are published.
        published: u32,
    },
    /// A record is longer than [`MAX_RECORD_WORDS`](crate::layout::MAX_RECORD_WORDS).
    RecordTooLong {
        /// Its length.
        words: u32,
    },
    /// A record goes on past what is published.
    RecordTruncated {
        /// Slots that it takes.
        needed: u32,
        /// Slots that are published.
        published: u32,
    },
    /// A bigint's sign is neither 0 nor 1.
    BigIntSign {
        /// The sign.
        sign: u32,
    },
    /// A bigint is zero and negative.
    BigIntNegativeZero,
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("corrupt lane: ")?;
        match *self {
            Corrupt::TailOutOfRange { ahead, capacity } => {
                write!(
                    f,
                    "tail is {ahead} slots ahead of head in a segment of {capacity}"
                )
            }
            Corrupt::UnknownTag { tag } => write!(f, "unknown tag {tag}"),
            Corrupt::TextTooLong { units } => write!(
                f,
                "string of {units} units, at most {} fit slots",
                crate::layout::MAX_INLINE_UNITS
            ),
            Corrupt::TextTruncated { needed, published } => {
                write!(f, "string of {needed} slots with {published} published")
            }
            Corrupt::RecordTooLong { words } => write!(
                f,
                "record of {words} words, at most {} fit slots",
                crate::layout::MAX_RECORD_WORDS
            ),
            Corrupt::RecordTruncated { needed, published } => {
                write!(f, "record of {needed} slots with {published} published")
            }
            Corrupt::BigIntSign { sign } => write!(f, "bigint sign {sign} is neither 0 nor 1"),
            Corrupt::BigIntNegativeZero => f.write_str("bigint is a negative zero"),
        }
    }
}

#[cfg(feature = "std")]
impl std::error::Error for LayoutError {}
#[cfg(feature = "std")]
impl std::error::Error for Full {}
#[cfg(feature = "std")]
impl std::error::Error for Corrupt {}
