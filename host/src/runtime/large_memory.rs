//! Memory of large buffers, kept for the next one of the same size.
//!
//! The first write to a page that the system has just given costs several times what copying a page does, and buffers that travel come and go in a few
//! sizes. So blocks that are let go of wait here for another buffer, from whatever worker, up to [`MOST_KEPT`] bytes in all; beyond [`MOST_HELD`] the system
//! may take their pages whenever it is short of memory (`MADV_FREE`).

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Buffers from this size on lie in blocks; smaller ones are malloc's.
pub(crate) const LEAST_BYTES: usize = 128 << 10;
/// Blocks have a multiple of this size. No page of any system is larger.
const GRAIN: usize = 64 << 10;
/// Of all waiting blocks together.
const MOST_KEPT: usize = 128 << 20;
/// What waits beyond this may be taken by the system.
const MOST_HELD: usize = 64 << 20;
/// A used block is cleared for a buffer up to this size. For a larger one a new block is as good: its pages are clear, and only those that are touched
/// cost anything.
const MOST_CLEARED: usize = 4 << 20;
/// From here on a block that will be filled at once asks for large pages.
const LARGE_PAGE: usize = 2 << 20;

/// What the buffer wants to find in its memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Zeros,
    /// Anything: all of it is about to be written.
    Any,
}

struct Block {
    start: NonNull<c_void>,
    length: usize,
}

// SAFETY: a block is memory that its owner alone refers to.
unsafe impl Send for Block {}

#[derive(Default)]
struct Waiting {
    /// Oldest first.
    blocks: VecDeque<Block>,
    bytes: usize,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    blocks: VecDeque::new(),
    bytes: 0,
});

fn waiting() -> MutexGuard<'static, Waiting> {
    // Each change is whole when the lock is let go of.
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn block_length(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(GRAIN)
}

/// Memory for a buffer of so many bytes, at least [`LEAST_BYTES`]. None if there is none.
pub(crate) fn take(bytes: usize, content: Content) -> Option<NonNull<c_void>> {
    let length = block_length(bytes)?;
    if content == Content::Any || bytes <= MOST_CLEARED {
        let used = waiting().take(length);
        if let Some(start) = used {
            if content == Content::Zeros {
                // SAFETY: the block is `length` bytes long, which are not fewer, and nobody else's.
                unsafe { start.as_ptr().write_bytes(0, bytes) };
            }
            return Some(start);
        }
    }
    // SAFETY: a new mapping at an address of the system's choice touches no memory that there is.
    let start = unsafe {
        mmap_anonymous(
            std::ptr::null_mut(),
            length,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::PRIVATE,
        )
    };
    let start = NonNull::new(start.ok()?)?;
    #[cfg(target_os = "linux")]
    if content == Content::Any && length >= LARGE_PAGE {
        // Fewer page faults. Where the system has no large pages the others do.
        // SAFETY: the range is the mapping, and the advice changes no content.
        let _advised = unsafe { madvise(start.as_ptr(), length, Advice::LinuxHugepage) };
    }
    Some(start)
}

/// Gives back what `take` gave for a buffer of so many bytes.
///
/// # Safety
/// `start` and `bytes` are those of a call of `take`, and nobody uses the memory any more.
pub(crate) unsafe fn give(start: NonNull<c_void>, bytes: usize) {
    let Some(length) = block_length(bytes) else {
        return;
    };
    // Outside the lock, as the unmapping below: both take as long as the block is large. Another thread's block may come between.
    #[cfg(target_os = "linux")]
    if length <= MOST_KEPT && waiting().bytes + length > MOST_HELD {
        // SAFETY: the range is the block's, whose content nobody wants any more.
        let _advised = unsafe { madvise(start.as_ptr(), length, Advice::LinuxFree) };
    }
    let gone = waiting().put(Block { start, length });
    for block in gone {
        // SAFETY: a whole mapping of `take`'s, which nobody refers to.
        let _unmapped = unsafe { munmap(block.start.as_ptr(), block.length) };
    }
}

impl Waiting {
    fn take(&mut self, length: usize) -> Option<NonNull<c_void>> {
        // The one that came last is the likeliest to be in cache.
        let index = self
            .blocks
            .iter()
            .rposition(|block| block.length == length)?;
        let block = self.blocks.remove(index)?;
        self.bytes -= block.length;
        Some(block.start)
    }

    /// Takes in a block; the blocks that have to go for it, the oldest first, or itself.
    fn put(&mut self, block: Block) -> Vec<Block> {
        let mut gone = Vec::new();
        if block.length > MOST_KEPT {
            gone.push(block);
            return gone;
        }
        self.bytes += block.length;
        self.blocks.push_back(block);
        while self.bytes > MOST_KEPT
            && let Some(oldest) = self.blocks.pop_front()
        {
            self.bytes -= oldest.length;
            gone.push(oldest);
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pool is the process's, and tests run at once: each uses a size of its own.
    fn fill(start: NonNull<c_void>, bytes: usize, value: u8) {
        // SAFETY: the block holds so many bytes, and is this test's.
        unsafe { start.as_ptr().write_bytes(value, bytes) };
    }

    fn all_are(start: NonNull<c_void>, bytes: usize, value: u8) -> bool {
        // SAFETY: as above; all of them have been written, or are the system's zeros.
        let bytes = unsafe { std::slice::from_raw_parts(start.as_ptr().cast::<u8>(), bytes) };
        bytes.iter().all(|byte| *byte == value)
    }

    #[test]
    fn a_block_that_is_let_go_of_serves_the_next_buffer_of_its_size() {
        let bytes = LEAST_BYTES + 3 * GRAIN;
        let first = take(bytes, Content::Any).unwrap();
        fill(first, bytes, 7);
        // SAFETY: what was just taken.
        unsafe { give(first, bytes) };
        let second = take(bytes - 5, Content::Any).unwrap();
        assert_eq!(first, second);
        // SAFETY: what was just taken.
        unsafe { give(second, bytes - 5) };
    }

    #[test]
    fn a_buffer_that_wants_zeros_finds_none_of_what_was_there() {
        for bytes in [LEAST_BYTES + 5 * GRAIN, MOST_CLEARED + GRAIN] {
            for _ in 0..3 {
                let start = take(bytes, Content::Zeros).unwrap();
                assert!(all_are(start, bytes, 0));
                fill(start, bytes, 0xff);
                // SAFETY: what was just taken.
                unsafe { give(start, bytes) };
            }
        }
    }

    #[test]
    fn what_waits_is_bounded_and_the_oldest_goes_first() {
        let mut waiting = Waiting::default();
        let block = |number: usize, length| Block {
            // Never followed: only the list is tried here.
            start: NonNull::new((number * GRAIN) as *mut c_void).unwrap(),
            length,
        };
        assert_eq!(waiting.put(block(1, MOST_KEPT + GRAIN)).len(), 1);
        assert_eq!(waiting.bytes, 0);
        for number in 1..=MOST_HELD / GRAIN {
            assert!(waiting.put(block(number, GRAIN)).is_empty());
        }
        waiting.bytes = MOST_KEPT;
        let gone = waiting.put(block(9999, GRAIN));
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].start.as_ptr() as usize, GRAIN);
        assert_eq!(waiting.take(GRAIN).unwrap().as_ptr() as usize, 9999 * GRAIN);
        assert!(waiting.take(2 * GRAIN).is_none());
    }
}
