//! Memory of ArrayBuffers, and whether a worker has had large ones.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clone::large_buffers::ADOPTED_BYTES;

/// Whether there has been a buffer that is worth adopting (`clone/large_buffers.rs`) in a worker. Until there is, no message has to be searched for one.
#[derive(Default)]
pub(crate) struct LargeBuffers(AtomicBool);

impl LargeBuffers {
    /// Takes note of a buffer of this length.
    pub(crate) fn note(&self, length: usize) {
        if length >= ADOPTED_BYTES {
            // Relaxed: set and read on the worker's thread, or by V8 for it.
            self.0.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn have_been(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An allocator for one isolate. Stores that move to another keep it alive.
pub(crate) fn new(large: &Arc<LargeBuffers>) -> v8::UniqueRef<v8::Allocator> {
    // SAFETY: the functions of `VTABLE` take a handle of this type, and `drop` takes the count that `into_raw` gave away.
    unsafe { v8::new_rust_allocator(Arc::into_raw(Arc::clone(large)), &VTABLE) }
}

static VTABLE: v8::RustAllocatorVtable<LargeBuffers> = v8::RustAllocatorVtable {
    allocate,
    allocate_uninitialized,
    free,
    drop: drop_handle,
};

/// As aligned as `malloc` makes it. V8 asks for no bytes too, and wants a pointer for them.
fn layout(length: usize) -> Option<Layout> {
    Layout::from_size_align(length.max(1), 16).ok()
}

unsafe extern "C" fn allocate(large: &LargeBuffers, length: usize) -> *mut c_void {
    large.note(length);
    layout(length).map_or(std::ptr::null_mut(), |layout| {
        // SAFETY: the layout is of one byte at least.
        unsafe { alloc_zeroed(layout) }.cast()
    })
}

unsafe extern "C" fn allocate_uninitialized(large: &LargeBuffers, length: usize) -> *mut c_void {
    large.note(length);
    layout(length).map_or(std::ptr::null_mut(), |layout| {
        // SAFETY: the layout is of one byte at least.
        unsafe { alloc(layout) }.cast()
    })
}

unsafe extern "C" fn free(_large: &LargeBuffers, data: *mut c_void, length: usize) {
    if let Some(layout) = layout(length) {
        // SAFETY: V8 gives back what one of the functions above gave it, once and with the length that it asked for.
        unsafe { dealloc(data.cast(), layout) };
    }
}

unsafe extern "C" fn drop_handle(large: *const LargeBuffers) {
    // SAFETY: V8 calls this once, with the pointer that `new` made.
    drop(unsafe { Arc::from_raw(large) });
}
