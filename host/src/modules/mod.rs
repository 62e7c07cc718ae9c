//! ES modules: HTML's module map and ECMAScript's host hooks.
//!
//! [`resolve`] turns specifiers into URLs, [`load`] fetches and compiles a graph, [`importer`] tells in errors who asked for
//! what, [`map`] keeps every module of a worker once per URL and type,
//! [`builtin`] makes modules of the glue's objects (`node:…`, `isolane:…`), [`hooks`] answers V8 (`import()`, `import.meta`, linking),
//! [`deferred`] has the glue's own files that the start-up snapshot does without.
//!
//! A graph is loaded whole before any of it runs, on the worker's thread: its sources are local.

mod builtin;
pub(crate) mod deferred;
mod hooks;
mod importer;
mod load;
pub(crate) mod map;
pub(crate) mod resolve;

use std::rc::Rc;

use ::url::Url;

pub(crate) use deferred::lazy_global;
pub(crate) use hooks::install;

use crate::worker::errors::Place;
use crate::worker::options::Script;
use crate::worker::outcome::{Outcome, UncaughtError};
use crate::worker::state::WorkerState;
use crate::worker::thread::call_reporting;

/// A worker's first module, being evaluated.
pub(crate) struct Main {
    module: v8::Global<v8::Module>,
    promise: v8::Global<v8::Promise>,
}

impl Main {
    /// Whether its evaluation has not ended: a top-level await waits.
    pub(crate) fn is_pending(&self, scope: &mut v8::PinScope) -> bool {
        v8::Local::new(scope, &self.promise).state() == v8::PromiseState::Pending
    }
}

/// Loads, links and starts the worker's first module. None: an exception is pending.
pub(crate) fn start(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    url: &Url,
    script: &Script,
) -> Option<Main> {
    state.modules.set_main(url.clone());
    let text = match script {
        Script::Source { text, .. } => Some(text),
        _ => None,
    };
    let module = load::load_main(scope, state, url, text.map(|text| &**text))?;
    let promise = hooks::link_and_evaluate(scope, module)?;
    // The worker's loop tells of a rejection itself.
    promise.mark_as_handled();
    watch(scope, promise);
    Some(Main {
        module: v8::Global::new(scope, module),
        promise: v8::Global::new(scope, promise),
    })
}

/// Reports what the first module throws, however late, as any exception is reported (HTML §8.1.4.4, "run a module script").
fn watch<'s>(scope: &mut v8::PinScope<'s, '_>, promise: v8::Local<'s, v8::Promise>) {
    fn failed<'s>(
        scope: &mut v8::PinScope<'s, '_>,
        args: v8::FunctionCallbackArguments<'s>,
        _: v8::ReturnValue,
    ) {
        if let Some(state) = WorkerState::of(scope) {
            call_reporting(scope, &state, "reportError", &[args.get(0)]);
        }
    }
    if let Some(failed) = v8::Function::new(scope, failed) {
        promise.catch(scope, failed);
    }
}

/// How a worker ended whose loop has nothing left: well, unless its first module still waits.
pub(crate) fn finish(scope: &mut v8::PinScope, state: &Rc<WorkerState>, main: &Main) -> Outcome {
    if let Some(error) = state.uncaught.borrow_mut().take() {
        return Outcome::Threw(error);
    }
    if !main.is_pending(scope) {
        return Outcome::Finished { code: 0 };
    }
    let module = v8::Local::new(scope, &main.module);
    let mut error = UncaughtError {
        name: "Error".to_owned(),
        message: "a top-level await never ended: nothing is left that could settle its promise"
            .to_owned(),
        ..UncaughtError::default()
    };
    if let Some((_, message)) = module.get_stalled_top_level_await_message(scope).first() {
        Place::of(scope, *message).put_into(&mut error);
    }
    error.stack = format!(
        "Error: {}\n    at {}:{}:{}",
        error.message, error.file, error.line, error.column
    );
    Outcome::Threw(error)
}
