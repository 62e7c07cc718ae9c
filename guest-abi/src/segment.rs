//! One ring of a lane: its words, and the protocol of both ends.
//!
//! # Roles
//! | word | written by | read by | meaning |
//! |---|---|---|---|
//! | `tail` | producer | consumer | slots ever published, mod 2^32 |
//! | `head` | consumer | producer | slots ever consumed, mod 2^32 |
//! | `signaled` | producer 0 → 1, consumer → 0 or, when it polls, → 1 | producer | 1: the consumer will look without another ring |
//! | `watched` | sending side 0 → 1, whoever acts on it → 0 | consumer | 1: the sender waits for the lane to run low |
//! | `sent`, `laps`, `received` | producer, producer, consumer | metrics | messages, for people: no protocol reads them, and a torn value is only shown |
//! | slots `head..tail` | nobody | consumer | published messages |
//! | slots `tail..head + capacity` | producer | nobody | free |
//! | info line | whoever opens the segment, before anyone else has it | both, when they attach | what this is |
//!
//! Each end keeps its own index in a private field and only ever *stores* the shared one, so that a hostile other
//! side cannot move it. It caches the other's index and loads it again only when the cached one says full or empty.
//!
//! # Orderings
//! - `SYNC: slot-ready` — the producer writes a message's words (relaxed), then stores `tail`; the consumer loads
//!   `tail`, then reads the words (relaxed). Release and acquire: who sees the index sees the words. One store
//!   publishes all slots of a message, so no part of a string is ever seen alone.
//! - `SYNC: slot-free` — the consumer reads a message's words, then stores `head` (release); the producer loads `head`
//!   (acquire), then overwrites them. The reads happen before the overwriting, so they cannot see it.
//! - `SYNC: wake` — the producer stores `tail`, *then* loads `signaled`; the consumer stores `signaled`, *then* loads
//!   `tail`. Each must not pass its own store, which only sequential consistency gives; hence these four accesses, and
//!   the swap that sets `signaled`, are `SeqCst`.
//! - `SYNC: segment-open` — the info line and first indices are written relaxed before the segment is given away, and
//!   read relaxed by who gets it. The giving away synchronises: the link slot (by `slot-ready`), or the host's hand-over.
//! - `SYNC: end-moved` — an end that moves to another thread starts from the indices in memory, read relaxed. The move
//!   itself synchronises (a lock, a channel, a spawned thread).
//!
//! # Signal
//! ```text
//! producer                                  consumer, when rung
//!   P1  store tail            (SeqCst)        C1  store signaled = 0      (SeqCst)
//!   P2  load signaled         (SeqCst)        C2  load tail, drain, until C2 shows nothing more (SeqCst)
//!   P3  if 0: swap in 1       (SeqCst)            then wait for a ring
//!   P4  ring
//! ```
//! A consumer that stops before C2 shows nothing more (its budget is used up) has to come back without a ring.
//!
//! **No wake-up is lost.** Let the message of P1 not be seen by the drain that the consumer makes before it waits. We
//! show that a ring comes. `S` is the one order of all `SeqCst` accesses.
//! - *P2 reads 0.* P3 and P4 follow: the ring comes.
//! - *P2 reads 1.* That 1 was put there by an earlier P3, and P4 after it rang or is about to (it is the same thread, so
//!   it already has). Let C1 be the clear that follows this ring at the consumer. C1 is after that P3 in `S`, because it
//!   happens after it; and it is not between P3 and P2 in `S`, or P2 would have read its 0. So P1, P2, C1, C2 is their
//!   order in `S`, and C2 reads the tail of P1 or a later one: the drain sees the message. If it has not run yet, it
//!   will, since its ring was made.
//!
//! A clear while the producer is between P2 and P3 makes one ring too many; so does a message that is drained between
//! P1 and P2. Rings are hints: a consumer that finds nothing goes back to waiting.
//!
//! # Polling
//! A consumer that is awake and will look at the lane before it sleeps need not be rung for (`SYNC: poll`). It puts a 1 into
//! `signaled` itself (A1), looks at `tail` (A2) and goes on looking; before it sleeps it puts the 0 back (D1) and looks once
//! more (D2). All are `SeqCst`, and the producer does what it always does.
//! - *P2 reads the 1 of A1:* then P1, P2, D1, D2 is their order in `S`, as with C1 and C2 above: D2 sees the message, if no
//!   look before it did.
//! - *P2 reads 0, but P3 finds the 1 of A1,* and so does not ring: P2 is before A1 in `S`, hence P1, P2, A1, A2, and A2 sees the
//!   message.
//!
//! While it polls, a drain does not clear the signal. A LINK leads to a segment whose signal is clear: there messages ring.
//!
//! # Growth
//! When a message does not fit, the producer opens a segment `N` (init: `signaled` = 0), pushes LINK to it into the old
//! one `O` — a slot is always left for that — with the signal of `O`, and from then on pushes into `N` alone. The
//! consumer that pops LINK attaches to `N`, *clears the signal of `N`, then drains `N`*; it never returns to `O`.
//! - *LINK is not lost:* it is a message of `O`, and the argument above is about `O`.
//! - *A ring for `N` while the consumer is still in `O`* (`N`'s `signaled` becomes 1): the ring came after LINK was
//!   published, so the drain that follows it finds LINK at the end of `O`.
//! - *A message whose P2 on `N` read 1, set before the consumer reached `N`:* the consumer's first clear of `N` is not
//!   before that P2 in `S`, or P2 would have read 0; so as above the drain after this clear sees the message.
//! - *A message after that clear:* the argument above, on `N`.
//!
//! Nothing is reordered: LINK is the last slot that the consumer reads in `O`, and every message of `N` was sent after
//! every one of `O`.

