//! One lane: a chain of segments, the parcels beside it, and the receiver to wake.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_queue::SegQueue;
use isolane_guest_abi::{Consumer, Corrupt, Full, Message, Producer, Pushed, Segment, Value};

use super::inbox::{Event, Inbox};
use super::segment::{FIRST_CAPACITY, LARGEST_CAPACITY, MemoryRef, SegmentMemory};
use crate::clone::parcel::Parcel;

/// Who is woken when a lane has messages.
#[derive(Clone)]
pub(crate) enum Receiver {
    /// A port of a worker.
    Worker { inbox: Arc<Inbox>, key: u32 },
    /// A thread or task of the embedding program.
    Embedder(Arc<event_listener::Event>),
}

/// A one-way queue. At any moment one end sends and one receives; the ends move between threads through a lock or a lane, which orders what the
/// old owner did before what the new one does (`SYNC: end-moved` in `isolane_guest_abi`).
pub(crate) struct Lane {
    /// Front: the segment that the receiver reads. Back: the one that the sender writes. More than one only while a full ring is being left.
    segments: Mutex<VecDeque<Arc<SegmentMemory>>>,
    /// What PARCEL slots stand for, in the same order, each with the number that its slot names.
    parcels: SegQueue<(u32, Parcel)>,
    /// Parcels ever sent; wraps. Only the sending end adds.
    parcels_sent: AtomicU32,
    receiver: Mutex<Option<Receiver>>,
    /// Set when the receiving end is gone for good: nothing that is sent from then on can be read.
    abandoned: AtomicBool,
}

impl Lane {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            segments: Mutex::new(VecDeque::from([SegmentMemory::new(FIRST_CAPACITY)])),
            parcels: SegQueue::new(),
            parcels_sent: AtomicU32::new(0),
            receiver: Mutex::new(None),
            abandoned: AtomicBool::new(false),
        })
    }

    /// Sets or clears who is woken. A new receiver must look at the lane once by itself: signals before this call went elsewhere.
    pub(crate) fn set_receiver(&self, receiver: Option<Receiver>) {
        *self.receiver.lock().unwrap_or_else(PoisonError::into_inner) = receiver;
    }

    /// Wakes the receiver. With none (the port is on its way to another worker) the next one looks by itself.
    pub(crate) fn signal(self: &Arc<Self>) {
        let receiver = self
            .receiver
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match receiver {
            Some(Receiver::Worker { inbox, key }) => inbox.post(Event::Lane {
                key,
                lane: Arc::clone(self),
            }),
            Some(Receiver::Embedder(event)) => {
                event.notify(usize::MAX);
            }
            None => {}
        }
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        // Relaxed: a sender that learns of it late only sends into a queue that nobody reads.
        self.abandoned.load(Ordering::Relaxed)
    }

    /// The segment that the sender writes.
    pub(crate) fn sending_segment(&self) -> Option<Arc<SegmentMemory>> {
        self.segments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .back()
            .cloned()
    }

    /// The segment that the receiver reads.
    pub(crate) fn receiving_segment(&self) -> Option<Arc<SegmentMemory>> {
        self.segments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .front()
            .cloned()
    }

    /// Adds a larger segment behind a full one, and leaves a LINK to it there. The sender goes on in the new one.
    ///
    /// Both in one call, for a script's sender may be stopped for good after any call, and what is sent for it then (a close) goes to the last segment.
    pub(crate) fn link_segment(self: &Arc<Self>) -> Arc<SegmentMemory> {
        let full = self.sending_segment().and_then(producer_of);
        let next = self.open_segment();
        if let Some(mut full) = full
            && full.push_link(0) == Ok(Pushed::Signal)
        {
            self.signal();
        }
        next
    }

    /// Adds a larger segment behind a full one, which still has to get its LINK.
    fn open_segment(&self) -> Arc<SegmentMemory> {
        let mut segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        let capacity = segments.back().map_or(FIRST_CAPACITY, |last| {
            last.capacity().saturating_mul(4).min(LARGEST_CAPACITY)
        });
        let segment = SegmentMemory::new(capacity);
        segments.push_back(Arc::clone(&segment));
        segment
    }

    /// Frees the segment that ended in a LINK and gives the one behind it; none if no segment was opened, which means a corrupt slot.
    pub(crate) fn follow_link(&self) -> Option<Arc<SegmentMemory>> {
        let mut segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        if segments.len() < 2 {
            return None;
        }
        segments.pop_front();
        segments.front().cloned()
    }

    /// Puts a parcel beside the ring and returns the number for its slot, which must be pushed next.
    pub(crate) fn push_parcel(&self, parcel: Parcel) -> u32 {
        // Relaxed: only the sending end writes it, and the end's move orders one owner after another.
        let number = self.parcels_sent.fetch_add(1, Ordering::Relaxed);
        self.parcels.push((number, parcel));
        number
    }

    /// The parcel of the PARCEL slot that was popped last. None if the slot names another: a corrupt lane.
    pub(crate) fn pop_parcel(&self, number: u32) -> Option<Parcel> {
        // The slot was published after its parcel was pushed, so the queue shows it.
        self.parcels
            .pop()
            .filter(|(sent, _)| *sent == number)
            .map(|(_, parcel)| parcel)
    }

    /// The receiving end is gone: forgets what was not read. Ports inside unread parcels close with them.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.set_receiver(None);
        while self.parcels.pop().is_some() {}
    }
}

