//! The rings of a lane, one behind another.

use std::collections::VecDeque;
use std::sync::Arc;

use isolane_guest_abi::layout::SLOT_BYTES;

use super::metrics::LaneMetrics;
use super::quota::{Charge, Quota, QuotaExceeded};
use super::segment::{FIRST_CAPACITY, GROWN_CAPACITY, LARGEST_CAPACITY, SegmentMemory};

/// Of a worker's quota, what a single ring may take: what fits a ring is not asked for, so that this is how far the quota may be overrun by each lane.
const RINGS_PER_QUOTA: usize = 8;

struct Ring {
    memory: Arc<SegmentMemory>,
    /// Slots that were not received when the sender left it.
    left: usize,
    /// What they hold of a quota.
    _charge: Option<Charge>,
}

impl Ring {
    fn new(memory: Arc<SegmentMemory>) -> Self {
        Self {
            memory,
            left: 0,
            _charge: None,
        }
    }
}

/// The segments of a lane, none before it is used. Front: the one that the receiver reads. Back: the one that the sender writes. More than one only while a full ring is being
/// left.
pub(crate) struct Chain {
    rings: VecDeque<Ring>,
    /// Slots of the segments that are neither front nor back, which nobody changes.
    between: usize,
    /// A ring that was read to its end and is good for another round: warm memory.
    spare: Option<Arc<SegmentMemory>>,
    /// The sender waits for no more bytes than these to be left.
    mark: Option<usize>,
    quota: Option<Arc<Quota>>,
    /// The quota stays whoever receives.
    pinned: bool,
    /// Of segments that are gone.
    past: Past,
    spills: u64,
}

#[derive(Default)]
struct Past {
    messages: u64,
    slots: u64,
}

impl Chain {
    pub(crate) fn new() -> Self {
        Self {
            rings: VecDeque::new(),
            between: 0,
            spare: None,
            mark: None,
            quota: None,
            pinned: false,
            past: Past::default(),
            spills: 0,
        }
    }

    fn front(&self) -> Option<&Arc<SegmentMemory>> {
        self.rings.front().map(|ring| &ring.memory)
    }

    fn back(&self) -> Option<&Arc<SegmentMemory>> {
        self.rings.back().map(|ring| &ring.memory)
    }

    /// Whether an end ever asked for its segment.
    pub(crate) fn is_used(&self) -> bool {
        !self.rings.is_empty()
    }

    /// The segment that the receiver reads.
    pub(crate) fn receiving(&mut self) -> Option<Arc<SegmentMemory>> {
        self.make_first();
        self.front().cloned()
    }

    /// The segment that the sender writes.
    pub(crate) fn sending(&mut self) -> Option<Arc<SegmentMemory>> {
        self.make_first();
        self.back().cloned()
    }

    /// Most lanes of most ports carry nothing, and have no segment.
    fn make_first(&mut self) {
        if self.rings.is_empty() {
            let first = SegmentMemory::new(FIRST_CAPACITY);
            if self.mark.is_some() {
                first.watch();
            }
            self.rings.push_back(Ring::new(first));
        }
    }

    pub(crate) fn set_quota(&mut self, quota: Option<Arc<Quota>>) {
        if !self.pinned {
            self.quota = quota;
        }
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.quota.is_some()
    }

    pub(crate) fn pin_quota(&mut self, quota: Arc<Quota>) {
        self.quota = Some(quota);
        self.pinned = true;
    }

    /// Bytes of the slots that were not received.
    pub(crate) fn slot_bytes(&self) -> usize {
        let front = self.front().map_or(0, |ring| ring.outstanding());
        let back = match self.back() {
            Some(back) if self.rings.len() > 1 => back.outstanding(),
            _ => 0,
        };
        // The last slot of a ring that was left is its LINK, which is no message; `between` is without it.
        let links = usize::from(self.rings.len() > 1);
        (front as usize + back as usize + self.between).saturating_sub(links) * SLOT_BYTES
    }

    /// Holds the bytes of a parcel that is about to be sent.
    pub(crate) fn charge_parcel(&self, bytes: usize) -> Result<Option<Charge>, QuotaExceeded> {
        let Some(quota) = &self.quota else {
            return Ok(None);
        };
        let ring = self.back().map_or(0, |ring| ring.outstanding()) as usize * SLOT_BYTES;
        quota.charge(bytes, ring).map(Some)
    }

