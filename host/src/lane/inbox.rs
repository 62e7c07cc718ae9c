//! What a worker sleeps on: a queue of events and a doorbell.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_queue::SegQueue;
use isolane_guest_abi::Doorbell;

use super::polled::Polled;
use super::queue::Lane;
use super::spin::{self, Patience};
use crate::ops::Completion;
use crate::worker::child::ChildEvent;

/// Something that a worker's loop has to look at.
pub(crate) enum Event {
    /// A lane has messages. `key` is the receiving port's place in the worker's table; the lane itself tells whether that port is still the one
    /// that was meant.
    Lane { key: u32, lane: Arc<Lane> },
    /// Little is left to receive of what the port sent, or nobody receives it any more.
    Low { key: u32, lane: Arc<Lane> },
    /// Work of V8's own for this isolate (wasm compilation that ended, `Atomics.waitAsync`, finalisation callbacks).
    Task(v8::Task),
    /// The same, not before an instant.
    DelayedTask(v8::Task, Instant),
    /// An asynchronous op ended.
    Completion(Completion),
    /// A worker that this one made has news.
    Child(ChildEvent),
    /// Nothing but a reason to look at the flags of the worker's control block.
    Nudge,
}

/// The queue of one worker. Any thread posts, the worker's own thread takes.
#[derive(Default)]
pub(crate) struct Inbox {
    events: SegQueue<Event>,
    doorbell: Doorbell,
    patience: Patience,
}

impl Inbox {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Makes the calling thread the one that waits.
    pub(crate) fn claim(&self) {
        self.doorbell.claim();
    }

    pub(crate) fn post(&self, event: Event) {
        self.events.push(event);
        // The push above comes before the ring, and the owner looks at the queue after it took the ring: no event is slept over.
        self.doorbell.ring();
    }

    pub(crate) fn take(&self) -> Option<Event> {
        self.events.pop()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Waits until an event is posted, the polled lane has messages, or the time is over; asleep, unless it is likely to be short.
    pub(crate) fn wait(&self, timeout: Option<Duration>, mut polled: Option<&mut Polled>) {
        if self.doorbell.try_consume() {
            return;
        }
        let worthwhile = self.patience.is_worthwhile();
        if worthwhile && let Some(polled) = &mut polled {
            polled.arm();
        }
        let has_come = || {
            let polled = polled.as_ref().is_some_and(|lane| lane.has_messages());
            polled || self.doorbell.try_consume()
        };
        if worthwhile && self.patience.glance(has_come) {
            return;
        }
        let begin = Instant::now();
        let come = worthwhile && self.patience.look(timeout, has_come);
        // Nobody rings for a lane that is polled; a worker that sleeps does not poll.
        if !come && !polled.is_some_and(Polled::disarm) {
            let left = timeout.map(|timeout| timeout.saturating_sub(begin.elapsed()));
            spin::asleep(|| self.doorbell.wait(left));
        }
        self.patience.note(begin.elapsed());
    }

    /// Drops all events. What they own (parcels' ports, tasks of V8) goes with them.
    pub(crate) fn clear(&self) {
        while self.events.pop().is_some() {}
    }
}
