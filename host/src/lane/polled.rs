//! The lane that a worker looks at by itself.
//!
//! Two workers that talk send each other one message at a time, and each message would wake the other by way of its inbox: a call of the host, a queue and a
//! bell for every one. But a worker that is awake comes back to its loop anyway. So it polls the lane that it received from last: as long as it does, it keeps
//! the lane's signal set, and senders find that nothing is left to do once a message is in its slot (`SYNC: poll` in `isolane_guest_abi`).

use std::sync::Arc;

use isolane_guest_abi::Segment;

use super::inbox::{Event, Inbox};
use super::queue::Lane;
use super::segment::MemoryRef;

/// A lane, the segment of it that is read now, and the port that reads it.
pub(crate) struct Polled {
    key: u32,
    lane: Arc<Lane>,
    segment: Segment<MemoryRef>,
    /// The signal is kept set: this has to be looked at before the worker sleeps.
    armed: bool,
}

impl Polled {
    /// Of the lane that was just received from. None if something is left in it, for which the port comes back by itself or never.
    pub(crate) fn new(key: u32, lane: &Arc<Lane>) -> Option<Self> {
        let memory = lane.receiving_segment()?;
        let capacity = memory.capacity();
        let segment = Segment::attach(MemoryRef(memory), capacity).ok()?;
        (segment.outstanding() == 0).then(|| Self {
            key,
            lane: Arc::clone(lane),
            segment,
            armed: false,
        })
    }

    pub(crate) fn key(&self) -> u32 {
        self.key
    }

    pub(crate) fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    pub(crate) fn has_messages(&self) -> bool {
        self.segment.outstanding() > 0
    }

    /// Changes whenever something is taken.
    pub(crate) fn position(&self) -> u32 {
        self.segment.position()
    }

    /// From now on nothing that is sent rings; until [`disarm`](Self::disarm).
    pub(crate) fn arm(&mut self) {
        if !self.armed {
            self.segment.begin_polling();
            self.armed = true;
        }
    }

    /// From now on what is sent rings again. True: something is there that did not.
    pub(crate) fn disarm(&mut self) -> bool {
        if !std::mem::take(&mut self.armed) {
            return false;
        }
        self.segment.end_polling();
        self.has_messages()
    }

    /// Nobody polls it any more; what is there is an event.
    pub(crate) fn retire(mut self, inbox: &Inbox) {
        if self.disarm() {
            let Self { key, lane, .. } = self;
            inbox.post(Event::Lane { key, lane });
        }
    }
}
