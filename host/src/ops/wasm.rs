//! Shared memories and guests, for `js-glue/src/wasm.js`. Objects are resources, by number.

use std::sync::Arc;

use ::url::Url;

use super::prelude::*;
use crate::file;
use crate::guest::instance::{GuestError, GuestInstance};
use crate::guest::memory::GuestMemory;
use crate::guest::module::GuestModule;
use crate::worker::state::WorkerState;

/// `ops.memoryCreate(initial, maximum) -> resource`
pub(crate) fn memory_create(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (initial, maximum) = (uint(scope, args.get(0)), uint(scope, args.get(1)));
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    match GuestMemory::new(&state.runtime.engine, initial, maximum) {
        Ok(memory) => {
            let id = resource_add(scope, Box::new(memory));
            rv.set_uint32(id);
        }
        Err(message) => throw_range_error(scope, &message),
    }
}

/// `ops.memoryBuffer(memory) -> SharedArrayBuffer`: its bytes at their present length.
pub(crate) fn memory_buffer(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    if let Some(memory) = resource::<GuestMemory>(scope, id) {
        rv.set(memory.shared_buffer(scope).into());
    }
}

/// `ops.memoryGrow(memory, pages) -> number | undefined`: the size before in pages; undefined if it would exceed the maximum.
pub(crate) fn memory_grow(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (id, pages) = (uint(scope, args.get(0)), uint(scope, args.get(1)));
    if let Some(before) =
        resource::<GuestMemory>(scope, id).and_then(|memory| memory.grow(u64::from(pages)))
    {
        rv.set_double(before as f64);
    }
}

/// `ops.guestCompile(bytes | url) -> Promise<resource>`: compiles on another thread. A URL is read as a module's would be.
pub(crate) fn guest_compile(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let (engine, control) = (state.runtime.engine.clone(), Arc::clone(&state.control));
    let source = args.get(0);
    if let Some(bytes) = copy_bytes(source) {
        return spawn_blocking(scope, &mut rv, move || {
            compile(&engine, "wasm module", &bytes)
        });
    }
    let url = text(scope, source);
    let Some(path) = Url::parse(&url)
        .ok()
        .and_then(|url| url.to_file_path().ok())
    else {
        return throw_type_error(scope, &format!("\"{url}\" is no file: URL"));
    };
    match state.permissions.check_import(&path, "Guest.compile()") {
        Ok(resolved) => spawn_blocking(scope, &mut rv, move || {
            let io = |error| Failure::Io {
                error,
                syscall: "open",
                path: path.display().to_string(),
            };
            let bytes = file::read(&resolved, &control).map_err(io)?;
            compile(&engine, &url, &bytes)
        }),
        Err(denied) => throw_error(scope, &denied.to_string()),
    }
}

fn compile(engine: &wasmtime::Engine, name: &str, bytes: &[u8]) -> Result<Reply, Failure> {
    GuestModule::compile(engine, name, bytes)
        .map(Reply::Module)
        .map_err(Failure::Error)
}

/// `ops.guestImports(module) -> [module, name, kind][]`
pub(crate) fn guest_imports(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let rows = resource::<GuestModule>(scope, id)
        .map(|module| module.imports().into_iter().map(Vec::from).collect())
        .unwrap_or_default();
    settle_now(scope, &mut rv, Ok(table(rows)));
}

/// `ops.guestExports(module) -> [name, kind][]`
pub(crate) fn guest_exports(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let rows = resource::<GuestModule>(scope, id)
        .map(|module| module.exports().into_iter().map(Vec::from).collect())
        .unwrap_or_default();
    settle_now(scope, &mut rv, Ok(table(rows)));
}

fn table(rows: Vec<Vec<String>>) -> Reply {
    Reply::List(
        rows.into_iter()
            .map(|row| Reply::List(row.into_iter().map(Reply::Text).collect()))
            .collect(),
    )
}

