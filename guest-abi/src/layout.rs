//! Where everything lies in a segment. Little endian, version [`ABI_VERSION`].
//!
//! ```text
//! byte    0  producer line   tail      u32   slots ever published, wraps at 2^32
//!         4                  sent      u64   messages ever published, low word first; for metrics alone
//!        12                  laps      u32   times that tail wrapped; for metrics alone
//!        64  consumer line   head      u32   slots ever consumed, wraps at 2^32
//!        68                  received  u64   messages ever consumed, low word first; for metrics alone
//!       128  signal line     signaled  u32   0: the receiver wants a ring; 1: it has one coming
//!       132                  watched   u32   1: the sender wants to know when little is left to receive
//!       192  info line       magic     u32   "ILN1"; written once, before the segment is shared
//!       196                  version   u32
//!       200                  capacity  u32   slots, a power of two
//!       256  slot 0          tag       u32   see `Tag`
//!       260                  len       u32   units of a string, words of a record, sign of a bigint; of no meaning
//!                                        elsewhere
//!       264                  payload   56 bytes
//!       320  slot 1 …
//! ```
//!
//! Each line is a cache line of its own: the producer writes the first, the consumer the second, and neither
//! slows the other down by writing beside it. Index `n` is in slot `n mod capacity`; as the capacity divides
//! 2^32, this holds across the wrap of the index.
//!
//! A string's units, and a record's words, start in the first slot's payload and go on in whole slots without tag or
//! length ("continuation slots"), each of 64 bytes. The ring's end may fall between any two slots.

use bytemuck::{Pod, Zeroable};
use core::mem::size_of;

#[cfg(target_endian = "big")]
compile_error!(
    "lanes are little endian: on a big-endian machine JavaScript's typed arrays and WebAssembly's memory would \
     disagree about their words"
);

/// First word of the info line: the bytes `ILN1`.
pub const MAGIC: u32 = u32::from_le_bytes(*b"ILN1");
/// Version of this layout.
pub const ABI_VERSION: u32 = 1;

/// Bytes of a cache line, of a header line and of a slot.
pub const LINE_BYTES: usize = 64;
/// Bytes before the first slot.
pub const HEADER_BYTES: usize = 4 * LINE_BYTES;
/// Bytes of a slot.
pub const SLOT_BYTES: usize = LINE_BYTES;
/// Payload bytes of a message's first slot.
pub const PAYLOAD_BYTES: usize = SLOT_BYTES - 8;

/// Least capacity of a segment, in slots. One slot is always kept free for the link, and a model checker wants
/// rings that are full after one message.
pub const MIN_CAPACITY: u32 = if cfg!(loom) { 2 } else { 4 };
/// Greatest capacity of a segment, in slots.
pub const MAX_CAPACITY: u32 = 1 << 20;

/// Longest string that travels in slots, in code units. Longer ones are parcels.
pub const MAX_INLINE_UNITS: usize = 128;
/// Slots of the longest message: 128 two-byte units. A segment takes it from 8 slots up; smaller ones answer
/// [`Full`](crate::Full) to it even when they are empty.
pub const MAX_MESSAGE_SLOTS: u32 = text_slots(MAX_INLINE_UNITS * 2);
/// Words of the longest record, which fills as many slots as the longest string may.
pub const MAX_RECORD_WORDS: usize =
    (PAYLOAD_BYTES + (MAX_MESSAGE_SLOTS as usize - 1) * SLOT_BYTES) / WORD;

/// Byte offset of the producer's index.
pub const TAIL_OFFSET: usize = 0;
/// Byte offset of the consumer's index.
pub const HEAD_OFFSET: usize = LINE_BYTES;
/// Byte offset of the producer's count of messages.
pub const SENT_OFFSET: usize = TAIL_OFFSET + WORD;
/// Byte offset of the producer's count of wraps.
pub const LAPS_OFFSET: usize = SENT_OFFSET + 2 * WORD;
/// Byte offset of the consumer's count of messages.
pub const RECEIVED_OFFSET: usize = HEAD_OFFSET + WORD;
/// Byte offset of the signal word.
pub const SIGNALED_OFFSET: usize = 2 * LINE_BYTES;
/// Byte offset of the word by which a sender asks for word of what is left to receive.
pub const WATCHED_OFFSET: usize = SIGNALED_OFFSET + WORD;
/// Byte offset of the info line.
pub const INFO_OFFSET: usize = 3 * LINE_BYTES;

pub(crate) const WORD: usize = size_of::<u32>();
pub(crate) const HEADER_WORDS: usize = HEADER_BYTES / WORD;
pub(crate) const SLOT_WORDS: usize = SLOT_BYTES / WORD;
pub(crate) const INFO_WORDS: usize = size_of::<Info>() / WORD;

