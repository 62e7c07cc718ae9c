//! Memory of ArrayBuffers, and whether a worker has had large ones.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use super::large_memory::{self, Content};
use crate::clone::large_buffers::ADOPTED_BYTES;

/// Whether there has been a buffer that is worth adopting (`clone/large_buffers.rs`) in a worker. Until there is, no message has to be searched for one.
#[derive(Default)]
pub(crate) struct LargeBuffers {
    have_been: AtomicBool,
    /// Memory of a copy, for the buffer of its length that is made next.
    prepared: AtomicPtr<c_void>,
    prepared_length: AtomicUsize,
}

impl LargeBuffers {
    /// Takes note of a buffer of this length.
    pub(crate) fn note(&self, length: usize) {
        if length >= ADOPTED_BYTES {
            // Relaxed: set and read on the worker's thread, or by V8 for it.
            self.have_been.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn have_been(&self) -> bool {
        self.have_been.load(Ordering::Relaxed)
    }

    /// A buffer with a copy of another's bytes. V8 makes its store, by way of `allocate`, and so counts it among those for which it looks for garbage; it
    /// does not look for the sake of a store that was made elsewhere. None if there is no memory for it.
    pub(crate) fn copy<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        buffer: v8::Local<'s, v8::ArrayBuffer>,
    ) -> Option<v8::Local<'s, v8::ArrayBuffer>> {
        let (copy, length) = copy_bytes(buffer)?;
        // Relaxed, all of them: set and read on the worker's thread.
        self.prepared_length.store(length, Ordering::Relaxed);
        self.prepared.store(copy.as_ptr(), Ordering::Relaxed);
        let made = v8::ArrayBuffer::new(scope, length);
        if let Some(unused) = self.take_prepared(length) {
            // SAFETY: what `copy_bytes` gave, which nobody took.
            unsafe { give_back(unused, length) };
            return None;
        }
        Some(made)
    }

    fn take_prepared(&self, length: usize) -> Option<*mut c_void> {
        let prepared = self.prepared.load(Ordering::Relaxed);
        if prepared.is_null() || self.prepared_length.load(Ordering::Relaxed) != length {
            return None;
        }
        self.prepared.store(std::ptr::null_mut(), Ordering::Relaxed);
        Some(prepared)
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

/// Memory for so many bytes, null if there is none.
fn obtain(length: usize, content: Content) -> *mut c_void {
    if length >= large_memory::LEAST_BYTES {
        return large_memory::take(length, content).map_or(std::ptr::null_mut(), NonNull::as_ptr);
    }
    let Some(layout) = layout(length) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the layout is of one byte at least.
    let start = unsafe {
        match content {
            Content::Zeros => alloc_zeroed(layout),
            Content::Any => alloc(layout),
        }
    };
    start.cast()
}

/// Gives back what `obtain` gave.
///
/// # Safety
/// `data` and `length` are those of a call of `obtain`, and nobody uses the memory any more.
unsafe fn give_back(data: *mut c_void, length: usize) {
    let Some(start) = NonNull::new(data) else {
        return;
    };
    if length >= large_memory::LEAST_BYTES {
        // SAFETY: the caller's word, and `obtain` had it from there.
        unsafe { large_memory::give(start, length) };
    } else if let Some(layout) = layout(length) {
        // SAFETY: the caller's word, and `obtain` asked for the same layout.
        unsafe { dealloc(data.cast(), layout) };
    }
}

unsafe extern "C" fn allocate(large: &LargeBuffers, length: usize) -> *mut c_void {
    large.note(length);
    large
        .take_prepared(length)
        .unwrap_or_else(|| obtain(length, Content::Zeros))
}

unsafe extern "C" fn allocate_uninitialized(large: &LargeBuffers, length: usize) -> *mut c_void {
    large.note(length);
    obtain(length, Content::Any)
}

unsafe extern "C" fn free(_large: &LargeBuffers, data: *mut c_void, length: usize) {
    // SAFETY: V8 gives back what one of the functions above gave it, once and with the length that it asked for.
    unsafe { give_back(data, length) };
}

/// A copy of a buffer's bytes, for `give_back`. None if there is no memory for it.
fn copy_bytes(buffer: v8::Local<v8::ArrayBuffer>) -> Option<(NonNull<c_void>, usize)> {
    let source = buffer.get_backing_store();
    let length = source.byte_length();
    let copy = NonNull::new(obtain(length, Content::Any))?;
    if let Some(data) = source.data() {
        // SAFETY: `data` is the start of `length` bytes that the store keeps, and the copy is of as many, which lie elsewhere. The buffer is not shared, so
        // that this thread alone reaches them, and it runs no script meanwhile.
        unsafe {
            let (from, to) = (data.as_ptr().cast::<u8>(), copy.as_ptr().cast::<u8>());
            std::ptr::copy_nonoverlapping(from, to, length);
        }
    }
    Some((copy, length))
}

/// A copy of a buffer's bytes in a store of its own, for another isolate. None if there is no memory for it.
pub(crate) fn copy_of(
    buffer: v8::Local<v8::ArrayBuffer>,
) -> Option<v8::UniqueRef<v8::BackingStore>> {
    let (copy, length) = copy_bytes(buffer)?;
    // SAFETY: the memory is `length` bytes long, all of them written, and the store's from here on.
    Some(unsafe {
        v8::ArrayBuffer::new_backing_store_from_ptr(
            copy.as_ptr(),
            length,
            free_copy,
            std::ptr::null_mut(),
        )
    })
}

unsafe extern "C" fn free_copy(data: *mut c_void, length: usize, _: *mut c_void) {
    // SAFETY: the store gives back what `copy_of` gave it, once.
    unsafe { give_back(data, length) };
}

unsafe extern "C" fn drop_handle(large: *const LargeBuffers) {
    // SAFETY: V8 calls this once, with the pointer that `new` made.
    drop(unsafe { Arc::from_raw(large) });
}
