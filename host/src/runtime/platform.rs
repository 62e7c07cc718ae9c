//! V8's platform: started once per process, with background threads of its own. Foreground tasks go to the inbox of the worker whose isolate they
//! are for, which wakes it.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Once, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::lane::inbox::{Event, Inbox};

/// Isolates by address, and the inboxes of their workers.
static INBOXES: LazyLock<RwLock<HashMap<usize, Arc<Inbox>>>> = LazyLock::new(RwLock::default);

/// Starts V8, the first time it is called.
pub(crate) fn initialize(background_threads: u32) {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // Unprotected: workers' isolates are made on threads that do not descend from this one, which memory protection keys would forbid.
        let platform =
            v8::new_custom_platform(background_threads, false, true, ForegroundTasks).make_shared();
        v8::V8::initialize_platform(platform);
        v8::V8::initialize();
    });
}

/// Tasks for the isolate go to this inbox from now on.
pub(crate) fn register(isolate: *mut c_void, inbox: &Arc<Inbox>) {
    INBOXES
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(isolate as usize, Arc::clone(inbox));
}

/// The isolate is gone. Its address may be another's already, whose inbox then stays.
pub(crate) fn unregister(isolate: *mut c_void, inbox: &Arc<Inbox>) {
    let mut inboxes = INBOXES.write().unwrap_or_else(PoisonError::into_inner);
    if inboxes
        .get(&(isolate as usize))
        .is_some_and(|registered| Arc::ptr_eq(registered, inbox))
    {
        inboxes.remove(&(isolate as usize));
    }
}

struct ForegroundTasks;

impl ForegroundTasks {
    /// A task for an isolate that nobody registered is dropped: it is being made or taken down, and V8 posts only hints then.
    fn post(isolate: *mut c_void, event: Event) {
        let inbox = INBOXES
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&(isolate as usize))
            .cloned();
        if let Some(inbox) = inbox {
            inbox.post(event);
        }
    }

    fn post_after(isolate: *mut c_void, task: v8::Task, seconds: f64) {
        let delay = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Self::post(isolate, Event::DelayedTask(task, Instant::now() + delay));
    }
}

impl v8::PlatformImpl for ForegroundTasks {
    fn post_task(&self, isolate: *mut c_void, task: v8::Task) {
        Self::post(isolate, Event::Task(task));
    }

    fn post_non_nestable_task(&self, isolate: *mut c_void, task: v8::Task) {
        Self::post(isolate, Event::Task(task));
    }

    fn post_delayed_task(&self, isolate: *mut c_void, task: v8::Task, delay_in_seconds: f64) {
        Self::post_after(isolate, task, delay_in_seconds);
    }

    fn post_non_nestable_delayed_task(
        &self,
        isolate: *mut c_void,
        task: v8::Task,
        delay_in_seconds: f64,
    ) {
        Self::post_after(isolate, task, delay_in_seconds);
    }

    fn post_idle_task(&self, _isolate: *mut c_void, task: v8::IdleTask) {
        // Not offered to V8 (see `initialize`), and a hint in any case.
        drop(task);
    }
}