/// The sending end as Rust uses it: an embedder's, or that of a worker which ended.
pub(crate) struct LaneSender {
    lane: Arc<Lane>,
    producer: Option<Producer<MemoryRef>>,
}

impl LaneSender {
    pub(crate) fn attach(lane: Arc<Lane>) -> Self {
        let producer = lane.sending_segment().and_then(producer_of);
        Self { lane, producer }
    }

    /// Sends a value that fits slots. Never blocks; a full ring grows.
    pub(crate) fn send(&mut self, value: Value<'_>) {
        self.push(|producer| producer.push(value));
    }

    fn push(&mut self, mut push: impl FnMut(&mut Producer<MemoryRef>) -> Result<Pushed, Full>) {
        if self.lane.is_abandoned() {
            return;
        }
        let mut signal = false;
        // A new segment takes any message, so that the second round always ends it.
        while let Some(producer) = &mut self.producer {
            if let Ok(pushed) = push(producer) {
                signal |= pushed == Pushed::Signal;
                break;
            }
            let next = self.lane.open_segment();
            // One slot is kept for the link, so that this push cannot be refused.
            signal |= producer.push_link(0) == Ok(Pushed::Signal);
            self.producer = producer_of(next);
        }
        if signal {
            self.lane.signal();
        }
    }

    pub(crate) fn send_parcel(&mut self, parcel: Parcel) {
        if !self.lane.is_abandoned() {
            let number = self.lane.push_parcel(parcel);
            self.send(Value::Parcel(number));
        }
    }

    /// Sends the last item of the lane. The sender may have been stopped between its last message and the signal for it, so there is always one now.
    pub(crate) fn close(mut self) {
        self.push(Producer::push_close);
        self.lane.signal();
    }
}

fn producer_of(segment: Arc<SegmentMemory>) -> Option<Producer<MemoryRef>> {
    let capacity = segment.capacity();
    Segment::attach(MemoryRef(segment), capacity)
        .ok()
        .map(Producer::attach)
}

/// What a lane holds that no sender of this program writes.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error(transparent)]
    Slot(#[from] Corrupt),
    #[error("corrupt lane: a link leads to no segment")]
    Link,
    #[error("corrupt lane: a slot names parcel {0}, which is not the next one")]
    Parcel(u32),
}

/// What a receiving end found.
pub(crate) enum Received {
    Nothing,
    Slot(Message),
    Parcel(Parcel),
    Closed,
}

/// The receiving end as Rust uses it.
pub(crate) struct LaneReceiver {
    lane: Arc<Lane>,
    consumer: Option<Consumer<MemoryRef>>,
}

impl LaneReceiver {
    pub(crate) fn attach(lane: Arc<Lane>) -> Self {
        let consumer = lane.receiving_segment().and_then(consumer_of);
        Self { lane, consumer }
    }

    /// Takes the next message. After `Nothing` the next send signals the receiver.
    pub(crate) fn receive(&mut self) -> Result<Received, Fault> {
        loop {
            let Some(consumer) = &mut self.consumer else {
                return Ok(Received::Closed);
            };
            let message = match consumer.pop()? {
                Some(message) => message,
                None => {
                    // SYNC: wake — clear, then look again: a send after the clear signals, one before it is found here.
                    consumer.clear_signal();
                    match consumer.pop()? {
                        Some(message) => message,
                        None => return Ok(Received::Nothing),
                    }
                }
            };
            match message {
                Message::Link(_) => {
                    self.consumer = self.lane.follow_link().and_then(consumer_of);
                    if self.consumer.is_none() {
                        return Err(Fault::Link);
                    }
                }
                Message::Close => {
                    self.consumer = None;
                    return Ok(Received::Closed);
                }
                Message::Parcel(number) => match self.lane.pop_parcel(number) {
                    Some(parcel) => return Ok(Received::Parcel(parcel)),
                    None => {
                        self.consumer = None;
                        return Err(Fault::Parcel(number));
                    }
                },
                slot => return Ok(Received::Slot(slot)),
            }
        }
    }
}

fn consumer_of(segment: Arc<SegmentMemory>) -> Option<Consumer<MemoryRef>> {
    let capacity = segment.capacity();
    Segment::attach(MemoryRef(segment), capacity)
        .ok()
        .map(Consumer::attach)
}
