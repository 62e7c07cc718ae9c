//! How much of its thread's stack a worker's code may use.
//!
//! Scripts stop at the limit that V8 checks (a RangeError), guests at wasmtime's (a trap). A guest that is called at the script's limit needs its own
//! part below that, and what either calls in the host needs some more: the thread's stack is longer than the script's part by [`RESERVE`].

use std::ffi::c_void;

/// What guests may use of the stack, from the outermost call into one.
pub(crate) const GUEST: usize = 512 << 10;

/// The part of a thread's stack below the script's.
pub(crate) const RESERVE: usize = GUEST + (1 << 20);

unsafe extern "C" {
    // `v8::Isolate::SetStackLimit(uintptr_t)`, which the crate does not bind; the name is that of the Itanium C++ ABI, where a method takes `this`
    // first. `CreateParams` has a stack limit too, but V8 15.2 overwrites it when it reads the start-up snapshot.
    #[link_name = "_ZN2v87Isolate13SetStackLimitEm"]
    fn set_stack_limit(isolate: *mut c_void, limit: usize);
}

/// From here on, scripts may use `size` bytes of this thread's stack, which must have [`RESERVE`] more than that.
pub(crate) fn limit(isolate: &mut v8::OwnedIsolate, size: usize) {
    let here = std::ptr::from_ref(&size).addr();
    // SAFETY: `UnsafeRawIsolatePtr` is a transparent wrapper of the isolate's pointer.
    let pointer: *mut c_void = unsafe { std::mem::transmute(isolate.as_raw_isolate_ptr()) };
    // SAFETY: the isolate lives and is entered on this thread; the limit is an address that V8 only compares with, and is not 0.
    unsafe { set_stack_limit(pointer, here.saturating_sub(size).max(1)) };
}
