//! Linear memory that wasmtime's guests and V8's scripts see at once.

use std::ffi::c_void;

use wasmtime::{Engine, MemoryTypeBuilder, SharedMemory};

/// A shared memory, by handle. Its bytes never move: the whole of its maximum is reserved at the start.
#[derive(Clone)]
pub(crate) struct GuestMemory(pub(crate) SharedMemory);

impl GuestMemory {
    /// Sizes are in pages of 64 KiB.
    pub(crate) fn new(engine: &Engine, initial: u32, maximum: u32) -> Result<Self, String> {
        let build = || {
            let kind = MemoryTypeBuilder::new()
                .min(u64::from(initial))
                .max(Some(u64::from(maximum)))
                .shared(true)
                .build()?;
            SharedMemory::new(engine, kind)
        };
        build()
            .map(Self)
            .map_err(|error| format!("no shared memory of {initial} to {maximum} pages: {error:#}"))
    }

    /// Whether a memory that an instance exports is this one.
    pub(crate) fn is_same(&self, memory: &SharedMemory) -> bool {
        self.0.data().as_ptr() == memory.data().as_ptr()
    }

    /// Grows by `pages` and returns the size before, in pages. Refused beyond the maximum.
    pub(crate) fn grow(&self, pages: u64) -> Option<u64> {
        self.0.grow(pages).ok()
    }

    /// The memory's bytes as they are now, as a SharedArrayBuffer. Buffers made before it grew stay valid and show their part.
    pub(crate) fn shared_buffer<'s>(
        &self,
        scope: &v8::PinScope<'s, '_>,
    ) -> v8::Local<'s, v8::SharedArrayBuffer> {
        unsafe extern "C" fn release(_data: *mut c_void, _length: usize, owner: *mut c_void) {
            // SAFETY: `owner` is the pointer that `Box::into_raw` gave below, and V8 calls this once.
            drop(unsafe { Box::from_raw(owner.cast::<SharedMemory>()) });
        }
        let bytes = self.0.data();
        let owner = Box::into_raw(Box::new(self.0.clone())).cast::<c_void>();
        // SAFETY: the memory is in `UnsafeCell`s and so may be written through this pointer; it neither moves nor shrinks while a handle to it
        // exists, and `release` gives the one that `owner` holds back when V8 is done.
        let store = unsafe {
            v8::SharedArrayBuffer::new_backing_store_from_ptr(
                bytes.as_ptr().cast_mut().cast(),
                bytes.len(),
                release,
                owner,
            )
        };
        v8::SharedArrayBuffer::with_backing_store(scope, &store.make_shared())
    }
}
