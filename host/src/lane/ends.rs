//! The two ends of a lane as Rust uses them: an embedder's, or those of a worker which ended.

use std::sync::Arc;

use isolane_guest_abi::{Consumer, Corrupt, Full, Message, Producer, Pushed, Segment, Value};

use super::queue::Lane;
use super::quota::QuotaExceeded;
use super::segment::{MemoryRef, SegmentMemory};
use crate::clone::parcel::Parcel;
use crate::clone::wire::{self, WireError};

/// The sending end.
pub(crate) struct LaneSender {
    lane: Arc<Lane>,
    producer: Option<Producer<MemoryRef>>,
}

impl LaneSender {
    pub(crate) fn attach(lane: Arc<Lane>) -> Self {
        let producer = lane.sending_segment().and_then(producer_of);
        Self { lane, producer }
    }

    /// Sends a value that fits slots. Never blocks; a full ring grows. Refused if the receiver's quota does not let it: nothing is sent then.
    pub(crate) fn send(&mut self, value: Value<'_>) -> Result<(), QuotaExceeded> {
        self.push(false, |producer| producer.push(value))
    }

    fn push(
        &mut self,
        forced: bool,
        mut push: impl FnMut(&mut Producer<MemoryRef>) -> Result<Pushed, Full>,
    ) -> Result<(), QuotaExceeded> {
        if self.lane.is_abandoned() {
            return Ok(());
        }
        let mut signal = false;
        // A new segment takes any message, so that the second round always ends it.
        while let Some(producer) = &mut self.producer {
            if let Ok(pushed) = push(producer) {
                signal |= pushed == Pushed::Signal;
                break;
            }
            let next = self.lane.open_segment(forced)?;
            // One slot is kept for the link, so that this push cannot be refused.
            signal |= producer.push_link(0) == Ok(Pushed::Signal);
            self.producer = producer_of(next);
        }
        if signal {
            self.lane.signal();
        }
        Ok(())
    }

    /// Sends a parcel of so many bytes, which `make` makes once there is room for them. Refused: nothing was made.
    pub(crate) fn send_parcel(
        &mut self,
        bytes: usize,
        make: impl FnOnce() -> Parcel,
    ) -> Result<(), QuotaExceeded> {
        if self.lane.is_abandoned() {
            return Ok(());
        }
        let charge = self.lane.charge_parcel(bytes)?;
        let mut parcel = make();
        parcel.charge = charge;
        let number = self.lane.push_parcel(parcel);
        // The parcel was let through, and its slot goes with it.
        self.push(true, |producer| producer.push(Value::Parcel(number)))
    }

    /// Sends the last item of the lane. The sender may have been stopped between its last message and the signal for it, so there is always one now.
    pub(crate) fn close(mut self) {
        // A forced push is never refused.
        let _ = self.push(true, Producer::push_close);
        self.lane.signal();
    }
}

pub(crate) fn producer_of(segment: Arc<SegmentMemory>) -> Option<Producer<MemoryRef>> {
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
    #[error("corrupt lane: a record cannot be read: {0}")]
    Record(WireError),
}

/// What a receiving end found.
pub(crate) enum Received {
    Nothing,
    Slot(Message),
    Parcel(Parcel),
    Closed,
}

/// The receiving end.
pub(crate) struct LaneReceiver {
    lane: Arc<Lane>,
    consumer: Option<Consumer<MemoryRef>>,
}

impl LaneReceiver {
    pub(crate) fn attach(lane: Arc<Lane>) -> Self {
        let consumer = lane.receiving_segment().and_then(consumer_of);
        Self { lane, consumer }
    }

    /// Asks to be signaled for the next send, and then tells whether nothing is there.
    pub(crate) fn is_idle(&mut self) -> bool {
        // SYNC: wake — clear, then look, as in `take`.
        self.consumer.as_mut().is_some_and(|consumer| {
            consumer.clear_signal();
            consumer.is_empty() == Ok(true)
        })
    }

    /// Takes the next message. After `Nothing` the next send signals the receiver.
    pub(crate) fn receive(&mut self) -> Result<Received, Fault> {
        let received = self.take();
        // SYNC: low-water (L2) — after each message, for nobody knows when the embedder asks for the next.
        if let Some(consumer) = &self.consumer
            && consumer.segment().is_watched()
        {
            self.lane.note_received();
        }
        received
    }

    fn take(&mut self) -> Result<Received, Fault> {
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
                Message::Record(words) => {
                    let shapes = self.lane.shapes();
                    match wire::from_record(&words, |number| shapes.get(number)) {
                        Ok(bytes) => {
                            return Ok(Received::Parcel(Parcel {
                                bytes,
                                ..Parcel::default()
                            }));
                        }
                        Err(error) => {
                            self.consumer = None;
                            return Err(Fault::Record(error));
                        }
                    }
                }
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
