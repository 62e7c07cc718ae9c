//! What happens when a worker's scripts fill V8's heap: the worker ends, and no other.

use std::ffi::c_void;
use std::sync::Arc;

use super::control::Control;

/// What is granted beyond the limit, so that the script can be stopped and the worker taken down. V8 ends the process when this is used up as well.
const GRACE: usize = 64 << 20;

/// What the callback needs. Has to outlive the isolate.
pub(crate) struct Watched {
    control: Arc<Control>,
    isolate: v8::UnsafeRawIsolatePtr,
}

impl Watched {
    pub(crate) fn new(isolate: &mut v8::OwnedIsolate, control: &Arc<Control>) -> Box<Self> {
        Box::new(Self {
            control: Arc::clone(control),
            // SAFETY: the pointer is used by the callback alone, which the isolate itself calls, so while it lives.
            isolate: unsafe { isolate.as_raw_isolate_ptr() },
        })
    }

    /// From here on the worker ends when its heap comes near its limit.
    pub(crate) fn watch(&self, isolate: &mut v8::OwnedIsolate) {
        let watched = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
        isolate.add_near_heap_limit_callback(near_limit, watched);
    }
}

unsafe extern "C" fn near_limit(watched: *mut c_void, current: usize, _initial: usize) -> usize {
    // SAFETY: `watch` gave this pointer, and the thread keeps what it points to until after the isolate, which calls this, is gone.
    let watched = unsafe { &*watched.cast::<Watched>() };
    // SAFETY: the isolate calls this, on its own thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(watched.isolate) };
    // V8 also asks when memory of another kind is short, such as that of an ArrayBuffer, which the script is then refused by a RangeError.
    if isolate.get_heap_statistics().used_heap_size() < current / 2 {
        return current;
    }
    watched.control.end_for_heap();
    current.saturating_add(GRACE)
}
