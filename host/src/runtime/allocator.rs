//! Memory of ArrayBuffers: which allocator a buffer's is from, and what is known of a worker's buffers.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use super::large_memory::{self, Content};
use super::small_memory::{self, Source};
use crate::clone::large_buffers::ADOPTED_BYTES;

/// A worker that has made so many buffers will make more.
const FEW_BUFFERS: u32 = 256;

/// What is known of a worker's buffers.
#[derive(Default)]
pub(crate) struct Buffers {
    /// There has been one that is worth adopting (`clone/large_buffers.rs`). Until there is, no message has to be searched for one.
    large: AtomicBool,
    /// How many were made, up to `FEW_BUFFERS`.
    made: AtomicU32,
    /// Memory of a copy, for the buffer of its length that is made next.
    prepared: AtomicPtr<c_void>,
    prepared_length: AtomicUsize,
}

impl Buffers {
    /// Takes note of a buffer of this length.
    pub(crate) fn note(&self, length: usize) {
        if length >= ADOPTED_BYTES {
            // Relaxed: set and read on the worker's thread, or by V8 for it.
            self.large.store(true, Ordering::Relaxed);
        }
    }

    /// Whether there has been one that is worth adopting.
    pub(crate) fn have_been_large(&self) -> bool {
        self.large.load(Ordering::Relaxed)
    }

    /// Memory for so many bytes. None if there is none.
    fn obtain(&self, length: usize, content: Content) -> Option<NonNull<c_void>> {
        if length >= large_memory::LEAST_BYTES {
            return large_memory::take(length, content);
        }
        // Relaxed: a count of the worker's thread's own.
        let made = self.made.load(Ordering::Relaxed);
        let source = if made >= FEW_BUFFERS {
            Source::Mimalloc
        } else {
            self.made.store(made + 1, Ordering::Relaxed);
            Source::System
        };
        small_memory::take(length, content, source)
    }

    /// A buffer with a copy of another's bytes. V8 makes its store, by way of `allocate`, and so counts it among those for which it looks for garbage; it
    /// does not look for the sake of a store that was made elsewhere. None if there is no memory for it, and of a resizable buffer.
    pub(crate) fn copy<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        buffer: v8::Local<'s, v8::ArrayBuffer>,
    ) -> Option<v8::Local<'s, v8::ArrayBuffer>> {
        // Asked for once: each handle to a store is two steps of a counter that another thread may use.
        let source = buffer.get_backing_store();
        if source.is_resizable_by_user_javascript() {
            return None;
        }
        let (copy, length) = self.copy_bytes(&source)?;
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

    /// The same in a store of its own, for another isolate.
    pub(crate) fn copy_store(
        &self,
        buffer: v8::Local<v8::ArrayBuffer>,
    ) -> Option<v8::UniqueRef<v8::BackingStore>> {
        let (copy, length) = self.copy_bytes(&buffer.get_backing_store())?;
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

    /// A copy of the bytes of an unshared buffer of this thread's isolate, for `give_back`. None if there is no memory for it.
    fn copy_bytes(&self, source: &v8::BackingStore) -> Option<(NonNull<c_void>, usize)> {
        let length = source.byte_length();
        let copy = self.obtain(length, Content::Any)?;
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
pub(crate) fn new(buffers: &Arc<Buffers>) -> v8::UniqueRef<v8::Allocator> {
    // SAFETY: the functions of `VTABLE` take a handle of this type, and `drop` takes the count that `into_raw` gave away.
    unsafe { v8::new_rust_allocator(Arc::into_raw(Arc::clone(buffers)), &VTABLE) }
}

static VTABLE: v8::RustAllocatorVtable<Buffers> = v8::RustAllocatorVtable {
    allocate,
    allocate_uninitialized,
    free,
    drop: drop_handle,
};

unsafe extern "C" fn allocate(buffers: &Buffers, length: usize) -> *mut c_void {
    buffers.note(length);
    buffers
        .take_prepared(length)
        .unwrap_or_else(|| or_null(buffers.obtain(length, Content::Zeros)))
}

unsafe extern "C" fn allocate_uninitialized(buffers: &Buffers, length: usize) -> *mut c_void {
    buffers.note(length);
    or_null(buffers.obtain(length, Content::Any))
}

fn or_null(memory: Option<NonNull<c_void>>) -> *mut c_void {
    memory.map_or(std::ptr::null_mut(), NonNull::as_ptr)
}

unsafe extern "C" fn free(_buffers: &Buffers, data: *mut c_void, length: usize) {
    // SAFETY: V8 gives back what one of the functions above gave it, once and with the length that it asked for.
    unsafe { give_back(data, length) };
}

/// Gives back what `obtain` gave.
///
/// # Safety
/// `data` and `length` are those of a call of `obtain`, and nobody uses the memory any more.
unsafe fn give_back(data: *mut c_void, length: usize) {
    let Some(start) = NonNull::new(data) else {
        return;
    };
    // SAFETY: the caller's word, and `obtain` had it from there.
    unsafe {
        if length >= large_memory::LEAST_BYTES {
            large_memory::give(start, length);
        } else {
            small_memory::give(start, length);
        }
    }
}

unsafe extern "C" fn free_copy(data: *mut c_void, length: usize, _: *mut c_void) {
    // SAFETY: the store gives back what `copy_store` gave it, once.
    unsafe { give_back(data, length) };
}

unsafe extern "C" fn drop_handle(buffers: *const Buffers) {
    // SAFETY: V8 calls this once, with the pointer that `new` made.
    drop(unsafe { Arc::from_raw(buffers) });
}