//!
//! # Running low
//! A sender that stops until the receiver has caught up (`SYNC: low-water`) may not be told too late, and costs a receiver
//! that nobody waits for one look at a word:
//! ```text
//! sending side                              consumer, now and then, and before it stops
//!   W1  swap watched = 1      (SeqCst)        L1  store head              (release; JavaScript: SeqCst)
//!   W2  load head             (SeqCst)        L2  read watched by a read-modify-write (JavaScript: SeqCst load)
//!   W3  few left: watched = 0, go on          L3  if 1, and few are left: swap in 0, tell the sender
//! ```
//! **No word is lost.** Let a consumer bring the lane under the mark with its L1. If its L2 comes after W1 in the order of
//! `watched`, it reads 1 (or somebody who acts on it has put a 0 there), and L3 tells. If L2 comes before W1, W1 reads what
//! L2 wrote or something later in its release sequence, so it synchronises with L2; hence L1 happens before W2, which sees
//! it, and W3 goes on by itself. JavaScript's L1 and L2 are both in `S`, as are W1 and W2, and the usual argument holds.
//! After a LINK the word is that of the new segment: the host moves it, in the step in which it hands that segment out.

use crate::error::LayoutError;
use crate::layout::{
    is_capacity, segment_words, Info, Slot, ABI_VERSION, HEADER_WORDS, HEAD_OFFSET, INFO_OFFSET,
    INFO_WORDS, LAPS_OFFSET, MAGIC, RECEIVED_OFFSET, SENT_OFFSET, SIGNALED_OFFSET, SLOT_WORDS,
    TAIL_OFFSET, WATCHED_OFFSET, WORD,
};
use crate::sync::{add_zero, load_seq_cst, swap_seq_cst, AtomicU32, Relaxed};

/// A ring of slots in memory that both ends of a lane can address: the memory, and how many slots it has.
///
/// `M` is anything that gives the words: `&[AtomicU32]`, `Arc<[AtomicU32]>`, or a type of the host's that keeps its
/// memory alive. It must give the same words every time; if it gives fewer later on, an access panics.
///
/// A segment is a view, not an owner of the lane: any number may exist, and one [`Producer`](crate::Producer) and one
/// [`Consumer`](crate::Consumer) may use it at a time. Two producers do not break memory safety, only the messages.
#[derive(Clone, Copy, Debug)]
pub struct Segment<M> {
    memory: M,
    /// Slots; checked to be a power of two, and to fit `memory`.
    capacity: u32,
}

impl<M: AsRef<[AtomicU32]>> Segment<M> {
    /// Makes an empty segment in memory that nobody else uses yet. Both indices start at `start_index`: 0, except in
    /// tests of their wrap.
    ///
    /// The slots are left as they are, for none is read before it is written.
    ///
    /// # Errors
    /// [`LayoutError::Capacity`] and [`LayoutError::TooShort`].
    ///
    /// ```
    /// use isolane_guest_abi::{layout, sync::AtomicU32, Segment};
    /// let memory: Vec<AtomicU32> = (0..layout::segment_words(4)).map(|_| AtomicU32::new(0)).collect();
    /// assert!(Segment::init(memory.as_slice(), 4, 0).is_ok());
    /// assert!(Segment::init(memory.as_slice(), 8, 0).is_err());
    /// ```
    pub fn init(memory: M, capacity: u32, start_index: u32) -> Result<Self, LayoutError> {
        let segment = Self::sized(memory, capacity)?;
        let info: [u32; INFO_WORDS] = bytemuck::cast(Info {
            magic: MAGIC,
            version: ABI_VERSION,
            capacity,
        });
        let words = segment.words();
        // SYNC: segment-open
        words[TAIL_OFFSET / WORD].store(start_index, Relaxed);
        words[HEAD_OFFSET / WORD].store(start_index, Relaxed);
        for offset in [SIGNALED_OFFSET, WATCHED_OFFSET] {
            words[offset / WORD].store(0, Relaxed);
        }
        words[LAPS_OFFSET / WORD].store(0, Relaxed);
        for offset in [SENT_OFFSET, RECEIVED_OFFSET] {
            words[offset / WORD].store(0, Relaxed);
            words[offset / WORD + 1].store(0, Relaxed);
        }
        for (word, value) in words[INFO_OFFSET / WORD..].iter().zip(info) {
            word.store(value, Relaxed);
        }
        Ok(segment)
    }

