//! One lane: a chain of segments, the parcels beside it, and whom to wake at either end.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crossbeam_queue::SegQueue;
use isolane_guest_abi::Pushed;

use super::chain::Chain;
use super::ends::producer_of;
use super::inbox::{Event, Inbox};
use super::metrics::LaneMetrics;
use super::quota::{Charge, Quota, QuotaExceeded};
use super::record_shapes::RecordShapes;
use super::segment::SegmentMemory;
use crate::clone::parcel::Parcel;

/// Whose an end of a lane is, and hence who is woken.
#[derive(Clone)]
pub(crate) enum Owner {
    /// A port of a worker.
    Worker { inbox: Arc<Inbox>, key: u32 },
    /// A thread or task of the embedding program.
    Embedder(Arc<event_listener::Event>),
}

impl Owner {
    /// `event` is for the port of that key.
    fn wake(self, event: impl FnOnce(u32) -> Event) {
        match self {
            Self::Worker { inbox, key } => inbox.post(event(key)),
            Self::Embedder(notified) => {
                notified.notify(usize::MAX);
            }
        }
    }
}

/// What a sender that wants little to be left is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Watch {
    /// It is so already.
    Low,
    /// Its owner will be woken.
    Waiting,
    /// Nobody receives any more.
    Gone,
}

struct SentParcel {
    /// What its slot names.
    number: u32,
    bytes: usize,
    parcel: Parcel,
}

