//! What the ops of one worker share. Lives in a data slot of the isolate, and is reached by its thread alone.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use slab::Slab;

use super::child::Child;
use super::clock::{Clock, MessageClock};
use super::control::Control;
use super::options::WorkerKind;
use super::outcome::UncaughtError;
use super::spare::Sizes;
use crate::clone::parcel::{Parcel, Shared};
use crate::clone::passing::Passing;
use crate::clone::shapes::Shapes;
use crate::lane::endpoint::Endpoint;
use crate::lane::inbox::Inbox;
use crate::lane::quota::Quota;
use crate::modules::deferred::GlueModules;
use crate::modules::map::ModuleMap;
use crate::ops::output::Output;
use crate::ops::reply::Job;
use crate::permissions::Permissions;
use crate::runtime::RuntimeShared;
use crate::runtime::allocator::Buffers;

/// Of the isolate's slots for data of the embedder's.
const DATA_SLOT: u32 = 0;

/// The functions that the glue handed the host (`js-glue/src/main.js`).
pub(crate) struct Entry {
    object: v8::Global<v8::Object>,
    /// Those that were called before. To ask V8 for one costs more than many of them take; and so few are found soonest one after another.
    known: RefCell<Vec<(&'static str, v8::Global<v8::Function>)>>,
}

impl Entry {
    pub(crate) fn new(scope: &mut v8::PinScope, object: v8::Local<v8::Object>) -> Self {
        Self {
            object: v8::Global::new(scope, object),
            known: RefCell::default(),
        }
    }

    /// Calls one of them. None: it threw, or execution is being terminated.
    pub(crate) fn call<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        name: &'static str,
        arguments: &[v8::Local<'s, v8::Value>],
    ) -> Option<v8::Local<'s, v8::Value>> {
        let function = match self.known(scope, name) {
            Some(function) => function,
            None => self.find(scope, name)?,
        };
        let undefined = v8::undefined(scope).into();
        function.call(scope, undefined, arguments)
    }

    fn known<'s>(
        &self,
        scope: &v8::PinScope<'s, '_>,
        name: &'static str,
    ) -> Option<v8::Local<'s, v8::Function>> {
        let known = self.known.borrow();
        let (_, function) = known.iter().find(|(known, _)| *known == name)?;
        Some(v8::Local::new(scope, function))
    }

    fn find<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        name: &'static str,
    ) -> Option<v8::Local<'s, v8::Function>> {
        let entry = v8::Local::new(scope, &self.object);
        let kind = v8::NewStringType::Internalized;
        let key = v8::String::new_from_one_byte(scope, name.as_bytes(), kind)?;
        let function = entry.get(scope, key.into())?;
        let function = function.try_cast::<v8::Function>().ok()?;
        let kept = v8::Global::new(scope, function);
        self.known.borrow_mut().push((name, kept));
        Some(function)
    }
}

/// Where a worker's uncaught errors and end are told, besides its outcome.
pub(crate) struct Parent {
    pub(crate) inbox: Arc<Inbox>,
    /// The worker's place in its parent's table.
    pub(crate) id: u32,
    /// A web `Worker` goes on after an uncaught error; Node's ends.
    pub(crate) survives_errors: bool,
}

pub(crate) struct WorkerState {
    pub(crate) runtime: Arc<RuntimeShared>,
    pub(crate) control: Arc<Control>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) parent: Option<Parent>,
    pub(crate) permissions: Permissions,
    pub(crate) output: Output,
    pub(crate) clock: Clock,
    pub(crate) message_clock: OnceCell<MessageClock>,
    /// The clock's origin, as the system's time of day.
    pub(crate) started_at: SystemTime,
    pub(crate) thread_id: u32,
    pub(crate) buffers: Arc<Buffers>,
    pub(crate) passing: Passing,
    pub(crate) kind: WorkerKind,
    /// Workers that this one makes have the same.
    pub(crate) sizes: Sizes,
    /// What waits for this worker counts against it.
    pub(crate) quota: Option<Arc<Quota>>,

    pub(crate) entry: OnceCell<Entry>,
    /// `Object.prototype`, once a value was serialised.
    pub(crate) plain_prototype: OnceCell<v8::Global<v8::Value>>,
    pub(crate) shapes: Shapes,
    pub(crate) modules: ModuleMap,
    pub(crate) glue_modules: GlueModules,
    pub(crate) ports: RefCell<Slab<Endpoint>>,
    /// Parcels that the script side holds by number: written and not yet sent.
    pub(crate) parcels: RefCell<Slab<Parcel>>,
    /// Parcels being written, innermost last; and the attachments of those being read.
    pub(crate) writing: RefCell<Vec<Rc<RefCell<Parcel>>>>,
    pub(crate) reading: RefCell<Vec<Vec<Shared>>>,
    pub(crate) resources: RefCell<Slab<Box<dyn Any>>>,
    pub(crate) children: RefCell<Slab<Child>>,
    pub(crate) pending_ops: RefCell<Slab<v8::Global<v8::PromiseResolver>>>,
    /// Work for the thread pool that waits for its turn, and how much of this worker's is there.
    pub(crate) blocking_jobs: RefCell<VecDeque<Job>>,
    pub(crate) running_jobs: Cell<usize>,
    /// `import()`s whose modules are loaded, and not yet evaluated to their end. They do not keep the loop alive.
    pub(crate) pending_imports: RefCell<Slab<PendingImport>>,

    /// The glue has callbacks of `process.nextTick` to run.
    pub(crate) ticks: Cell<bool>,
    /// The glue has messages of channels within this thread to deliver.
    pub(crate) local_work: Cell<bool>,
    /// When the next timer is due, in milliseconds since the time origin.
    pub(crate) next_timer: Cell<Option<f64>>,
    /// Timers, ports and the like that keep the loop alive.
    pub(crate) timer_references: Cell<u32>,
    pub(crate) references: Cell<i64>,
    /// Rejections without a handler since the last look (HTML §8.1.4.7).
    pub(crate) rejections: RefCell<Vec<Rejection>>,
    /// Set by the first error that ends the worker.
    pub(crate) uncaught: RefCell<Option<UncaughtError>>,
    /// Set by `process.exit()` and `close()`.
    pub(crate) exit: Cell<Option<ExitRequest>>,
}

