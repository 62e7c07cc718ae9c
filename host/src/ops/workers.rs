//! Workers that scripts make (`js-glue/src/worker.js`, `js-glue/src/node/worker_threads.js`).

use std::sync::Arc;

use ::url::Url;

use super::environment::Environment;
use super::prelude::*;
use crate::lane::endpoint::Endpoint;
use crate::worker::child::Child;
use crate::worker::options::{Start, WorkerKind, WorkerOptions};
use crate::worker::state::{Parent, WorkerState};
use crate::worker::thread;

fn field<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    name: &str,
) -> v8::Local<'s, v8::Value> {
    let value = v8::String::new(scope, name).and_then(|key| object.get(scope, key.into()));
    value.unwrap_or_else(|| v8::undefined(scope).into())
}

fn strings<'s>(scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>) -> Vec<String> {
    let Ok(array) = value.try_cast::<v8::Array>() else {
        return Vec::new();
    };
    (0..array.length())
        .filter_map(|index| Some(array.get_index(scope, index)?.to_rust_string_lossy(scope)))
        .collect()
}

/// `ops.workerCreate({ url, source, name, kind, argv, env, data, messageBytes, referenced }) -> [id, port, threadId]`: starts a worker with this one's
/// permissions. `source`: module text instead of the URL's; `env`: undefined for a copy of this worker's, true for the same, or a flat list of names
/// and values; `data`: a parcel. News come as `childEvent(id, …)`.
pub(crate) fn worker_create<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let Ok(request) = args.get(0).try_cast::<v8::Object>() else {
        return;
    };
    let url = field(scope, request, "url");
    let url = text(scope, url);
    let source = field(scope, request, "source");
    let mut options = if source.is_string() {
        let source = text(scope, source);
        WorkerOptions::from_source(&url, source)
    } else if Url::parse(&url).is_ok() {
        WorkerOptions::from_url(&url)
    } else {
        return throw_type_error(scope, &format!("\"{url}\" is no URL"));
    };
    options.permissions = state.permissions.clone();
    options.output = state.output.clone();
    options.stack_size = state.sizes.stack;
    options.heap_size = state.sizes.heap;
    let limit = field(scope, request, "messageBytes");
    let limit = limit.number_value(scope).filter(|limit| !limit.is_nan());
    let own = state.quota.as_ref().map(|quota| quota.limit());
    options.message_bytes = match (limit.map(|limit| limit as usize), own) {
        (Some(limit), Some(own)) => Some(limit.min(own)),
        (limit, own) => limit.or(own),
    };
    let name = field(scope, request, "name");
    options.name = text(scope, name);
    let kind = field(scope, request, "kind");
    options.kind = if text(scope, kind) == "node" {
        WorkerKind::Node
    } else {
        WorkerKind::Web
    };
    let argv = field(scope, request, "argv");
    options.arguments = strings(scope, argv);
    let env = field(scope, request, "env");
    let own = scope.get_slot::<Environment>().cloned();
    let environment = match own {
        Some(own) if env.is_true() => own,
        Some(own) if env.is_undefined() => own.fork(),
        _ => {
            let mut pairs = strings(scope, env).into_iter();
            Environment::of(std::iter::from_fn(|| Some((pairs.next()?, pairs.next()?))))
        }
    };
    let data = field(scope, request, "data");
    let data = if data.is_undefined() {
        None
    } else {
        let id = uint(scope, data);
        state.parcels.borrow_mut().try_remove(id as usize)
    };
    let referenced = field(scope, request, "referenced");
    let referenced = boolean(scope, referenced);
    let survives_errors = options.kind == WorkerKind::Web;

    let (ours, theirs) = Endpoint::pair();
    let mut children = state.children.borrow_mut();
    let slot = children.vacant_entry();
    let id = u32::try_from(slot.key()).unwrap_or(u32::MAX);
    let parent = Parent {
        inbox: Arc::clone(&state.inbox),
        id,
        survives_errors,
    };
    let spawned = thread::spawn(
        &state.runtime,
        Start::new(options, environment, data),
        Some(theirs),
        Some(parent),
    );
    let (control, thread_id, thread) = match spawned {
        Ok(spawned) => spawned,
        Err(error) => {
            drop(children);
            return throw_error(scope, &error.to_string());
        }
    };
    slot.insert(Child {
        control,
        thread: Some(thread),
        referenced,
    });
    drop(children);
    let numbers = [id, state.add_port(ours), thread_id]
        .map(|number| v8::Number::new(scope, f64::from(number)).into());
    rv.set(v8::Array::new_with_elements(scope, &numbers).into());
}

/// `ops.workerTerminate(id)`: ends a worker wherever it is; its `exit` follows as an event.
pub(crate) fn worker_terminate(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    if let Some(state) = WorkerState::of(scope)
        && let Some(child) = state.children.borrow().get(id as usize)
    {
        child.control.terminate();
    }
}

/// `ops.workerSetRef(id, referenced)`: whether the worker keeps this one's loop alive.
pub(crate) fn worker_set_ref(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let referenced = boolean(scope, args.get(1));
    if let Some(state) = WorkerState::of(scope)
        && let Some(child) = state.children.borrow_mut().get_mut(id as usize)
    {
        child.referenced = referenced;
    }
}