/// `ops.guestInstantiate(module, memory | undefined, imports) -> [resource, functions]`: `imports` is an object of objects. The guest can be called as
/// long as somebody holds `functions`.
pub(crate) fn guest_instantiate<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let id = uint(scope, args.get(0));
    let Some(module) = resource::<GuestModule>(scope, id) else {
        return;
    };
    let memory = if args.get(1).is_undefined() {
        None
    } else {
        let id = uint(scope, args.get(1));
        resource::<GuestMemory>(scope, id)
    };
    let imports = args.get(2).try_cast::<v8::Object>().ok();
    let lookup = move |scope: &mut v8::PinScope<'s, '_>, module: &str, name: &str| {
        let Some(imports) = imports else {
            return Ok(None);
        };
        let key = v8::String::new(scope, module).ok_or(GuestError::Pending)?;
        let of_module = imports.get(scope, key.into()).ok_or(GuestError::Pending)?;
        let Ok(of_module) = of_module.try_cast::<v8::Object>() else {
            return Ok(None);
        };
        let key = v8::String::new(scope, name).ok_or(GuestError::Pending)?;
        let value = of_module.get(scope, key.into());
        value.map(Some).ok_or(GuestError::Pending)
    };
    match GuestInstance::new(scope, &state, &module, memory.as_ref(), &lookup) {
        Ok((instance, functions)) => {
            let id = resource_add(scope, Box::new(instance));
            let id = v8::Integer::new_from_unsigned(scope, id).into();
            let answer = v8::Array::new_with_elements(scope, &[id, functions.into()]);
            rv.set(answer.into());
        }
        Err(error) => throw_guest_error(scope, error),
    }
}

/// `ops.guestInstanceExports(instance) -> [name, kind, value][]`: the value of a global at this moment.
pub(crate) fn guest_instance_exports(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let Some(exports) =
        resource::<GuestInstance>(scope, id).and_then(|instance| instance.exports(scope))
    else {
        return;
    };
    let rows = exports.into_iter().map(|(name, kind, value)| {
        let name = v8::String::new(scope, &name)?.into();
        let kind = v8::String::new(scope, kind)?.into();
        let value = value.unwrap_or_else(|| v8::undefined(scope).into());
        Some(v8::Array::new_with_elements(scope, &[name, kind, value]).into())
    });
    if let Some(rows) = rows.collect::<Option<Vec<v8::Local<v8::Value>>>>() {
        rv.set(v8::Array::new_with_elements(scope, &rows).into());
    }
}

/// `ops.guestCall(instance, name, arguments) -> any`
pub(crate) fn guest_call<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let Some(instance) = resource::<GuestInstance>(scope, id) else {
        return;
    };
    let name = text(scope, args.get(1));
    let mut arguments: Vec<v8::Local<v8::Value>> = Vec::new();
    if let Ok(array) = args.get(2).try_cast::<v8::Array>() {
        arguments.extend((0..array.length()).filter_map(|index| array.get_index(scope, index)));
    }
    let undefined: v8::Local<v8::Value> = v8::undefined(scope).into();
    match instance.call(scope, &name, &|index| {
        arguments.get(index).copied().unwrap_or(undefined)
    }) {
        Ok(value) => rv.set(value),
        Err(error) => throw_guest_error(scope, error),
    }
}

fn throw_guest_error(scope: &mut v8::PinScope, error: GuestError) {
    match error {
        GuestError::Pending => {}
        GuestError::Link(message) => throw_type_error(scope, &message),
        GuestError::Trap { message, trace } => {
            let (Some(message), Some(trace)) = (
                v8::String::new(scope, &message),
                v8::String::new(scope, &trace),
            ) else {
                return;
            };
            let Some(state) = WorkerState::of(scope) else {
                return;
            };
            let exception = state.entry().and_then(|entry| {
                entry.call(scope, "createGuestTrap", &[message.into(), trace.into()])
            });
            if let Some(exception) = exception {
                scope.throw_exception(exception);
            }
        }
    }
}
