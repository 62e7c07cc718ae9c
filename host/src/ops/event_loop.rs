//! What the glue asks of the worker's loop: checkpoints, timers, liveness, errors and the end. Called by `timers.js`, `messaging/`,
//! `global_scope.js`, `main.js`.

use std::time::UNIX_EPOCH;

use super::object_copy::shallow_copy;
use super::prelude::*;
use crate::lane::inbox::Event;
use crate::worker::child::{ChildEvent, ChildNews};
use crate::worker::clock::MessageClock;
use crate::worker::event_loop;
use crate::worker::state::{ExitRequest, WorkerState};
use crate::worker::{errors, outcome::UncaughtError};

/// `ops.checkpoint()`: what follows every task: ticks, microtasks, unhandled rejections.
pub(crate) fn checkpoint(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        event_loop::checkpoint(scope, &state);
    }
}

/// `ops.messageClock() -> Float64Array`: where the host writes the time of the last event that it copied, in milliseconds since the time origin.
pub(crate) fn message_clock(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        let clock = state.message_clock.get_or_init(|| MessageClock::new(scope));
        let buffer = v8::ArrayBuffer::with_backing_store(scope, &clock.0);
        if let Some(view) = v8::Float64Array::new(scope, buffer, 0, 1) {
            rv.set(view.into());
        }
    }
}

/// `ops.copyEvent(event) -> Event`: a copy of the event, private fields included.
pub(crate) fn copy_event<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        answer_copy(scope, &state, &args, &mut rv);
    }
}

/// `ops.endTaskAndCopyEvent(event) -> Event`: `checkpoint()` and `copyEvent(event)` in one call, for the many messages of a burst.
pub(crate) fn end_task_and_copy_event<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        event_loop::checkpoint(scope, &state);
        answer_copy(scope, &state, &args, &mut rv);
    }
}

fn answer_copy<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &WorkerState,
    args: &v8::FunctionCallbackArguments<'s>,
    rv: &mut v8::ReturnValue,
) {
    if let Some(clock) = state.message_clock.get() {
        clock.write(state.clock.coarse());
    }
    if let Ok(event) = args.get(0).try_cast::<v8::Object>() {
        rv.set(shallow_copy(scope, event).into());
    }
}

/// `ops.noteTicks()`: callbacks of `process.nextTick` are queued, and run at the next checkpoint.
pub(crate) fn note_ticks(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        state.ticks.set(true);
    }
}

/// `ops.enqueueMicrotask(function)`
pub(crate) fn enqueue_microtask(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    if let Ok(function) = args.get(0).try_cast::<v8::Function>() {
        scope.enqueue_microtask(function);
    }
}

/// `ops.exit(code)`: ends the worker. Does not return to the script.
pub(crate) fn exit(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let code = args.get(0).int32_value(scope).unwrap_or(0);
    if let Some(state) = WorkerState::of(scope) {
        state.exit.set(Some(ExitRequest::Exit(code)));
        scope.terminate_execution();
    }
}

/// `ops.closeWorker()`: the loop ends after the current task (HTML §10.2.6.3 `close()`).
pub(crate) fn close_worker(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope)
        && state.exit.get().is_none()
    {
        state.exit.set(Some(ExitRequest::Close));
        state.inbox.post(Event::Nudge);
    }
}

/// `ops.now() -> number`: milliseconds since the time origin.
pub(crate) fn now(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let nanoseconds = monotonic_nanos(scope);
    // 2^53 ns are 104 days; beyond that the last bits are lost, as everywhere.
    rv.set_double(nanoseconds as f64 / 1e6);
}

/// `ops.timeOrigin() -> number`: milliseconds between the Unix epoch and the time origin.
pub(crate) fn time_origin(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let since_epoch =
        WorkerState::of(scope).and_then(|state| state.started_at.duration_since(UNIX_EPOCH).ok());
    rv.set_double(since_epoch.unwrap_or_default().as_secs_f64() * 1e3);
}

/// `ops.setTimerState(due, referenced)`: when the next timer is due, in milliseconds since the time origin (negative: never), and how many timers
/// keep the loop alive.
pub(crate) fn set_timer_state(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let due = number(scope, args.get(0));
    let referenced = uint(scope, args.get(1));
    if let Some(state) = WorkerState::of(scope) {
        state.next_timer.set((due >= 0.0).then_some(due));
        state.timer_references.set(referenced);
    }
}

/// `ops.setAlive(difference)`: adds to the number of things that keep the loop alive.
pub(crate) fn set_alive(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let difference = args.get(0).integer_value(scope).unwrap_or(0);
    if let Some(state) = WorkerState::of(scope) {
        state.references.set(state.references.get() + difference);
    }
}

/// `ops.wakeLocal()`: the glue has messages within this thread to deliver.
pub(crate) fn wake_local(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        state.local_work.set(true);
    }
}

/// `ops.reportUncaught(error, fromChild?)`: nothing in this worker handled the error. A web worker's goes to its parent and the worker goes on; any
/// other worker ends. `fromChild` is the description of a nested worker's error, which keeps its own place and stack.
pub(crate) fn report_uncaught<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _: v8::ReturnValue,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let described = args.get(1).try_cast::<v8::Object>().ok();
    let error = match described {
        Some(described) => from_child(scope, described),
        None => errors::describe(scope, args.get(0)),
    };
    match &state.parent {
        Some(parent) if parent.survives_errors => {
            parent.inbox.post(Event::Child(ChildEvent {
                id: parent.id,
                kind: ChildNews::Error(error),
            }));
        }
        _ => {
            state.uncaught.borrow_mut().get_or_insert(error);
            // The rest of the current task would run in a program that has failed.
            state.inbox.post(Event::Nudge);
        }
    }
}

/// `ops.errorPlace(error) -> { message, filename, line, column }`: for an ErrorEvent.
pub(crate) fn error_place<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let message = v8::Exception::create_message(scope, args.get(0));
    let text = message.get(scope).to_rust_string_lossy(scope);
    let place = errors::place_of(scope, args.get(0));
    let fields = vec![
        ("message", Reply::Text(text)),
        ("filename", Reply::Text(place.file)),
        ("line", Reply::Number(f64::from(place.line))),
        ("column", Reply::Number(f64::from(place.column))),
    ];
    settle_now(scope, &mut rv, Ok(Reply::Record(fields)));
}

fn from_child(scope: &mut v8::PinScope, described: v8::Local<v8::Object>) -> UncaughtError {
    let field = |name: &str| {
        let value = v8::String::new(scope, name).and_then(|key| described.get(scope, key.into()));
        value
            .map(|value| value.to_rust_string_lossy(scope))
            .unwrap_or_default()
    };
    UncaughtError {
        name: field("name"),
        message: field("message"),
        stack: field("stack"),
        file: field("filename"),
        line: field("line").parse().unwrap_or(0),
        column: field("column").parse().unwrap_or(0),
        source_line: field("sourceLine"),
    }
}
