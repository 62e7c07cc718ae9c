//! Memory of a lane segment: owned by the host, shown to isolates as a SharedArrayBuffer.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use isolane_guest_abi::Segment;
use isolane_guest_abi::layout::{MIN_CAPACITY, segment_bytes};

/// Slots of a lane's first segment: as few as there may be, because most ports carry little.
pub(crate) const FIRST_CAPACITY: u32 = MIN_CAPACITY;
/// Slots of the second one, at least: a lane that needs it is in use. It takes any message.
pub(crate) const GROWN_CAPACITY: u32 = 64;
/// Slots of the largest segment. A longer queue is a chain of these, so that what has been read can be freed piece by piece.
pub(crate) const LARGEST_CAPACITY: u32 = 4096;
const WORDS_PER_LINE: usize = 16;
/// Where the indices of a new segment start: so near 2^32 that every lane that is used at all goes through their wrap, in each test and each program,
/// and no fault of it can hide until the four billionth slot. A message of several slots soon lies across the ring's end as well.
const START_INDEX: u32 = 0_u32.wrapping_sub(3);

/// One cache line. Its alignment gives the segment the layout that `isolane_guest_abi::layout` states.
#[repr(C, align(64))]
#[derive(Default)]
struct Line([AtomicU32; WORDS_PER_LINE]);

/// Zeroed memory of one segment. It never moves, and lives as long as an end or a buffer of an isolate refers to it.
pub(crate) struct SegmentMemory {
    lines: Box<[Line]>,
    capacity: u32,
}

impl SegmentMemory {
    /// An initialised, empty segment.
    pub(crate) fn new(capacity: u32) -> Arc<Self> {
        let lines = segment_bytes(capacity) / size_of::<Line>();
        let memory = Arc::new(Self {
            lines: (0..lines).map(|_| Line::default()).collect(),
            capacity,
        });
        memory.clear();
        memory
    }

    /// Makes it an empty segment, which no end uses.
    pub(crate) fn clear(&self) {
        // The size is the one that `init` asks for; a capacity that it refuses stays without info line and no end can attach to it.
        let _ = Segment::init(self.words(), self.capacity, START_INDEX);
    }

    /// The segment, seen from neither end.
    fn view(&self) -> Option<Segment<&[AtomicU32]>> {
        Segment::attach(self.words(), self.capacity).ok()
    }

    /// Slots that were sent and not received.
    pub(crate) fn outstanding(&self) -> u32 {
        self.view().map_or(0, |segment| segment.outstanding())
    }

    /// Messages that were sent here, and received here.
    pub(crate) fn messages(&self) -> (u64, u64) {
        self.view().map_or((0, 0), |segment| segment.counts())
    }

    /// Slots that were sent here.
    pub(crate) fn slots_sent(&self) -> u64 {
        self.view().map_or(0, |segment| {
            segment.slots_sent().wrapping_sub(u64::from(START_INDEX))
        })
    }

    /// `SYNC: low-water` in `isolane_guest_abi`: asks the receiver to tell when little is left.
    pub(crate) fn watch(&self) {
        if let Some(segment) = self.view() {
            segment.watch();
        }
    }

    /// Takes that back.
    pub(crate) fn unwatch(&self) {
        if let Some(segment) = self.view() {
            segment.unwatch();
        }
    }

    fn words(&self) -> &[AtomicU32] {
        // SAFETY: a `Line` is `WORDS_PER_LINE` atomics and nothing else (64 bytes, no padding), so the slice covers the same initialised memory.
        unsafe {
            std::slice::from_raw_parts(
                self.lines.as_ptr().cast::<AtomicU32>(),
                self.lines.len() * WORDS_PER_LINE,
            )
        }
    }

    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    pub(crate) fn byte_length(&self) -> usize {
        size_of_val::<[Line]>(&self.lines)
    }

    /// The same bytes as a SharedArrayBuffer of `scope`'s isolate.
    pub(crate) fn shared_buffer<'s>(
        self: &Arc<Self>,
        scope: &v8::PinScope<'s, '_>,
    ) -> v8::Local<'s, v8::SharedArrayBuffer> {
        unsafe extern "C" fn release(_data: *mut c_void, _length: usize, owner: *mut c_void) {
            // SAFETY: `owner` is the pointer that `Arc::into_raw` gave below, and V8 calls this once.
            drop(unsafe { Arc::from_raw(owner.cast::<SegmentMemory>()) });
        }
        let data = self.lines.as_ptr().cast_mut().cast::<c_void>();
        let owner = Arc::into_raw(Arc::clone(self)).cast_mut().cast::<c_void>();
        // SAFETY: the bytes are atomics, so writing through a pointer from a shared reference is allowed; they stay where they are until `release`
        // gives the reference back.
        let store = unsafe {
            v8::SharedArrayBuffer::new_backing_store_from_ptr(
                data,
                self.byte_length(),
                release,
                owner,
            )
        };
        v8::SharedArrayBuffer::with_backing_store(scope, &store.make_shared())
    }
}

/// A counted reference through which the lane algorithm reaches the words.
#[derive(Clone)]
pub(crate) struct MemoryRef(pub(crate) Arc<SegmentMemory>);

impl AsRef<[AtomicU32]> for MemoryRef {
    fn as_ref(&self) -> &[AtomicU32] {
        self.0.words()
    }
}
