//! Memory of buffers that are not large.
//!
//! V8 frees buffers on a thread of its own while the worker makes the next ones. The system's `malloc` has both wait for each other, mimalloc does not: a
//! buffer of 1 KiB takes little more than half the time. But mimalloc's first block costs a thread some 300 KB, so that workers which make few buffers do
//! without.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;

use libmimalloc_sys::{mi_free, mi_is_in_heap_region, mi_malloc, mi_zalloc};

use super::large_memory::Content;

/// Whose memory a new buffer gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    System,
    Mimalloc,
}

/// As aligned as `malloc` makes it. V8 asks for no bytes too, and wants a pointer for them.
fn layout(length: usize) -> Option<Layout> {
    Layout::from_size_align(length.max(1), 16).ok()
}

/// Memory for so many bytes. None if there is none.
pub(crate) fn take(length: usize, content: Content, source: Source) -> Option<NonNull<c_void>> {
    let layout = layout(length)?;
    // SAFETY: the layout is of one byte at least. Of mimalloc's blocks, those of 16 bytes and more are aligned to 16, as a buffer of one byte need not be.
    NonNull::new(unsafe {
        match (source, content) {
            (Source::System, Content::Zeros) => alloc_zeroed(layout).cast(),
            (Source::System, Content::Any) => alloc(layout).cast(),
            (Source::Mimalloc, Content::Zeros) => mi_zalloc(layout.size()),
            (Source::Mimalloc, Content::Any) => mi_malloc(layout.size()),
        }
    })
}

/// Gives back what `take` gave for a buffer of so many bytes, on any thread.
///
/// # Safety
/// `start` and `length` are those of a call of `take`, and nobody uses the memory any more.
pub(crate) unsafe fn give(start: NonNull<c_void>, length: usize) {
    // SAFETY: the caller's word. What is not mimalloc's is the system's, which was asked for the same layout.
    unsafe {
        if mi_is_in_heap_region(start.as_ptr()) {
            mi_free(start.as_ptr());
        } else if let Some(layout) = layout(length) {
            dealloc(start.as_ptr().cast(), layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_both_sources_are_clear_if_asked_and_go_back_on_another_thread() {
        for round in 0..64_usize {
            for length in [0, 1, 15, 16, 1000, 4096, 100_000] {
                let blocks = [Source::System, Source::Mimalloc].map(|source| {
                    let start = take(length, Content::Zeros, source).expect("there is memory");
                    assert!(length < 16 || start.as_ptr().addr().is_multiple_of(16));
                    // SAFETY: the block is `length` bytes long, and this test's alone.
                    unsafe {
                        let bytes =
                            std::slice::from_raw_parts_mut(start.as_ptr().cast::<u8>(), length);
                        assert!(
                            bytes.iter().all(|byte| *byte == 0),
                            "{length}, round {round}"
                        );
                        bytes.fill(0xAA);
                    }
                    start.as_ptr().addr()
                });
                std::thread::spawn(move || {
                    for start in blocks {
                        let start = NonNull::new(std::ptr::with_exposed_provenance_mut(start));
                        // SAFETY: what was taken above, once.
                        unsafe { give(start.expect("no null"), length) };
                    }
                })
                .join()
                .expect("no panic");
            }
        }
    }
}
