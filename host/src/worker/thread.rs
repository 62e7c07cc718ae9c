//! What a worker's thread runs, from its first line to its last.

#[cfg(target_os = "linux")]
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::SystemTime;

use super::child::{ChildEvent, ChildNews};
use super::clock::Clock;
use super::control::Control;
use super::errors;
use super::event_loop;
use super::options::{Start, WorkerKind};
use super::outcome::{Outcome, UncaughtError};
use super::spare::{Sizes, Spare};
use super::stack;
use super::state::{Entry, Parent, WorkerState};
use super::warm::Warm;
use crate::clone::deserialize;
use crate::clone::passing::Passing;
use crate::error::SpawnError;
use crate::lane::endpoint::Endpoint;
use crate::lane::inbox::Event;
use crate::lane::quota::Quota;
use crate::lane::spin::Awake;
use crate::runtime::{RuntimeShared, snapshot};

/// A worker's control block, its thread number, and the thread.
pub(crate) type Spawned = (Arc<Control>, u32, JoinHandle<Outcome>);

/// What a thread is told when it becomes a worker's.
pub(crate) struct Work {
    runtime: Arc<RuntimeShared>,
    pub(crate) thread_id: u32,
    start: Start,
    port: Option<Endpoint>,
    parent: Option<Parent>,
}

/// Starts a worker. `port` is its side of the channel to whoever made it.
pub(crate) fn spawn(
    runtime: &Arc<RuntimeShared>,
    start: Start,
    port: Option<Endpoint>,
    parent: Option<Parent>,
) -> Result<Spawned, SpawnError> {
    let thread_id = runtime.next_thread_id();
    if let (Some(port), Some(quota)) = (&port, &start.quota) {
        // What the worker sends up counts against an account of its own, so that it cannot use up that of the one above, which others send to as well.
        port.outgoing().pin_quota(Quota::new(quota.limit()));
        // Its maker may send before the worker runs.
        port.incoming().set_quota(Some(Arc::clone(quota)));
    }
    let sizes = Sizes::of(&start.options);
    let spare = match runtime.spares.take(sizes) {
        Some(spare) => spare,
        None => {
            let name = thread_name(&start.options.name, thread_id);
            Spare::start(&runtime.engine, sizes, &name)
                .map_err(|source| SpawnError::Thread { name, source })?
        }
    };
    Ok(spare.assign(Work {
        runtime: Arc::clone(runtime),
        thread_id,
        start,
        port,
        parent,
    }))
}

/// The system keeps 15 bytes of it, and takes no NUL.
fn thread_name(worker: &str, thread_id: u32) -> String {
    if worker.is_empty() {
        format!("isolane-{thread_id}")
    } else {
        worker.replace('\0', " ")
    }
}

/// All that a thread does: it makes an isolate, and runs the work that it is given with it. Without work it ends.
pub(super) fn live(control: &Arc<Control>, sizes: Sizes, work: &Receiver<Work>) -> Outcome {
    control.inbox.claim();
    let warm = catch_unwind(AssertUnwindSafe(|| Warm::new(control, sizes.heap)));
    let Ok(work) = work.recv() else {
        return Outcome::Terminated;
    };
    let told = work
        .parent
        .as_ref()
        .map(|parent| (Arc::clone(&parent.inbox), parent.id));
    // A fault of this library's own is told as the worker's end; the hook has told more of it.
    let outcome = warm
        .and_then(|warm| catch_unwind(AssertUnwindSafe(|| run(control, warm, work))))
        .unwrap_or_else(|_| threw("the worker's thread panicked".to_owned()));
    if let Some((inbox, id)) = told {
        inbox.post(Event::Child(ChildEvent {
            id,
            kind: ChildNews::Exit(outcome.clone()),
        }));
    }
    outcome
}

fn run(control: &Arc<Control>, mut warm: Warm, work: Work) -> Outcome {
    let Work {
        runtime,
        thread_id,
        start,
        port,
        parent,
    } = work;
    #[cfg(target_os = "linux")]
    if let Ok(name) = CString::new(thread_name(&start.options.name, thread_id)) {
        // For who looks at the process's threads; a worker does not depend on it.
        let _named = rustix::thread::set_name(&name);
    }
    let _awake = Awake::new();
    stack::limit(&mut warm.isolate, start.options.stack_size);
    let state = Rc::new(WorkerState {
        runtime,
        control: Arc::clone(control),
        inbox: Arc::clone(&control.inbox),
        parent,
        permissions: start.options.permissions.clone(),
        output: start.options.output.clone(),
        clock: Clock::start(),
        message_clock: Default::default(),
        started_at: SystemTime::now(),
        thread_id,
        buffers: Arc::clone(&warm.buffers),
        passing: Passing::default(),
        kind: start.options.kind,
        sizes: Sizes::of(&start.options),
        quota: start.quota.clone(),
        entry: Default::default(),
        plain_prototype: Default::default(),
        shapes: Default::default(),
        modules: Default::default(),
        glue_modules: Default::default(),
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
    let isolate = &mut warm.isolate;
    state.enter(isolate);
    isolate.set_slot(start.environment.clone());
    control.set_isolate(Some(isolate.thread_safe_handle()));
    let outcome = {
        v8::scope!(let scope, &mut *isolate);
        let context = v8::Local::new(scope, &warm.context);
        let scope = &mut v8::ContextScope::new(scope, context);
        run_script(scope, &state, start, port)
    };
    control.set_isolate(None);
    take_down(&state, isolate);
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
    state.glue_modules.clear();
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
