//! A worker's loop (HTML §8.1.7): events of the inbox, messages within the thread, timers; a microtask checkpoint after each task; and sleep.
//!
//! A turn takes the events that were there when it began, so that none of the sources starves another. The loop ends when nothing is left that
//! could run a script again: no referenced timer, port, child or pending operation.

use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ::url::Url;

use super::child::{ChildEvent, ChildNews};
use super::errors;
use super::options::Script;
use super::outcome::{Outcome, UncaughtError};
use super::receiving;
use super::state::{ExitRequest, Rejection, WorkerState};
use super::thread::call_reporting;
use crate::lane::inbox::Event;
use crate::lane::polled::Polled;
use crate::modules;
use crate::ops::settle_completion;

/// Events of one turn; timers have theirs after it.
const EVENTS_PER_TURN: usize = 256;

/// Evaluates the worker's module and turns the loop until the worker ends.
pub(crate) fn run(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    url: &Url,
    script: &Script,
) -> Outcome {
    let main = evaluate(scope, state, url, script);
    checkpoint(scope, state);
    state.refill_spares();
    let delayed = RefCell::new(BinaryHeap::new());
    let mut port_started = false;
    let mut polled = None;
    loop {
        // Handles of one turn are none of the next one's.
        v8::scope!(let scope, scope);
        // A module that still waits at its top level may not listen yet: what it was sent is kept until it does (the glue sees to that) or is through.
        if !port_started && !main.as_ref().is_some_and(|main| main.is_pending(scope)) {
            port_started = true;
            call_reporting(scope, state, "startParentPort", &[]);
            checkpoint(scope, state);
        }
        if let Some(outcome) = end(scope, state) {
            return outcome;
        }
        let busy = turn(scope, state, &delayed, &mut polled);
        if busy {
            continue;
        }
        if let Some(outcome) = end(scope, state) {
            return outcome;
        }
        // A first module that still waits may wait for a task of V8's own (`Atomics.waitAsync` with a time limit), which nothing else counts.
        let awaited = !delayed.borrow().is_empty()
            && main.as_ref().is_some_and(|main| main.is_pending(scope));
        if !awaited && !is_alive(scope, state) {
            call_reporting(scope, state, "emitBeforeExit", &[]);
            checkpoint(scope, state);
            // A listener may have asked for the end.
            if let Some(outcome) = end(scope, state) {
                return outcome;
            }
            // Or have found something to do.
            if is_alive(scope, state)
                || !state.inbox.is_empty()
                || state.local_work.get()
                || polled.as_ref().is_some_and(Polled::has_messages)
            {
                continue;
            }
            return match &main {
                Some(main) => modules::finish(scope, state, main),
                None => end(scope, state).unwrap_or(Outcome::Finished { code: 0 }),
            };
        }
        state
            .inbox
            .wait(sleep_time(state, &delayed), polled.as_mut());
    }
}

fn evaluate(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    url: &Url,
    script: &Script,
) -> Option<modules::Main> {
    v8::tc_scope!(let scope, scope);
    let main = modules::start(scope, state, url, script);
    if main.is_none()
        && !scope.has_terminated()
        && let Some(exception) = scope.exception()
    {
        scope.reset();
        let error = errors::describe(scope, exception);
        state.uncaught.borrow_mut().get_or_insert(error);
    }
    main
}

/// How the worker ended, if it did.
pub(crate) fn end(scope: &mut v8::PinScope, state: &Rc<WorkerState>) -> Option<Outcome> {
    if state.control.is_terminated() {
        if state.control.is_heap_full() {
            return Some(out_of_memory());
        }
        // What is left to run (drops, `take_down`) runs no script.
        return Some(Outcome::Terminated);
    }
    if let Some(request) = state.exit.get() {
        // `exitWorker` stopped the script by terminating it; the isolate is whole again.
        scope.cancel_terminate_execution();
        return Some(match request {
            ExitRequest::Exit(code) => Outcome::Exited { code },
            ExitRequest::Close => Outcome::Finished { code: 0 },
        });
    }
    state.uncaught.borrow_mut().take().map(Outcome::Threw)
}

/// As Node has it (`ERR_WORKER_OUT_OF_MEMORY`). V8 knows no place for it.
fn out_of_memory() -> Outcome {
    Outcome::Threw(UncaughtError::of_host(
        "Worker terminated due to reaching memory limit: JS heap out of memory",
    ))
}

