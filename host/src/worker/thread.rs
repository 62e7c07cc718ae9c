//! What a worker's thread runs, from its first line to its last.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::SystemTime;

use super::child::{ChildEvent, ChildNews};
use super::clock::Clock;
use super::control::Control;
use super::errors;
use super::event_loop;
use super::heap;
use super::options::{Start, WorkerKind};
use super::outcome::{Outcome, UncaughtError};
use super::stack;
use super::state::{Entry, Parent, WorkerState};
use crate::clone::deserialize;
use crate::clone::passing::Passing;
use crate::error::SpawnError;
use crate::lane::endpoint::Endpoint;
use crate::lane::inbox::{Event, Inbox};
use crate::lane::quota::Quota;
use crate::lane::spin::Awake;
use crate::modules;
use crate::runtime::{RuntimeShared, platform, snapshot};

/// A worker's control block, its thread number, and the thread.
pub(crate) type Spawned = (Arc<Control>, u32, JoinHandle<Outcome>);

/// Starts a worker. `port` is its side of the channel to whoever made it.
pub(crate) fn spawn(
    runtime: &Arc<RuntimeShared>,
    start: Start,
    port: Option<Endpoint>,
    parent: Option<Parent>,
) -> Result<Spawned, SpawnError> {
    let thread_id = runtime.next_thread_id();
    let control = Control::new(Inbox::new(), runtime.engine.clone());
    if let (Some(port), Some(quota)) = (&port, &start.quota) {
        // What the worker sends up counts against an account of its own, so that it cannot use up that of the one above, which others send to as well.
        port.outgoing().pin_quota(Quota::new(quota.limit()));
        // Its maker may send before the worker runs.
        port.incoming().set_quota(Some(Arc::clone(quota)));
    }
    let name = if start.options.name.is_empty() {
        format!("isolane-{thread_id}")
    } else {
        start.options.name.clone()
    };
    let (runtime, for_thread) = (Arc::clone(runtime), Arc::clone(&control));
    let stack_size = start.options.stack_size;
    let thread = std::thread::Builder::new()
        // The system keeps 15 bytes of it, and takes no NUL.
        .name(name.replace('\0', " "))
        .stack_size(stack_size + stack::RESERVE)
        .spawn(move || {
            let told = parent
                .as_ref()
                .map(|parent| (Arc::clone(&parent.inbox), parent.id));
            let worker = || run(runtime, &for_thread, thread_id, start, port, parent);
            // A fault of this library's own is told as the worker's end; the hook has told more of it.
            let outcome = catch_unwind(AssertUnwindSafe(worker))
                .unwrap_or_else(|_| threw("the worker's thread panicked".to_owned()));
            if let Some((inbox, id)) = told {
                inbox.post(Event::Child(ChildEvent {
                    id,
                    kind: ChildNews::Exit(outcome.clone()),
                }));
            }
            outcome
        })
        .map_err(|source| SpawnError::Thread { name, source })?;
    Ok((control, thread_id, thread))
}

