//! What happens when a worker's scripts fill V8's heap: the worker ends, and no other.

use std::ffi::c_void;
use std::sync::Arc;

use super::control::Control;

/// What is granted beyond the limit, so that the script can be stopped and the worker taken down. V8 ends the process when this is used up as well.
const GRACE: usize = 64 << 20;

/// Ends the worker when its heap comes near its limit.
pub(crate) fn watch(isolate: &mut v8::OwnedIsolate, control: &Arc<Control>) {
    // The thread that runs the worker holds the control block until after the isolate is gone.
    let control = std::ptr::from_ref(control).cast_mut().cast::<c_void>();
    isolate.add_near_heap_limit_callback(near_limit, control);
}

unsafe extern "C" fn near_limit(control: *mut c_void, current: usize, _initial: usize) -> usize {
    // SAFETY: `watch` gave this pointer, and the thread holds the control block for as long as the isolate lives, which calls this.
    let control = unsafe { &*control.cast::<Arc<Control>>() };
    control.end_for_heap();
    current.saturating_add(GRACE)
}
