//! What V8 is told of large stores that pass through a worker.
//!
//! V8 counts the bytes of a worker's buffers, and looks for garbage when there are many more than at its last look. A store of 64 MiB that goes away and
//! comes back is such a step each time, and each look takes as long as a hundred transfers. So what went away stays counted for a while, and is taken off
//! again when as much comes in: to V8 nothing happened. What has not been matched from one collection to the next is taken off there.

use std::cell::Cell;

/// Smaller stores take many to make V8 look.
const LEAST_BYTES: usize = 1 << 20;
/// So much stays counted at most.
const MOST_BYTES: usize = 128 << 20;

/// The bytes that have gone away and are counted still.
#[derive(Default)]
pub(crate) struct Passing {
    counted: Cell<usize>,
    /// Something went or came since the last collection.
    busy: Cell<bool>,
}

impl Passing {
    /// A store of so many bytes has been taken out of one of the isolate's buffers.
    pub(crate) fn went(&self, isolate: &mut v8::Isolate, bytes: usize) {
        if bytes >= LEAST_BYTES {
            self.busy.set(true);
            let kept = bytes.min(MOST_BYTES - self.counted.get());
            self.counted.set(self.counted.get() + kept);
            adjust(isolate, kept, 1);
        }
    }

    /// A store of so many bytes is about to be put into a buffer of the isolate's.
    pub(crate) fn comes(&self, isolate: &mut v8::Isolate, bytes: usize) {
        if bytes >= LEAST_BYTES {
            self.busy.set(true);
            let matched = bytes.min(self.counted.get());
            self.counted.set(self.counted.get() - matched);
            adjust(isolate, matched, -1);
        }
    }

    /// V8 is about to collect all garbage of the isolate.
    pub(crate) fn note_collection(&self, isolate: &mut v8::Isolate) {
        if !self.busy.replace(false) {
            adjust(isolate, self.counted.replace(0), -1);
        }
    }
}

fn adjust(isolate: &mut v8::Isolate, bytes: usize, sign: i64) {
    if let Ok(bytes) = i64::try_from(bytes)
        && bytes != 0
    {
        isolate.adjust_amount_of_external_allocated_memory(sign * bytes);
    }
}