    /// Adds a segment behind the last one, which has to get its LINK next. `forced`: for a message that cannot be refused.
    pub(crate) fn open(&mut self, forced: bool) -> Result<Arc<SegmentMemory>, QuotaExceeded> {
        let (capacity, outstanding) = self.back().map_or((FIRST_CAPACITY, 0), |last| {
            (last.capacity(), last.outstanding() as usize)
        });
        let mut capacity = (capacity * 4).clamp(GROWN_CAPACITY, LARGEST_CAPACITY);
        let charge = match &self.quota {
            None => None,
            Some(quota) => {
                while capacity > GROWN_CAPACITY
                    && bytes_of(capacity) > quota.limit() / RINGS_PER_QUOTA
                {
                    capacity /= 2;
                }
                let left = outstanding * SLOT_BYTES;
                loop {
                    match quota.charge(left, bytes_of(capacity)) {
                        Ok(charge) => break Some(charge),
                        Err(_) if capacity > GROWN_CAPACITY => capacity /= 2,
                        Err(_) if forced => break Some(quota.charge_anyway(left)),
                        Err(refused) => return Err(refused),
                    }
                }
            }
        };
        if self.rings.len() > 1 {
            self.between += outstanding;
        }
        if let Some(last) = self.rings.back_mut() {
            last.left = outstanding;
            last._charge = charge;
        }
        let memory = match self.spare.take() {
            Some(spare) if spare.capacity() == capacity => {
                spare.clear();
                spare
            }
            _ => SegmentMemory::new(capacity),
        };
        self.rings.push_back(Ring::new(Arc::clone(&memory)));
        self.spills += 1;
        Ok(memory)
    }

    /// Leaves the first segment, which was read to its LINK, for the one behind it; none if there is none, which means a corrupt slot.
    pub(crate) fn follow(&mut self) -> Option<Arc<SegmentMemory>> {
        if self.rings.len() < 2 {
            return None;
        }
        let left = self.rings.pop_front()?.memory;
        self.past.messages += left.messages().0;
        self.past.slots += left.slots_sent();
        let next = self.rings.front()?;
        self.between -= next.left;
        let front = Arc::clone(&next.memory);
        if self.mark.is_some() {
            // SYNC: low-water — the receiver, who is the caller, looks at this segment's word from now on.
            front.watch();
        }
        self.spare = Some(left);
        Some(front)
    }

    /// The sender wants to be told of `bytes` or fewer.
    pub(crate) fn set_mark(&mut self, bytes: usize) {
        self.mark = Some(bytes);
        if let Some(front) = self.front() {
            front.watch();
        }
    }

    /// Takes the mark away if no more than it is left; true: it was there.
    pub(crate) fn pass_mark(&mut self, amount: usize) -> bool {
        let passed = self.mark.is_some_and(|mark| amount <= mark);
        if passed {
            self.mark = None;
            if let Some(front) = self.front() {
                front.unwatch();
            }
        }
        passed
    }

    /// Takes the mark away; true: there was one.
    pub(crate) fn clear_mark(&mut self) -> bool {
        self.pass_mark(0)
    }

    /// Nothing will be received any more: frees what waits, but for the segment that the sender may still write.
    pub(crate) fn abandon(&mut self) {
        let last = self.rings.len().saturating_sub(1);
        for ring in self.rings.drain(..last) {
            self.past.messages += ring.memory.messages().0;
            self.past.slots += ring.memory.slots_sent();
        }
        self.between = 0;
        self.spare = None;
    }

    /// What the rings know of the lane's metrics.
    pub(crate) fn metrics(&self) -> LaneMetrics {
        let mut metrics = LaneMetrics {
            messages_sent: self.past.messages,
            spills: self.spills,
            ..LaneMetrics::default()
        };
        let mut slots = self.past.slots;
        let mut received = self.past.messages;
        for ring in &self.rings {
            let (ring_sent, ring_received) = ring.memory.messages();
            metrics.messages_sent += ring_sent;
            received += ring_received;
            slots += ring.memory.slots_sent();
        }
        for memory in self
            .rings
            .iter()
            .map(|ring| &ring.memory)
            .chain(&self.spare)
        {
            metrics.memory += memory.byte_length() as u64;
        }
        metrics.depth = metrics.messages_sent.saturating_sub(received);
        metrics.bytes_sent = slots.saturating_sub(self.spills) * SLOT_BYTES as u64;
        metrics
    }
}

fn bytes_of(capacity: u32) -> usize {
    capacity as usize * SLOT_BYTES
}