/// One turn. False: there was nothing to do.
fn turn(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    delayed: &RefCell<BinaryHeap<Delayed>>,
    polled: &mut Option<Polled>,
) -> bool {
    let mut busy = receiving::poll(scope, state, polled);
    if busy {
        checkpoint(scope, state);
        if is_ending(state) {
            return true;
        }
    }
    let mut lanes = 0;
    let mut last = None;
    for _ in 0..EVENTS_PER_TURN {
        let Some(event) = state.inbox.take() else {
            break;
        };
        busy = true;
        if let Event::Lane { key, lane } = event {
            lanes += 1;
            last = receiving::receive(scope, state, key, &lane).then_some((key, lane));
        } else {
            handle(scope, state, delayed, event);
        }
        checkpoint(scope, state);
        if is_ending(state) {
            return true;
        }
    }
    // Where many lanes are busy at once, to poll one of them is of little use.
    if lanes == 1
        && let Some((key, lane)) = last
    {
        receiving::follow(state, key, &lane, polled);
    }
    while !is_ending(state)
        && delayed
            .borrow()
            .peek()
            .is_some_and(|task| task.due <= Instant::now())
    {
        let Some(task) = delayed.borrow_mut().pop() else {
            break;
        };
        busy = true;
        task.task.run();
        checkpoint(scope, state);
    }
    if state.local_work.replace(false) {
        busy = true;
        call_reporting(scope, state, "drainLocal", &[]);
        checkpoint(scope, state);
    }
    if state
        .next_timer
        .get()
        .is_some_and(|due| due <= state.milliseconds())
        && !is_ending(state)
    {
        busy = true;
        call_reporting(scope, state, "runTimers", &[]);
        checkpoint(scope, state);
    }
    busy
}

fn is_ending(state: &WorkerState) -> bool {
    state.is_stopped() || state.exit.get().is_some()
}

fn handle(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    delayed: &RefCell<BinaryHeap<Delayed>>,
    event: Event,
) {
    v8::scope!(let scope, scope);
    match event {
        Event::Lane { key, lane } => {
            receiving::receive(scope, state, key, &lane);
        }
        Event::Low { key, lane } => {
            let current = state
                .ports
                .borrow()
                .get(key as usize)
                .is_some_and(|port| std::sync::Arc::ptr_eq(port.outgoing(), &lane));
            if current {
                let key = v8::Number::new(scope, f64::from(key)).into();
                let gone = v8::Boolean::new(scope, lane.is_abandoned()).into();
                call_reporting(scope, state, "portLow", &[key, gone]);
            }
        }
        Event::Task(task) => task.run(),
        Event::DelayedTask(task, due) => delayed.borrow_mut().push(Delayed { due, task }),
        Event::Completion(completion) => settle_completion(scope, completion),
        Event::Child(event) => child_event(scope, state, event),
        Event::Nudge => {}
    }
}

fn child_event(scope: &mut v8::PinScope, state: &Rc<WorkerState>, event: ChildEvent) {
    let id = v8::Number::new(scope, f64::from(event.id)).into();
    let undefined: v8::Local<v8::Value> = v8::undefined(scope).into();
    let (kind, detail) = match event.kind {
        ChildNews::Online => ("online", undefined),
        ChildNews::Error(error) => ("error", error_object(scope, &error).unwrap_or(undefined)),
        ChildNews::Exit(outcome) => {
            // Its thread is at its end; the drop waits for it.
            drop(state.children.borrow_mut().try_remove(event.id as usize));
            match outcome {
                Outcome::Finished { code } | Outcome::Exited { code } => {
                    ("exit", v8::Integer::new(scope, code).into())
                }
                Outcome::Terminated => ("exit", v8::Integer::new(scope, 1).into()),
                Outcome::Threw(error) => {
                    ("threw", error_object(scope, &error).unwrap_or(undefined))
                }
            }
        }
    };
    if let Some(kind) = v8::String::new(scope, kind) {
        call_reporting(scope, state, "childEvent", &[id, kind.into(), detail]);
    }
}