/// A one-way queue. At any moment one end sends and one receives; the ends move between threads through a lock or a lane, which orders what the
/// old owner did before what the new one does (`SYNC: end-moved` in `isolane_guest_abi`).
pub(crate) struct Lane {
    chain: Mutex<Chain>,
    /// What PARCEL slots stand for, in the same order. Made for the first one: it is as large as all the rest.
    parcels: OnceLock<Box<SegQueue<SentParcel>>>,
    /// Parcels ever sent; its low half numbers them. Only the sending end adds.
    parcels_sent: AtomicU64,
    /// Bytes of parcels: ever sent, and waiting.
    parcel_bytes_sent: AtomicU64,
    parcel_bytes: AtomicUsize,
    /// The most that waited so far, of what was seen.
    high_water: AtomicUsize,
    wakes: AtomicU64,
    /// Whether there is a quota, so that a lane without one is not locked for it.
    limited: AtomicBool,
    /// What its records name by number.
    shapes: RecordShapes,
    receiver: Mutex<Option<Owner>>,
    sender: Mutex<Option<Owner>>,
    /// Set when the receiving end is gone for good: nothing that is sent from then on can be read.
    abandoned: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lane {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            chain: Mutex::new(Chain::new()),
            parcels: OnceLock::new(),
            parcels_sent: AtomicU64::new(0),
            parcel_bytes_sent: AtomicU64::new(0),
            parcel_bytes: AtomicUsize::new(0),
            high_water: AtomicUsize::new(0),
            wakes: AtomicU64::new(0),
            limited: AtomicBool::new(false),
            shapes: RecordShapes::default(),
            receiver: Mutex::new(None),
            sender: Mutex::new(None),
            abandoned: AtomicBool::new(false),
        })
    }

    pub(crate) fn shapes(&self) -> &RecordShapes {
        &self.shapes
    }

    /// Sets or clears who is woken for messages. A new receiver must look at the lane once by itself: signals before this call went elsewhere.
    pub(crate) fn set_receiver(&self, receiver: Option<Owner>) {
        *lock(&self.receiver) = receiver;
    }

    /// Sets or clears who is woken when little is left to receive. What the old one waited for is forgotten.
    pub(crate) fn set_sender(&self, sender: Option<Owner>) {
        *lock(&self.sender) = sender;
        lock(&self.chain).clear_mark();
    }

    /// Sets what the lane's undelivered bytes count against, unless it is pinned. What is held already stays where it is.
    pub(crate) fn set_quota(&self, quota: Option<Arc<Quota>>) {
        let mut chain = lock(&self.chain);
        chain.set_quota(quota);
        // Relaxed: a sender that learns of it late sends one more parcel.
        self.limited.store(chain.is_limited(), Ordering::Relaxed);
    }

    /// Sets it for good.
    pub(crate) fn pin_quota(&self, quota: Arc<Quota>) {
        lock(&self.chain).pin_quota(quota);
        self.limited.store(true, Ordering::Relaxed);
    }

    /// Wakes the receiver. With none (the port is on its way to another worker) the next one looks by itself.
    pub(crate) fn signal(self: &Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::Relaxed);
        let receiver = lock(&self.receiver).clone();
        if let Some(receiver) = receiver {
            let lane = Arc::clone(self);
            receiver.wake(|key| Event::Lane { key, lane });
        }
    }

    /// Tells the sender that little is left to receive, or that nobody receives any more.
    fn tell_sender(self: &Arc<Self>) {
        let sender = lock(&self.sender).clone();
        if let Some(sender) = sender {
            let lane = Arc::clone(self);
            sender.wake(|key| Event::Low { key, lane });
        }
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        // Relaxed: a sender that learns of it late only sends into a queue that nobody reads.
        self.abandoned.load(Ordering::Relaxed)
    }

    /// False: nothing was ever sent, and what will be signals the receiver, which was set before this was asked.
    pub(crate) fn is_used(&self) -> bool {
        lock(&self.chain).is_used()
    }

    /// The segment that the sender writes.
    pub(crate) fn sending_segment(&self) -> Option<Arc<SegmentMemory>> {
        lock(&self.chain).sending()
    }

    /// The segment that the receiver reads.
    pub(crate) fn receiving_segment(&self) -> Option<Arc<SegmentMemory>> {
        lock(&self.chain).receiving()
    }

    /// Adds a larger segment behind a full one, and leaves a LINK to it there. The sender goes on in the new one.
    ///
    /// Both in one call, for a script's sender may be stopped for good after any call, and what is sent for it then (a close) goes to the last segment.
    pub(crate) fn link_segment(
        self: &Arc<Self>,
        forced: bool,
    ) -> Result<Arc<SegmentMemory>, QuotaExceeded> {
        let full = self.sending_segment().and_then(producer_of);
        let next = self.open_segment(forced)?;
        if let Some(mut full) = full
            && full.push_link(0) == Ok(Pushed::Signal)
        {
            self.signal();
        }
        Ok(next)
    }

    /// Adds a larger segment behind a full one, which still has to get its LINK.
    pub(crate) fn open_segment(&self, forced: bool) -> Result<Arc<SegmentMemory>, QuotaExceeded> {
        let mut chain = lock(&self.chain);
        self.note_amount(self.amount_of(&chain));
        chain.open(forced)
    }

    /// Frees the segment that ended in a LINK and gives the one behind it; none if no segment was opened, which means a corrupt slot.
    pub(crate) fn follow_link(&self) -> Option<Arc<SegmentMemory>> {
        lock(&self.chain).follow()
    }

    /// Holds room for a parcel of so many bytes. The parcel keeps it until it is dropped.
    pub(crate) fn charge_parcel(&self, bytes: usize) -> Result<Option<Charge>, QuotaExceeded> {
        if self.limited.load(Ordering::Relaxed) {
            lock(&self.chain).charge_parcel(bytes)
        } else {
            Ok(None)
        }
    }

    /// Puts a parcel beside the ring and returns the number for its slot, which must be pushed next.
    pub(crate) fn push_parcel(&self, parcel: Parcel) -> u32 {
        let bytes = parcel.byte_length();
        // Relaxed: only the sending end writes it, and the end's move orders one owner after another.
        let number = self.parcels_sent.fetch_add(1, Ordering::Relaxed) as u32;
        self.parcel_bytes_sent
            .fetch_add(bytes as u64, Ordering::Relaxed);
        // SYNC: low-water — as `head` for slots: added before the parcel can be taken, and taken off before the receiver looks at the watch.
        let before = self.parcel_bytes.fetch_add(bytes, Ordering::SeqCst);
        let parcels = self.parcels.get_or_init(Box::default);
        parcels.push(SentParcel {
            number,
            bytes,
            parcel,
        });
        self.note_amount(before + bytes);
        number
    }

    /// The parcel of the PARCEL slot that was popped last. None if the slot names another: a corrupt lane.
    pub(crate) fn pop_parcel(self: &Arc<Self>, number: u32) -> Option<Parcel> {
        // The slot was published after its parcel was pushed, so the queue shows it.
        let sent = self.parcels.get()?.pop()?;
        self.parcel_bytes.fetch_sub(sent.bytes, Ordering::SeqCst);
        (sent.number == number).then_some(sent.parcel)
    }

    /// Bytes that were sent and not received: 64 for each slot, and those of parcels. 0 once nobody receives.
    pub(crate) fn amount(&self) -> usize {
        if self.is_abandoned() {
            0
        } else {
            self.amount_of(&lock(&self.chain))
        }
    }

    fn note_amount(&self, amount: usize) {
        self.high_water.fetch_max(amount, Ordering::Relaxed);
    }

    fn amount_of(&self, chain: &Chain) -> usize {
        chain
            .slot_bytes()
            .saturating_add(self.parcel_bytes.load(Ordering::SeqCst))
    }

    /// The sender's owner wants to be woken when no more than so many bytes are left.
    pub(crate) fn watch(&self, mark: usize) -> Watch {
        let mut chain = lock(&self.chain);
        // Under the lock, which `abandon` takes after it has set the flag: either it is seen here, or the mark is seen there.
        if self.is_abandoned() {
            return Watch::Gone;
        }
        // SYNC: low-water (W1, W2, W3)
        chain.set_mark(mark);
        let amount = self.amount_of(&chain);
        if chain.pass_mark(amount) {
            Watch::Low
        } else {
            Watch::Waiting
        }
    }

    /// For the receiving side, when it finds the lane watched: tells the sender if little is left.
    pub(crate) fn note_received(self: &Arc<Self>) {
        let passed = {
            let mut chain = lock(&self.chain);
            let amount = self.amount_of(&chain);
            // SYNC: low-water (L3)
            chain.pass_mark(amount)
        };
        if passed {
            self.tell_sender();
        }
    }

    pub(crate) fn metrics(&self) -> LaneMetrics {
        let chain = lock(&self.chain);
        let amount = if self.is_abandoned() {
            0
        } else {
            self.amount_of(&chain)
        };
        self.note_amount(amount);
        let mut metrics = chain.metrics();
        metrics.high_water_bytes = self.high_water.load(Ordering::Relaxed) as u64;
        metrics.bytes = amount as u64;
        metrics.bytes_sent += self.parcel_bytes_sent.load(Ordering::Relaxed);
        metrics.parcels_sent = self.parcels_sent.load(Ordering::Relaxed);
        metrics.wakes = self.wakes.load(Ordering::Relaxed);
        if self.is_abandoned() {
            metrics.depth = 0;
        }
        metrics
    }

    /// The receiving end is gone: forgets what was not read. Ports inside unread parcels close with them.
    pub(crate) fn abandon(self: &Arc<Self>) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.set_receiver(None);
        if let Some(parcels) = self.parcels.get() {
            while parcels.pop().is_some() {}
        }
        let watched = {
            let mut chain = lock(&self.chain);
            chain.abandon();
            chain.clear_mark()
        };
        if watched {
            self.tell_sender();
        }
    }
}