fn run(
    runtime: Arc<RuntimeShared>,
    control: &Arc<Control>,
    thread_id: u32,
    start: Start,
    port: Option<Endpoint>,
    parent: Option<Parent>,
) -> Outcome {
    let inbox = Arc::clone(&control.inbox);
    inbox.claim();
    let _awake = Awake::new();
    let large_buffers = Arc::default();
    let params = snapshot::create_params(start.options.heap_size, &large_buffers);
    let mut isolate = v8::Isolate::new(params);
    stack::limit(&mut isolate, start.options.stack_size);
    let watched = heap::Watched::new(&mut isolate, control);
    watched.watch(&mut isolate);
    isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
    isolate.set_capture_stack_trace_for_uncaught_exceptions(true, 10);
    isolate.set_promise_reject_callback(event_loop::note_rejection);
    modules::install(&mut isolate);
    // SAFETY: `UnsafeRawIsolatePtr` is a transparent wrapper of the pointer that the platform is called with; it is used as a key, never followed.
    let address: *mut c_void = unsafe { std::mem::transmute(isolate.as_raw_isolate_ptr()) };
    platform::register(address, &inbox);
    let state = Rc::new(WorkerState {
        runtime,
        control: Arc::clone(control),
        inbox: Arc::clone(&inbox),
        parent,
        permissions: start.options.permissions.clone(),
        output: start.options.output.clone(),
        clock: Clock::start(),
        message_clock: Default::default(),
        started_at: SystemTime::now(),
        thread_id,
        large_buffers,
        passing: Passing::default(),
        stack_size: start.options.stack_size,
        heap_size: start.options.heap_size,
        quota: start.quota.clone(),
        entry: Default::default(),
        plain_prototype: Default::default(),
        shapes: Default::default(),
        modules: Default::default(),
        ports: Default::default(),
        parcels: Default::default(),
        writing: Default::default(),
        reading: Default::default(),
        resources: Default::default(),
        children: Default::default(),
        pending_ops: Default::default(),
        blocking_jobs: Default::default(),
        running_jobs: Default::default(),
        pending_imports: Default::default(),
        ticks: Default::default(),
        local_work: Default::default(),
        next_timer: Default::default(),
        timer_references: Default::default(),
        references: Default::default(),
        rejections: Default::default(),
        uncaught: Default::default(),
        exit: Default::default(),
    });
    state.enter(&mut isolate);
    isolate.set_slot(start.environment.clone());
    control.set_isolate(Some(isolate.thread_safe_handle()));
    let outcome = {
        v8::scope!(let scope, &mut isolate);
        let context = v8::Context::new(scope, Default::default());
        let scope = &mut v8::ContextScope::new(scope, context);
        run_script(scope, &state, start, port)
    };
    control.set_isolate(None);
    take_down(&state, &mut isolate);
    // The last of the state, with its handle of the glue.
    drop(state);
    drop(isolate);
    drop(watched);
    platform::unregister(address, &inbox);
    inbox.clear();
    outcome
}

/// Frees what refers to the isolate or to other threads, in an order that lets nobody see a half-dead worker.
fn take_down(state: &Rc<WorkerState>, isolate: &mut v8::OwnedIsolate) {
    // Children first: each drop ends the worker and waits for it.
    drop(std::mem::take(&mut *state.children.borrow_mut()));
    // Other sides of the ports read what was sent and then a close.
    drop(std::mem::take(&mut *state.ports.borrow_mut()));
    drop(std::mem::take(&mut *state.parcels.borrow_mut()));
    drop(std::mem::take(&mut *state.resources.borrow_mut()));
    drop(std::mem::take(&mut *state.pending_ops.borrow_mut()));
    drop(std::mem::take(&mut *state.pending_imports.borrow_mut()));
    drop(std::mem::take(&mut *state.rejections.borrow_mut()));
    state.modules.clear(isolate);
    WorkerState::leave(isolate);
}

fn run_script(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    start: Start,
    port: Option<Endpoint>,
) -> Outcome {
    let url = match start.options.first_url() {
        Ok(url) => url,
        Err(error) => return threw(error.to_string()),
    };
    let Ok(entry) = scope.get_context_data_from_snapshot_once::<v8::Object>(snapshot::ENTRY_INDEX)
    else {
        return threw("the start-up snapshot has no glue".to_owned());
    };
    if state.entry.set(Entry::new(scope, entry)).is_err()
        || prepare(scope, state, &url, &start, port).is_none()
    {
        return event_loop::end(scope, state)
            .unwrap_or_else(|| threw("the worker's globals could not be made".to_owned()));
    }
    if let Some(data) = start.data
        && deliver_data(scope, state, data).is_none()
    {
        return event_loop::end(scope, state)
            .unwrap_or_else(|| threw("the worker's data could not be read".to_owned()));
    }
    if let Some(parent) = &state.parent {
        parent.inbox.post(Event::Child(ChildEvent {
            id: parent.id,
            kind: ChildNews::Online,
        }));
    }
    let outcome = event_loop::run(scope, state, &url, &start.options.script);
    let code = match outcome {
        Outcome::Finished { code } => code,
        Outcome::Threw(_) => 1,
        outcome => return outcome,
    };
    // What led here is past; a listener may ask anew.
    state.exit.take();
    let code = emit_exit(scope, state, code);
    // A listener may have thrown, or asked for another end. The first error of all is the one that is told.
    match (outcome, event_loop::end(scope, state)) {
        (Outcome::Threw(error), Some(Outcome::Threw(_)) | None) => Outcome::Threw(error),
        (_, Some(other)) => other,
        (_, None) => Outcome::Finished { code },
    }
}