/// `{ name, message, stack, filename, line, column, sourceLine }`
fn error_object<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: &UncaughtError,
) -> Option<v8::Local<'s, v8::Value>> {
    let object = v8::Object::new(scope);
    let texts = [
        ("name", &error.name),
        ("message", &error.message),
        ("stack", &error.stack),
        ("filename", &error.file),
        ("sourceLine", &error.source_line),
    ];
    for (key, value) in texts {
        let key = v8::String::new(scope, key)?;
        let value = v8::String::new(scope, value)?;
        object.create_data_property(scope, key.into(), value.into())?;
    }
    for (key, value) in [("line", error.line), ("column", error.column)] {
        let key = v8::String::new(scope, key)?;
        let value = v8::Integer::new_from_unsigned(scope, value);
        object.create_data_property(scope, key.into(), value.into())?;
    }
    Some(object.into())
}

/// Runs ticks and microtasks, and reports the rejections that nobody handled (HTML §8.1.7.3).
pub(crate) fn checkpoint(scope: &mut v8::PinScope, state: &Rc<WorkerState>) {
    if state.ticks.replace(false) {
        call_reporting(scope, state, "drainTicks", &[]);
    }
    run_microtasks(scope, state);
    if state.rejections.borrow().is_empty() {
        return;
    }
    let noted = std::mem::take(&mut *state.rejections.borrow_mut());
    for rejection in noted {
        v8::scope!(let scope, scope);
        match rejection {
            Rejection::Unhandled(promise, reason) => {
                let promise = v8::Local::new(scope, promise);
                if !promise.has_handler() {
                    let reason = v8::Local::new(scope, reason);
                    call_reporting(
                        scope,
                        state,
                        "unhandledRejection",
                        &[promise.into(), reason],
                    );
                }
            }
            Rejection::HandledLate(promise) => {
                let promise = v8::Local::new(scope, promise).into();
                call_reporting(scope, state, "rejectionHandled", &[promise]);
            }
        }
        run_microtasks(scope, state);
    }
}

fn run_microtasks(scope: &mut v8::PinScope, state: &WorkerState) {
    if !state.is_stopped() {
        scope.perform_microtask_checkpoint();
    }
}

/// V8's promise rejection callback: only notes it; whether a handler comes is known at the next checkpoint.
pub(crate) unsafe extern "C" fn note_rejection(message: v8::PromiseRejectMessage) {
    // SAFETY: V8 calls this on the isolate's thread with a handle of its current scope, which lives until the call returns.
    v8::callback_scope!(unsafe scope, &message);
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let promise = v8::Global::new(scope, message.get_promise());
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => {
            let reason = message
                .get_value()
                .unwrap_or_else(|| v8::undefined(scope).into());
            let reason = v8::Global::new(scope, reason);
            state
                .rejections
                .borrow_mut()
                .push(Rejection::Unhandled(promise, reason));
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => {
            let mut rejections = state.rejections.borrow_mut();
            let before = rejections.len();
            rejections.retain(
                |noted| !matches!(noted, Rejection::Unhandled(noted, _) if *noted == promise),
            );
            if rejections.len() == before {
                rejections.push(Rejection::HandledLate(promise));
            }
        }
        _ => {}
    }
}

fn is_alive(scope: &mut v8::PinScope, state: &WorkerState) -> bool {
    state.references.get() > 0
        || (state.timer_references.get() > 0 && state.next_timer.get().is_some())
        || !state.pending_ops.borrow().is_empty()
        || state
            .children
            .borrow()
            .iter()
            .any(|(_, child)| child.referenced)
        || scope.has_pending_background_tasks()
}

fn sleep_time(state: &WorkerState, delayed: &RefCell<BinaryHeap<Delayed>>) -> Option<Duration> {
    let timer = state
        .next_timer
        .get()
        .map(|due| (due - state.milliseconds()).max(0.0) / 1e3)
        .map(|left| Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX));
    let task = delayed
        .borrow()
        .peek()
        .map(|task| task.due.saturating_duration_since(Instant::now()));
    match (timer, task) {
        (Some(timer), Some(task)) => Some(timer.min(task)),
        (timer, task) => timer.or(task),
    }
}

/// A task of V8's that waits for its time; the earliest is the greatest.
struct Delayed {
    due: Instant,
    task: v8::Task,
}

impl PartialEq for Delayed {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}
impl Eq for Delayed {}
impl PartialOrd for Delayed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Delayed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.due.cmp(&self.due)
    }
}
