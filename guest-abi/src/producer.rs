//! The sending end. The protocol is in `segment`.

use crate::error::Full;
use crate::layout::{Slot, Tag, SENT_OFFSET};
use crate::segment::Segment;
use crate::sync::{load_seq_cst, store_seq_cst, swap_seq_cst, Acquire, AtomicU32, Relaxed};
use crate::value::Value;

/// What is left to do for a message that was pushed.
#[must_use = "a `Signal` that is dropped is a wake-up lost: the receiver may sleep on its messages for ever, because \
              the lane will not ask for a ring again before the receiver has woken"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// Nothing: the receiver is awake, or a ring is on its way to it.
    Quiet,
    /// The caller must ring the receiver now.
    Signal,
}

/// The sending end of a segment. One at a time: it may be sent to another thread, not shared.
#[derive(Debug)]
pub struct Producer<M> {
    segment: Segment<M>,
    /// Slots ever published. The shared word is a copy of this, never read back.
    tail: u32,
    /// Slots ever consumed, as last seen. May be behind, which errs on the side of full.
    head: u32,
    /// A link or close was pushed here: no more of this segment.
    ended: bool,
    /// Messages ever published, for metrics.
    sent: u64,
}

impl<M: AsRef<[AtomicU32]>> Producer<M> {
    /// Takes the sending end, where the last producer left it.
    ///
    /// A segment that ended, by [`push_link`](Producer::push_link) or [`push_close`](Producer::push_close), is not to
    /// be attached to again: this is not checked.
    pub fn attach(segment: Segment<M>) -> Self {
        // SYNC: end-moved — the word was last written by this end.
        let tail = segment.tail().load(Relaxed);
        // Nothing is known to be free until `head` is loaded.
        let head = tail.wrapping_sub(segment.capacity());
        let (sent, _) = segment.counts();
        Producer {
            segment,
            tail,
            head,
            ended: false,
            sent,
        }
    }

    /// Sends a message. It is visible to the consumer when this returns.
    ///
    /// # Errors
    /// [`Full`] if there is no room for it and for a link after it; nothing was written. The caller then opens a larger
    /// segment (one of 8 slots or more takes any message), [links](Producer::push_link) to it and pushes there.
    ///
    /// ```
    /// # use isolane_guest_abi::{layout, sync::AtomicU32, Producer, Pushed, Segment, Value};
    /// # let memory: Vec<AtomicU32> = (0..layout::segment_words(4)).map(|_| AtomicU32::new(0)).collect();
    /// let mut producer = Producer::attach(Segment::init(memory.as_slice(), 4, 0)?);
    /// for _ in 0..3 {
    ///     if producer.push(Value::Null).unwrap() == Pushed::Signal {
    ///         // ring the receiver
    ///     }
    /// }
    /// let full = producer.push(Value::Null).unwrap_err();
    /// assert_eq!((full.needed, full.free), (2, 1));
    /// # Ok::<(), isolane_guest_abi::LayoutError>(())
    /// ```
    pub fn push(&mut self, value: Value<'_>) -> Result<Pushed, Full> {
        let slots = value.slots();
        self.reserve(slots + 1)?;
        let (first, words) = value.first_slot();
        self.segment.store_slot(self.tail, &first, words);
        match value {
            Value::Latin1(units) => self.store_text(units.words()),
            Value::Utf16(units) => self.store_text(units.words()),
            Value::Record(words) => self.store_text(words.iter().copied()),
            _ => {}
        }
        self.sent = self.sent.wrapping_add(1);
        self.segment.store_count(SENT_OFFSET, self.sent);
        Ok(self.publish(slots))
    }

    /// Ends this segment: the lane goes on in the segment of that number, which must be initialised. From here on every
    /// push is [`Full`].
    ///
    /// # Errors
    /// [`Full`] if the segment has ended, or if the consumer's index is not one that a consumer of this crate writes;
    /// never in an honest lane, for a slot is always kept free for this.
    pub fn push_link(&mut self, segment: u32) -> Result<Pushed, Full> {
        self.reserve(1)?;
        self.segment.store_slot(
            self.tail,
            &Slot::scalar(Tag::Link, 0, u64::from(segment)),
            3,
        );
        self.ended = true;
        Ok(self.publish(1))
    }

    /// Ends the lane. The consumer finds this after every message sent before; from here on every push is [`Full`].
    ///
    /// # Errors
    /// [`Full`] if there is no room for this and for a link after it; then close in a new segment.
    pub fn push_close(&mut self) -> Result<Pushed, Full> {
        self.reserve(2)?;
        self.segment
            .store_slot(self.tail, &Slot::scalar(Tag::Close, 0, 0), 1);
        self.ended = true;
        Ok(self.publish(1))
    }

    /// Slots that hold nothing, with the one that is kept for a link. More may be free by the time of the answer, never
    /// fewer.
    pub fn free_slots(&self) -> u32 {
        self.segment.capacity() - self.len()
    }

    /// Slots that hold messages which were not consumed yet. Fewer may be by the time of the answer, never more.
    pub fn len(&self) -> u32 {
        // SYNC: slot-free — nothing is overwritten on this answer; acquire for a caller who frees what was consumed.
        let used = self.tail.wrapping_sub(self.segment.head().load(Acquire));
        used.min(self.segment.capacity())
    }

    /// Whether everything was consumed. If so, it stays so until the next push.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes sure that so many slots are free.
    fn reserve(&mut self, needed: u32) -> Result<(), Full> {
        if self.ended {
            return Err(Full { needed, free: 0 });
        }
        if self.free_by_cache() < needed {
            // SYNC: slot-free — the reads of the slots up to `head` happened before this.
            self.head = self.segment.head().load(Acquire);
            let free = self.free_by_cache();
            if free < needed {
                return Err(Full { needed, free });
            }
        }
        Ok(())
    }

    /// Free slots, going by the last seen `head`: 0 if that is none that this lane's consumer can have.
    fn free_by_cache(&self) -> u32 {
        self.segment
            .capacity()
            .saturating_sub(self.tail.wrapping_sub(self.head))
    }

    fn store_text(&self, words: impl Iterator<Item = u32>) {
        for (number, word) in words.enumerate() {
            self.segment
                .text_word(self.tail, number)
                .store(word, Relaxed);
        }
    }

    /// Shows the consumer so many slots more.
    fn publish(&mut self, slots: u32) -> Pushed {
        let tail = self.tail.wrapping_add(slots);
        if tail < self.tail {
            self.segment.note_lap();
        }
        self.tail = tail;
        // SYNC: slot-ready, wake (P1)
        store_seq_cst(self.segment.tail(), self.tail);
        // SYNC: wake (P2) — a load first: in a burst it is a read of a line in cache, which a swap would claim.
        if load_seq_cst(self.segment.signaled()) != 0 {
            return Pushed::Quiet;
        }
        // SYNC: wake (P3) — a store would do, as nobody else writes 1; the swap is stronger than needed, and costs
        // nothing beside the ring. It keeps a lane that is wrongly given two producers from ringing twice.
        if swap_seq_cst(self.segment.signaled(), 1) == 0 {
            Pushed::Signal
        } else {
            Pushed::Quiet
        }
    }

    /// The segment.
    pub fn segment(&self) -> &Segment<M> {
        &self.segment
    }

    /// Lets go of the sending end; the next producer goes on where it stands.
    pub fn detach(self) -> Segment<M> {
        self.segment
    }
}