    /// Finds a segment that someone else made, of as many slots as the caller knows it to have. The number that the
    /// memory gives is compared and never used.
    ///
    /// # Errors
    /// Any [`LayoutError`] but [`Misaligned`](LayoutError::Misaligned).
    ///
    /// ```
    /// use isolane_guest_abi::{layout, sync::AtomicU32, LayoutError, Segment};
    /// let memory: Vec<AtomicU32> = (0..layout::segment_words(8)).map(|_| AtomicU32::new(0)).collect();
    /// assert_eq!(Segment::attach(memory.as_slice(), 8).unwrap_err(), LayoutError::Magic { found: 0 });
    /// Segment::init(memory.as_slice(), 8, 0)?;
    /// assert!(Segment::attach(memory.as_slice(), 8).is_ok());
    /// # Ok::<(), LayoutError>(())
    /// ```
    pub fn attach(memory: M, capacity: u32) -> Result<Self, LayoutError> {
        let segment = Self::sized(memory, capacity)?;
        let mut info = [0; INFO_WORDS];
        // SYNC: segment-open
        for (value, word) in info.iter_mut().zip(&segment.words()[INFO_OFFSET / WORD..]) {
            *value = word.load(Relaxed);
        }
        let info: Info = bytemuck::cast(info);
        if info.magic != MAGIC {
            Err(LayoutError::Magic { found: info.magic })
        } else if info.version != ABI_VERSION {
            Err(LayoutError::Version {
                found: info.version,
            })
        } else if info.capacity != capacity {
            Err(LayoutError::CapacityMismatch {
                expected: capacity,
                found: info.capacity,
            })
        } else {
            Ok(segment)
        }
    }

    fn sized(memory: M, capacity: u32) -> Result<Self, LayoutError> {
        if !is_capacity(capacity) {
            return Err(LayoutError::Capacity { capacity });
        }
        let needed = segment_words(capacity);
        let words = memory.as_ref().len();
        if words < needed {
            return Err(LayoutError::TooShort { needed, words });
        }
        Ok(Segment { memory, capacity })
    }

    fn words(&self) -> &[AtomicU32] {
        self.memory.as_ref()
    }

    pub(crate) fn tail(&self) -> &AtomicU32 {
        &self.words()[TAIL_OFFSET / WORD]
    }

    pub(crate) fn head(&self) -> &AtomicU32 {
        &self.words()[HEAD_OFFSET / WORD]
    }

    pub(crate) fn signaled(&self) -> &AtomicU32 {
        &self.words()[SIGNALED_OFFSET / WORD]
    }

    fn watched(&self) -> &AtomicU32 {
        &self.words()[WATCHED_OFFSET / WORD]
    }

    /// Slots that hold messages at this moment, seen from neither end; 0 to the capacity, whatever the memory says.
    pub fn outstanding(&self) -> u32 {
        // SYNC: low-water (W2) — `head` first: a `tail` that is younger than it errs on the side of more.
        let head = load_seq_cst(self.head());
        let tail = load_seq_cst(self.tail());
        tail.wrapping_sub(head).min(self.capacity)
    }

    /// How far the consumer is, mod 2^32.
    pub fn position(&self) -> u32 {
        self.head().load(Relaxed)
    }

    /// For the consumer, which looks at [`outstanding`](Segment::outstanding) by itself from now on: no message signals until
    /// [`end_polling`](Segment::end_polling). It looks next, for what came before this.
    pub fn begin_polling(&self) {
        // SYNC: poll (A1)
        swap_seq_cst(self.signaled(), 1);
    }

    /// The next message signals again. The consumer looks once more before it waits.
    pub fn end_polling(&self) {
        // SYNC: poll (D1) — a store would do. Loom knows of two stores to a word only by read-modify-writes which came first, where P3 is one.
        swap_seq_cst(self.signaled(), 0);
    }

