//! What travels in slots: [`Value`] on the way in, [`Message`] on the way out.

use crate::layout::{text_slots, Slot, Tag, MAX_INLINE_UNITS, MAX_RECORD_WORDS, WORD};
use core::fmt;
use core::ops::Deref;

mod sealed {
    /// A code unit of one or two bytes; how units lie in a word.
    pub trait Unit: Copy + Eq + Default + core::fmt::Debug + 'static {
        /// Units in a word of 32 bits.
        const PER_WORD: usize;
        /// A word of up to `PER_WORD` units, low bytes first, the rest 0.
        fn pack(units: &[Self]) -> u32;
        /// The units of a word.
        fn unpack(word: u32, units: &mut [Self]);
    }
}
pub(crate) use sealed::Unit;

impl Unit for u8 {
    const PER_WORD: usize = 4;

    fn pack(units: &[u8]) -> u32 {
        units
            .iter()
            .rev()
            .fold(0, |word, unit| word << 8 | u32::from(*unit))
    }

    fn unpack(word: u32, units: &mut [u8]) {
        for (unit, byte) in units.iter_mut().zip(word.to_le_bytes()) {
            *unit = byte;
        }
    }
}

impl Unit for u16 {
    const PER_WORD: usize = 2;

    fn pack(units: &[u16]) -> u32 {
        units
            .iter()
            .rev()
            .fold(0, |word, unit| word << 16 | u32::from(*unit))
    }

    fn unpack(word: u32, units: &mut [u16]) {
        for (unit, half) in units.iter_mut().zip([word as u16, (word >> 16) as u16]) {
            *unit = half;
        }
    }
}

/// A string short enough for slots, borrowed: at most [`MAX_INLINE_UNITS`] code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units<'a, U>(&'a [U]);

impl<'a, U: Unit> Units<'a, U> {
    /// `None` if there are more than [`MAX_INLINE_UNITS`]: such a string is sent as a parcel.
    pub fn new(units: &'a [U]) -> Option<Self> {
        if units.len() <= MAX_INLINE_UNITS {
            Some(Units(units))
        } else {
            None
        }
    }

    pub(crate) fn words(self) -> impl Iterator<Item = u32> + 'a {
        self.0.chunks(U::PER_WORD).map(U::pack)
    }
}

impl<U> Deref for Units<'_, U> {
    type Target = [U];

    fn deref(&self) -> &[U] {
        self.0
    }
}

/// Words that fit slots, borrowed: at most [`MAX_RECORD_WORDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'a>(&'a [u32]);

impl Deref for Words<'_> {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        self.0
    }
}

