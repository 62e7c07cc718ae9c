//! An isolate with its context and the glue, before it is known whose it will be.

use std::ffi::c_void;
use std::sync::Arc;

use super::control::Control;
use super::event_loop;
use super::heap;
use crate::lane::inbox::Inbox;
use crate::modules;
use crate::runtime::allocator::Buffers;
use crate::runtime::{platform, snapshot};

/// Made on the thread that will run it. The fields are dropped in their order.
pub(super) struct Warm {
    pub(super) context: v8::Global<v8::Context>,
    pub(super) isolate: v8::OwnedIsolate,
    pub(super) buffers: Arc<Buffers>,
    _watched: Box<heap::Watched>,
    _registered: Registered,
}

impl Warm {
    pub(super) fn new(control: &Arc<Control>, heap_size: Option<usize>) -> Self {
        let buffers = Arc::default();
        let params = snapshot::create_params(heap_size, &buffers);
        let mut isolate = v8::Isolate::new(params);
        let watched = heap::Watched::new(&mut isolate, control);
        watched.watch(&mut isolate);
        isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
        isolate.set_capture_stack_trace_for_uncaught_exceptions(true, 10);
        isolate.set_promise_reject_callback(event_loop::note_rejection);
        modules::install(&mut isolate);
        let registered = Registered::new(&mut isolate, &control.inbox);
        let context = {
            v8::scope!(let scope, &mut isolate);
            let context = v8::Context::new(scope, Default::default());
            v8::Global::new(scope, context)
        };
        Self {
            context,
            isolate,
            buffers,
            _watched: watched,
            _registered: registered,
        }
    }
}

/// V8's foreground tasks for an isolate find their way to its inbox while this lives, which is until after the isolate.
struct Registered {
    isolate: *mut c_void,
    inbox: Arc<Inbox>,
}

impl Registered {
    fn new(isolate: &mut v8::OwnedIsolate, inbox: &Arc<Inbox>) -> Self {
        // SAFETY: `UnsafeRawIsolatePtr` is a transparent wrapper of the pointer that the platform is called with; it is used as a key, never followed.
        let isolate: *mut c_void = unsafe { std::mem::transmute(isolate.as_raw_isolate_ptr()) };
        platform::register(isolate, inbox);
        Self {
            isolate,
            inbox: Arc::clone(inbox),
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        platform::unregister(self.isolate, &self.inbox);
        self.inbox.clear();
    }
}