unsafe extern "C" fn note_collection(
    isolate: v8::UnsafeRawIsolatePtr,
    kind: v8::GCType,
    _: v8::GCCallbackFlags,
    state: *mut c_void,
) {
    // SAFETY: `enter` registered this with the state, and `leave` takes it back before it lets go of the state.
    let state = unsafe { &*state.cast::<WorkerState>().cast_const() };
    state.shapes.note_collection();
    if kind == v8::GCType::kGCTypeMarkSweepCompact {
        // SAFETY: V8 calls with the isolate that it is collecting, on its thread.
        let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
        state.passing.note_collection(&mut isolate);
    }
}

/// The promise of an `import()`, and the module that it is for.
pub(crate) struct PendingImport {
    pub(crate) resolver: v8::Global<v8::PromiseResolver>,
    pub(crate) module: v8::Global<v8::Module>,
}

/// A change of a promise's handling that the loop has to look at.
pub(crate) enum Rejection {
    Unhandled(v8::Global<v8::Promise>, v8::Global<v8::Value>),
    HandledLate(v8::Global<v8::Promise>),
}

/// The script asked to end.
#[derive(Clone, Copy)]
pub(crate) enum ExitRequest {
    /// `process.exit()`
    Exit(i32),
    /// `close()`
    Close,
}

impl WorkerState {
    /// The state of the worker whose isolate this is. None only while the start-up snapshot is made.
    pub(crate) fn of(isolate: &v8::Isolate) -> Option<Rc<Self>> {
        let state = isolate.get_data(DATA_SLOT).cast::<Self>().cast_const();
        if state.is_null() {
            return None;
        }
        // SAFETY: the pointer is what `Rc::into_raw` gave in `enter`, whose count `leave` has not taken back yet.
        Some(unsafe {
            Rc::increment_strong_count(state);
            Rc::from_raw(state)
        })
    }

    /// Makes this the state of an isolate that has none. (In a data slot of the isolate's, not in one of those that the `v8` crate keeps by type:
    /// looking one of them up is a good part of what a short op costs.)
    pub(crate) fn enter(self: &Rc<Self>, isolate: &mut v8::Isolate) {
        let state = Rc::into_raw(Rc::clone(self)).cast_mut();
        isolate.set_data(DATA_SLOT, state.cast());
        isolate.add_gc_prologue_callback(note_collection, state.cast(), v8::GCType::kGCTypeAll);
    }

    /// Takes the state out of its isolate.
    pub(crate) fn leave(isolate: &mut v8::Isolate) {
        let state = isolate.get_data(DATA_SLOT).cast::<Self>().cast_const();
        isolate.set_data(DATA_SLOT, std::ptr::null_mut());
        if !state.is_null() {
            isolate.remove_gc_prologue_callback(note_collection, state.cast_mut().cast());
            // SAFETY: the pointer is what `Rc::into_raw` gave in `enter`, and is not in the slot any more.
            drop(unsafe { Rc::from_raw(state) });
        }
    }

    /// Whether scripts must not run any more. V8 forgets that it was told to end a script as soon as none is left on the stack, so whoever is about to
    /// start one asks here first. A worker that is ended later than the answer is ended by V8: the flag is set before V8 is told.
    pub(crate) fn is_stopped(&self) -> bool {
        self.control.is_terminated()
            || matches!(self.exit.get(), Some(ExitRequest::Exit(_)))
            || self.uncaught.borrow().is_some()
    }

    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.entry.get()
    }

    /// Makes an endpoint this worker's and returns the number that the glue knows it by.
    pub(crate) fn add_port(&self, endpoint: Endpoint) -> u32 {
        let mut ports = self.ports.borrow_mut();
        let slot = ports.vacant_entry();
        // More than 2^32 ports do not fit memory.
        let key = u32::try_from(slot.key()).unwrap_or(u32::MAX);
        endpoint.settle(&self.inbox, key, self.quota.as_ref());
        slot.insert(endpoint);
        key
    }

    /// Takes an endpoint out of this worker.
    pub(crate) fn remove_port(&self, key: u32) -> Option<Endpoint> {
        let endpoint = self.ports.borrow_mut().try_remove(key as usize)?;
        endpoint.unsettle();
        Some(endpoint)
    }

    /// Sees to spare workers for those who start after this one. A program's main worker may be its only one.
    pub(crate) fn refill_spares(&self) {
        if self.kind != WorkerKind::Main {
            self.runtime.spares.refill(&self.runtime.engine, self.sizes);
        }
    }

    pub(crate) fn milliseconds(&self) -> f64 {
        self.clock.now().as_secs_f64() * 1e3
    }
}