/// A message to send.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that is an `i32`, and not `-0`.
    Int32(i32),
    /// Any number. Its bits arrive as they are: the sign of 0 and the payload of a NaN are kept.
    Float64(f64),
    /// A bigint whose magnitude fits 64 bits. A negative zero is sent as zero.
    BigInt {
        /// Below zero.
        negative: bool,
        /// Distance from zero.
        magnitude: u64,
    },
    /// A string whose units are all below 256.
    Latin1(Units<'a, u8>),
    /// Any string, lone surrogates included.
    Utf16(Units<'a, u16>),
    /// The number of a parcel in the host's table.
    Parcel(u32),
    /// A structured value, in an encoding that the two sides agree on.
    Record(Words<'a>),
}

impl<'a> Value<'a> {
    /// A string of one-byte units, `None` if it is too long for slots.
    ///
    /// ```
    /// use isolane_guest_abi::Value;
    /// assert!(Value::latin1(b"caf\xe9").is_some());
    /// assert!(Value::latin1(&[0; 129]).is_none());
    /// ```
    pub fn latin1(units: &'a [u8]) -> Option<Self> {
        Units::new(units).map(Value::Latin1)
    }

    /// A string of two-byte units, `None` if it is too long for slots.
    ///
    /// ```
    /// use isolane_guest_abi::Value;
    /// assert!(Value::utf16(&[0x65e5, 0xd800]).is_some());
    /// ```
    pub fn utf16(units: &'a [u16]) -> Option<Self> {
        Units::new(units).map(Value::Utf16)
    }

    /// A record of those words, `None` if they are more than [`MAX_RECORD_WORDS`].
    ///
    /// ```
    /// use isolane_guest_abi::{layout::MAX_RECORD_WORDS, Value};
    /// assert!(Value::record(&[1, 2, 3]).is_some());
    /// assert!(Value::record(&[0; MAX_RECORD_WORDS + 1]).is_none());
    /// ```
    pub fn record(words: &'a [u32]) -> Option<Self> {
        if words.len() <= MAX_RECORD_WORDS {
            Some(Value::Record(Words(words)))
        } else {
            None
        }
    }

    /// How many slots it takes: 1, and up to [`MAX_MESSAGE_SLOTS`](crate::layout::MAX_MESSAGE_SLOTS) for a string or a
    /// record.
    ///
    /// ```
    /// use isolane_guest_abi::Value;
    /// assert_eq!(Value::Int32(7).slots(), 1);
    /// assert_eq!(Value::latin1(&[b'x'; 128]).unwrap().slots(), 3);
    /// ```
    pub fn slots(&self) -> u32 {
        match self {
            Value::Latin1(units) => text_slots(units.len()),
            Value::Utf16(units) => text_slots(units.len() * 2),
            Value::Record(words) => text_slots(words.len() * WORD),
            _ => 1,
        }
    }

    /// Its first slot, and how many of that slot's words say something; a string's units and a record's words are not
    /// among them.
    pub(crate) fn first_slot(&self) -> (Slot, usize) {
        match *self {
            Value::Undefined => (Slot::scalar(Tag::Undefined, 0, 0), 1),
            Value::Null => (Slot::scalar(Tag::Null, 0, 0), 1),
            Value::Bool(false) => (Slot::scalar(Tag::False, 0, 0), 1),
            Value::Bool(true) => (Slot::scalar(Tag::True, 0, 0), 1),
            Value::Int32(number) => (Slot::scalar(Tag::Int32, 0, u64::from(number as u32)), 3),
            Value::Float64(number) => (Slot::scalar(Tag::Float64, 0, number.to_bits()), 4),
            Value::BigInt {
                negative,
                magnitude,
            } => {
                let sign = u32::from(negative && magnitude != 0);
                (Slot::scalar(Tag::BigInt, sign, magnitude), 4)
            }
            Value::Latin1(units) => (Slot::scalar(Tag::Latin1, units.len() as u32, 0), 2),
            Value::Utf16(units) => (Slot::scalar(Tag::Utf16, units.len() as u32, 0), 2),
            Value::Parcel(number) => (Slot::scalar(Tag::Parcel, 0, u64::from(number)), 3),
            Value::Record(words) => (Slot::scalar(Tag::Record, words.len() as u32, 0), 2),
        }
    }
}

/// A string taken out of slots, in a buffer of its own: no allocation, and nothing that the sender can still
/// change. Dereferences to its units.
#[derive(Clone, Copy)]
pub struct Text<U> {
    /// The first `len` are the string; the rest is whatever was in the memory beside it.
    units: [U; MAX_INLINE_UNITS],
    /// At most `MAX_INLINE_UNITS`.
    len: usize,
}

impl<U: Unit> Text<U> {
    /// `word` gives the words of the string one after another; it is asked for no more than the units need.
    ///
    /// `len` is at most `MAX_INLINE_UNITS`: the caller has checked it.
    pub(crate) fn from_words(len: usize, mut word: impl FnMut(usize) -> u32) -> Self {
        let mut units = [U::default(); MAX_INLINE_UNITS];
        let words = (len + U::PER_WORD - 1) / U::PER_WORD;
        for (number, chunk) in units.chunks_exact_mut(U::PER_WORD).take(words).enumerate() {
            U::unpack(word(number), chunk);
        }
        Text { units, len }
    }
}

impl<U> Deref for Text<U> {
    type Target = [U];

    fn deref(&self) -> &[U] {
        &self.units[..self.len]
    }
}

impl<U: PartialEq> PartialEq for Text<U> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<U: Eq> Eq for Text<U> {}

impl<U: fmt::Debug> fmt::Debug for Text<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A record taken out of slots, in a buffer of its own, like [`Text`]. Dereferences to its words.
#[derive(Clone, Copy)]
pub struct Record {
    /// The first `len` are the record; the rest is 0.
    words: [u32; MAX_RECORD_WORDS],
    /// At most `MAX_RECORD_WORDS`.
    len: usize,
}

impl Record {
    /// `word` gives the words one after another. `len` is at most `MAX_RECORD_WORDS`: the caller has checked it.
    pub(crate) fn from_words(len: usize, mut word: impl FnMut(usize) -> u32) -> Self {
        let mut words = [0; MAX_RECORD_WORDS];
        for (number, place) in words.iter_mut().take(len).enumerate() {
            *place = word(number);
        }
        Record { words, len }
    }
}

impl Deref for Record {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.words[..self.len]
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Record {}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A received message. It owns what it holds.
// Large on purpose: a string stays in place of an allocation, and a message is looked at and dropped.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Int32(i32),
    /// A number, bit for bit what was sent.
    Float64(f64),
    /// A bigint. Zero is never negative.
    BigInt {
        /// Below zero.
        negative: bool,
        /// Distance from zero.
        magnitude: u64,
    },
    /// A string of one-byte units.
    Latin1(Text<u8>),
    /// A string of two-byte units; surrogates need not pair.
    Utf16(Text<u16>),
    /// The number of a parcel. From memory that someone else can write it is a claim, to be looked up.
    Parcel(u32),
    /// The lane goes on in the segment of that number: clear that segment's signal and drain it. Like
    /// [`Parcel`](Message::Parcel), the number is a claim.
    Link(u32),
    /// The lane is closed; this is the last message.
    Close,
    /// A structured value. What its words mean is not checked here.
    Record(Record),
}