fn threw(message: String) -> Outcome {
    Outcome::Threw(UncaughtError::of_host(message))
}

/// Gives the glue what differs from worker to worker.
fn prepare(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    url: &::url::Url,
    start: &Start,
    port: Option<Endpoint>,
) -> Option<()> {
    // A program's main worker has no channel: a handle's posts are refused.
    let port = port.filter(|_| start.options.kind != WorkerKind::Main);
    let config = v8::Object::new(scope);
    let executable = std::env::current_exe()
        .map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default();
    let script = url.to_file_path().map_or_else(
        |()| url.to_string(),
        |path| path.to_string_lossy().into_owned(),
    );
    let mut arguments = vec![executable, script];
    arguments.extend(start.options.arguments.iter().cloned());
    for (key, value) in [
        ("kind", start.options.kind.as_str()),
        ("name", &start.options.name),
        ("url", url.as_str()),
    ] {
        let key = v8::String::new(scope, key)?;
        let value = v8::String::new(scope, value)?;
        config.create_data_property(scope, key.into(), value.into())?;
    }
    let values = arguments
        .iter()
        .map(|argument| Some(v8::String::new(scope, argument)?.into()))
        .collect::<Option<Vec<v8::Local<v8::Value>>>>()?;
    let array = v8::Array::new_with_elements(scope, &values);
    let key = v8::String::new(scope, "argv")?;
    config.create_data_property(scope, key.into(), array.into())?;
    let numbers = [
        ("threadId", Some(state.thread_id)),
        ("port", port.map(|endpoint| state.add_port(endpoint))),
    ]
    .map(|(key, number)| (key, number.map(f64::from)));
    let limit = state.quota.as_ref().map(|quota| quota.limit() as f64);
    let numbers = numbers.into_iter().chain([("messageBytes", limit)]);
    for (key, number) in numbers {
        let key = v8::String::new(scope, key)?;
        let value = number.map_or_else(
            || v8::undefined(scope).into(),
            |number| v8::Number::new(scope, number).into(),
        );
        config.create_data_property(scope, key.into(), value)?;
    }
    call_reporting(scope, state, "start", &[config.into()]).map(|_| ())
}

fn deliver_data(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    data: crate::clone::parcel::Parcel,
) -> Option<()> {
    let value = deserialize::deserialize(scope, data, None)?;
    call_reporting(scope, state, "setWorkerData", &[value]).map(|_| ())
}

fn emit_exit(scope: &mut v8::PinScope, state: &Rc<WorkerState>, code: i32) -> i32 {
    let argument = if code == 0 {
        v8::undefined(scope).into()
    } else {
        v8::Integer::new(scope, code).into()
    };
    call_reporting(scope, state, "emitExit", &[argument])
        .and_then(|code| code.int32_value(scope))
        .unwrap_or(code)
}

/// Calls an entry point; what it throws becomes the worker's uncaught error.
pub(crate) fn call_reporting<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    name: &'static str,
    arguments: &[v8::Local<'s, v8::Value>],
) -> Option<v8::Local<'s, v8::Value>> {
    if state.is_stopped() {
        return None;
    }
    v8::tc_scope!(let scope, scope);
    let value = state.entry()?.call(scope, name, arguments);
    if value.is_none()
        && !scope.has_terminated()
        && let Some(exception) = scope.exception()
    {
        scope.reset();
        let error = errors::describe(scope, exception);
        state.uncaught.borrow_mut().get_or_insert(error);
    }
    value
}