    /// Asks the consumer to tell when little is left. The caller looks at [`outstanding`](Segment::outstanding) next.
    pub fn watch(&self) {
        // SYNC: low-water (W1)
        swap_seq_cst(self.watched(), 1);
    }

    /// Takes the wish back. True: it was there, so that it is the caller who acts on it.
    pub fn unwatch(&self) -> bool {
        // SYNC: low-water (W3, L3)
        swap_seq_cst(self.watched(), 0) == 1
    }

    /// Whether the sender wants to be told when little is left. For the receiving side, after it has taken messages.
    pub fn is_watched(&self) -> bool {
        // SYNC: low-water (L2)
        add_zero(self.watched()) == 1
    }

    /// Messages that were ever published here and consumed here, in this order. For metrics: either may be a moment old.
    pub fn counts(&self) -> (u64, u64) {
        let count = |offset: usize| {
            let words = &self.words()[offset / WORD..];
            u64::from(words[0].load(Relaxed)) | u64::from(words[1].load(Relaxed)) << 32
        };
        (count(SENT_OFFSET), count(RECEIVED_OFFSET))
    }

    /// Slots that were ever published here, for metrics.
    pub fn slots_sent(&self) -> u64 {
        let laps = self.words()[LAPS_OFFSET / WORD].load(Relaxed);
        u64::from(laps) << 32 | u64::from(self.tail().load(Relaxed))
    }

    /// `tail` begins anew. Only the producer calls it, and only the metrics read it.
    pub(crate) fn note_lap(&self) {
        let laps = &self.words()[LAPS_OFFSET / WORD];
        laps.store(laps.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// Writes one of the counts of messages.
    pub(crate) fn store_count(&self, offset: usize, count: u64) {
        let words = &self.words()[offset / WORD..];
        words[0].store(count as u32, Relaxed);
        if count as u32 == 0 {
            words[1].store((count >> 32) as u32, Relaxed);
        }
    }

    /// The words of the slot with that index.
    pub(crate) fn slot(&self, index: u32) -> &[AtomicU32] {
        let first = HEADER_WORDS + (index & (self.capacity - 1)) as usize * SLOT_WORDS;
        &self.words()[first..first + SLOT_WORDS]
    }

    /// Writes the first words of a slot.
    pub(crate) fn store_slot(&self, index: u32, slot: &Slot, words: usize) {
        let values: &[u32; SLOT_WORDS] = bytemuck::cast_ref(slot);
        for (word, value) in self.slot(index).iter().zip(values).take(words) {
            word.store(*value, Relaxed);
        }
    }

    /// Word number `word` of the units of a string, or of a record, whose first slot has that index. The words are
    /// contiguous from the first of the payload on, up to the ring's end, and go on at its start.
    pub(crate) fn text_word(&self, index: u32, word: usize) -> &AtomicU32 {
        let first = (index & (self.capacity - 1)) as usize * SLOT_WORDS + 2;
        let ring = self.capacity as usize * SLOT_WORDS;
        &self.words()[HEADER_WORDS + ((first + word) & (ring - 1))]
    }
}

impl<M> Segment<M> {
    /// Slots of the ring. One of them is kept for the link.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// What gives the words.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Gives back what gives the words.
    pub fn into_memory(self) -> M {
        self.memory
    }
}

/// Words of memory that is known by its address, such as a SharedArrayBuffer's backing store.
///
/// # Errors
/// [`LayoutError::Misaligned`] if the address is not a multiple of four. Bytes after the last whole word are left out.
///
/// # Safety
/// For the whole of `'a`, `base` must point to `bytes` bytes that may be read and written, and Rust code must access
/// them by atomics alone. Code that no Rust compiler sees (JavaScript, guests) may access them in any way.
///
/// ```
/// use isolane_guest_abi::words_from_raw;
/// let mut memory = [0u64; 4];
/// // SAFETY: the array outlives the words, and is not used meanwhile.
/// let words = unsafe { words_from_raw(memory.as_mut_ptr().cast(), 32) }?;
/// assert_eq!(words.len(), 8);
/// # Ok::<(), isolane_guest_abi::LayoutError>(())
/// ```
#[cfg(not(loom))]
pub unsafe fn words_from_raw<'a>(
    base: *mut u8,
    bytes: usize,
) -> Result<&'a [AtomicU32], LayoutError> {
    let words = base.cast::<AtomicU32>();
    if words as usize % core::mem::align_of::<AtomicU32>() != 0 {
        return Err(LayoutError::Misaligned);
    }
    // SAFETY: `AtomicU32` has the layout of `u32`, every bit pattern is one, and the address is aligned; the caller
    // promises the rest.
    Ok(unsafe { core::slice::from_raw_parts(words, bytes / WORD) })
}