/// What a slot holds. A published slot never has tag 0 (`EMPTY`), so memory that nobody wrote is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Tag {
    /// `undefined`.
    Undefined = 1,
    /// `null`.
    Null = 2,
    /// `false`.
    False = 3,
    /// `true`.
    True = 4,
    /// An `i32` at payload byte 0.
    Int32 = 5,
    /// The bits of an `f64` at payload byte 0.
    Float64 = 6,
    /// Length: 0 not negative, 1 negative. A magnitude of 64 bits at payload byte 0, low word first.
    BigInt = 7,
    /// Length: units of one byte each.
    Latin1 = 8,
    /// Length: units of two bytes each; surrogates need not pair.
    Utf16 = 9,
    /// A `u32` at payload byte 0: the number of a parcel in the host's table.
    Parcel = 10,
    /// A `u32` at payload byte 0: the number of the segment that goes on from here. Nothing follows in this one.
    Link = 11,
    /// The sender closed the lane. Nothing follows.
    Close = 12,
    /// Length: words of 32 bits each, which are a structured value in an encoding of the two sides' own.
    Record = 13,
}

impl Tag {
    /// The tag of that number, if there is one.
    pub const fn from_u32(number: u32) -> Option<Tag> {
        Some(match number {
            1 => Tag::Undefined,
            2 => Tag::Null,
            3 => Tag::False,
            4 => Tag::True,
            5 => Tag::Int32,
            6 => Tag::Float64,
            7 => Tag::BigInt,
            8 => Tag::Latin1,
            9 => Tag::Utf16,
            10 => Tag::Parcel,
            11 => Tag::Link,
            12 => Tag::Close,
            13 => Tag::Record,
            _ => return None,
        })
    }
}

/// A message's first slot, as bytes lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Slot {
    /// A [`Tag`]'s number.
    pub tag: u32,
    /// Units of a string, words of a record, sign of a bigint.
    pub len: u32,
    /// The rest, low word first.
    pub payload: [u32; PAYLOAD_BYTES / WORD],
}

// By hand, as the derive macro needs a younger compiler than this crate.
// SAFETY: words alone, which may all be 0.
unsafe impl Zeroable for Slot {}
// SAFETY: `repr(C)`, words alone, hence no padding; every bit pattern is one.
unsafe impl Pod for Slot {}

impl Slot {
    /// A slot whose payload is no longer than 64 bits.
    pub(crate) const fn scalar(tag: Tag, len: u32, payload: u64) -> Slot {
        let mut words = [0; PAYLOAD_BYTES / WORD];
        words[0] = payload as u32;
        words[1] = (payload >> 32) as u32;
        Slot {
            tag: tag as u32,
            len,
            payload: words,
        }
    }
}

/// What the info line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Info {
    /// [`MAGIC`].
    pub magic: u32,
    /// [`ABI_VERSION`].
    pub version: u32,
    /// Slots of the segment.
    pub capacity: u32,
}

// SAFETY: words alone, which may all be 0.
unsafe impl Zeroable for Info {}
// SAFETY: `repr(C)`, words alone, hence no padding; every bit pattern is one.
unsafe impl Pod for Info {}

const _: () = {
    assert!(size_of::<Slot>() == SLOT_BYTES);
    assert!(size_of::<Info>() == 12);
    assert!(INFO_OFFSET + LINE_BYTES == HEADER_BYTES);
    assert!(HEADER_BYTES == 256 && SLOT_BYTES == 64 && PAYLOAD_BYTES == 56);
    assert!(TAIL_OFFSET == 0 && HEAD_OFFSET == 64 && SIGNALED_OFFSET == 128 && INFO_OFFSET == 192);
    assert!(
        SENT_OFFSET == 4 && LAPS_OFFSET == 12 && RECEIVED_OFFSET == 68 && WATCHED_OFFSET == 132
    );
    assert!(MIN_CAPACITY.is_power_of_two() && MAX_CAPACITY.is_power_of_two());
    assert!(MAX_MESSAGE_SLOTS == 5 && MAX_RECORD_WORDS == 78);
};

/// Whether a segment may have so many slots: a power of two from [`MIN_CAPACITY`] to [`MAX_CAPACITY`].
pub const fn is_capacity(slots: u32) -> bool {
    slots.is_power_of_two() && slots >= MIN_CAPACITY && slots <= MAX_CAPACITY
}

/// Bytes of a segment of so many slots.
///
/// ```
/// assert_eq!(isolane_guest_abi::layout::segment_bytes(4), 256 + 4 * 64);
/// ```
pub const fn segment_bytes(capacity: u32) -> usize {
    HEADER_BYTES + capacity as usize * SLOT_BYTES
}

/// Words (of 32 bits) of a segment of so many slots.
///
/// ```
/// assert_eq!(isolane_guest_abi::layout::segment_words(4), 64 + 4 * 16);
/// ```
pub const fn segment_words(capacity: u32) -> usize {
    segment_bytes(capacity) / WORD
}

/// Slots of a string, or record, of so many bytes.
///
/// ```
/// use isolane_guest_abi::layout::text_slots;
/// assert_eq!((text_slots(0), text_slots(56), text_slots(57), text_slots(121)), (1, 1, 2, 3));
/// ```
pub const fn text_slots(bytes: usize) -> u32 {
    if bytes <= PAYLOAD_BYTES {
        1
    } else {
        // `div_ceil` is younger than this crate's oldest compiler.
        1 + ((bytes - PAYLOAD_BYTES + SLOT_BYTES - 1) / SLOT_BYTES) as u32
    }
}
