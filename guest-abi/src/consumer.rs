//! The receiving end. The protocol is in `segment`.

use crate::error::Corrupt;
use crate::layout::{text_slots, Tag, MAX_INLINE_UNITS, MAX_RECORD_WORDS, RECEIVED_OFFSET, WORD};
use crate::segment::Segment;
use crate::sync::{load_seq_cst, load_slot_word, store_seq_cst, AtomicU32, Relaxed, Release};
use crate::value::{Message, Record, Text, Unit};

/// The receiving end of a segment. One at a time: it may be sent to another thread, not shared.
///
/// When rung: [`clear_signal`](Consumer::clear_signal), then [`pop`](Consumer::pop) until it answers `None`; see the
/// example of the crate.
#[derive(Debug)]
pub struct Consumer<M> {
    segment: Segment<M>,
    /// Slots ever consumed. The shared word is a copy of this, never read back.
    head: u32,
    /// Slots ever published, as last seen. At most `capacity` ahead of `head`: checked when it is loaded.
    tail: u32,
    /// Messages ever taken, for metrics.
    received: u64,
}

impl<M: AsRef<[AtomicU32]>> Consumer<M> {
    /// Takes the receiving end, where the last consumer left it.
    ///
    /// What was sent before may have been rung for to someone else, so clear the signal and drain at once.
    pub fn attach(segment: Segment<M>) -> Self {
        // SYNC: end-moved — the word was last written by this end.
        let head = segment.head().load(Relaxed);
        let (_, received) = segment.counts();
        Consumer {
            segment,
            head,
            tail: head,
            received,
        }
    }

    /// Asks to be rung for the next message. To be called *before* draining: what is sent after this call either is
    /// seen by the drain or rings.
    pub fn clear_signal(&mut self) {
        // SYNC: wake (C1)
        store_seq_cst(self.segment.signaled(), 0);
    }

    /// Takes the next message, or `None` if there is none at this moment.
    ///
    /// After [`Message::Link`] and [`Message::Close`] an honest producer sends nothing more through this segment.
    ///
    /// # Errors
    /// [`Corrupt`] if the memory makes no sense. Nothing is taken then, and nothing that follows can be trusted: the
    /// lane should be given up.
    pub fn pop(&mut self) -> Result<Option<Message>, Corrupt> {
        if self.head == self.tail {
            let published = self.load_tail()?;
            if published == 0 {
                return Ok(None);
            }
            self.tail = self.head.wrapping_add(published);
        }
        let (message, slots) = self.read(self.tail.wrapping_sub(self.head))?;
        self.head = self.head.wrapping_add(slots);
        if !matches!(message, Message::Link(_) | Message::Close) {
            self.received = self.received.wrapping_add(1);
            self.segment.store_count(RECEIVED_OFFSET, self.received);
        }
        // SYNC: slot-free, low-water (L1) — the message is copied out; the producer may overwrite it.
        self.segment.head().store(self.head, Release);
        Ok(Some(message))
    }

    /// Slots that hold messages which were not taken yet. More may be by the time of the answer, never fewer.
    ///
    /// # Errors
    /// [`Corrupt::TailOutOfRange`].
    pub fn len(&self) -> Result<u32, Corrupt> {
        self.load_tail()
    }

    /// Whether there is nothing to take. The answer may be stale at once if there is not.
    ///
    /// # Errors
    /// [`Corrupt::TailOutOfRange`].
    pub fn is_empty(&self) -> Result<bool, Corrupt> {
        Ok(self.load_tail()? == 0)
    }

    /// How far the producer is ahead.
    fn load_tail(&self) -> Result<u32, Corrupt> {
        // SYNC: slot-ready, wake (C2) — sequentially consistent each time, for the load that decides that the ring is
        // empty is not known before it is made.
        let ahead = load_seq_cst(self.segment.tail()).wrapping_sub(self.head);
        let capacity = self.segment.capacity();
        if ahead > capacity {
            return Err(Corrupt::TailOutOfRange { ahead, capacity });
        }
        Ok(ahead)
    }

    /// The message at `head` and its slots, of which `published` may be read. Each word is loaded once.
    fn read(&self, published: u32) -> Result<(Message, u32), Corrupt> {
        let slot = self.segment.slot(self.head);
        let load = |word: usize| load_slot_word(&slot[word]);
        let low = || load(2);
        let wide = || u64::from(load(2)) | u64::from(load(3)) << 32;

        let number = load(0);
        let tag = Tag::from_u32(number).ok_or(Corrupt::UnknownTag { tag: number })?;
        let message = match tag {
            Tag::Undefined => Message::Undefined,
            Tag::Null => Message::Null,
            Tag::False => Message::Bool(false),
            Tag::True => Message::Bool(true),
            Tag::Int32 => Message::Int32(low() as i32),
            Tag::Float64 => Message::Float64(f64::from_bits(wide())),
            Tag::BigInt => big_int(load(1), wide())?,
            Tag::Latin1 => {
                let (text, slots) = self.text::<u8>(load(1), published)?;
                return Ok((Message::Latin1(text), slots));
            }
            Tag::Utf16 => {
                let (text, slots) = self.text::<u16>(load(1), published)?;
                return Ok((Message::Utf16(text), slots));
            }
            Tag::Parcel => Message::Parcel(low()),
            Tag::Link => Message::Link(low()),
            Tag::Close => Message::Close,
            Tag::Record => {
                let (record, slots) = self.record(load(1), published)?;
                return Ok((Message::Record(record), slots));
            }
        };
        Ok((message, 1))
    }

    fn text<U: Unit>(&self, units: u32, published: u32) -> Result<(Text<U>, u32), Corrupt> {
        if units > MAX_INLINE_UNITS as u32 {
            return Err(Corrupt::TextTooLong { units });
        }
        let len = units as usize;
        let needed = text_slots(len * core::mem::size_of::<U>());
        if needed > published {
            return Err(Corrupt::TextTruncated { needed, published });
        }
        let word = |number| load_slot_word(self.segment.text_word(self.head, number));
        Ok((Text::from_words(len, word), needed))
    }

    fn record(&self, words: u32, published: u32) -> Result<(Record, u32), Corrupt> {
        if words > MAX_RECORD_WORDS as u32 {
            return Err(Corrupt::RecordTooLong { words });
        }
        let len = words as usize;
        let needed = text_slots(len * WORD);
        if needed > published {
            return Err(Corrupt::RecordTruncated { needed, published });
        }
        let word = |number| load_slot_word(self.segment.text_word(self.head, number));
        Ok((Record::from_words(len, word), needed))
    }

    /// The segment.
    pub fn segment(&self) -> &Segment<M> {
        &self.segment
    }

    /// Lets go of the receiving end; the next consumer goes on where it stands.
    pub fn detach(self) -> Segment<M> {
        self.segment
    }
}

fn big_int(sign: u32, magnitude: u64) -> Result<Message, Corrupt> {
    match (sign, magnitude) {
        (1, 0) => Err(Corrupt::BigIntNegativeZero),
        (0 | 1, _) => Ok(Message::BigInt {
            negative: sign == 1,
            magnitude,
        }),
        _ => Err(Corrupt::BigIntSign { sign }),
    }
}
