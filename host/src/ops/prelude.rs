//! What every op uses: reading arguments, answering, throwing, and the worker's resources and permissions.

use std::any::Any;
use std::path::{Path, PathBuf};

pub(crate) use super::reply::{Failure, Reply, settle_now, spawn_blocking};
use crate::file::resolve::Follow;
use crate::permissions::Access;
use crate::worker::state::WorkerState;

/// The argument as a string. A lone surrogate becomes U+FFFD.
pub(crate) fn text(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> String {
    value.to_rust_string_lossy(scope)
}

pub(crate) fn number(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> f64 {
    value.number_value(scope).unwrap_or(f64::NAN)
}

pub(crate) fn uint(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> u32 {
    value.uint32_value(scope).unwrap_or(0)
}

pub(crate) fn boolean(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> bool {
    value.boolean_value(scope)
}

/// A copy of the bytes of a buffer or view; none of anything else.
pub(crate) fn copy_bytes(value: v8::Local<v8::Value>) -> Option<Vec<u8>> {
    if let Ok(view) = value.try_cast::<v8::ArrayBufferView>() {
        let mut bytes = vec![0; view.byte_length()];
        let copied = view.copy_contents(&mut bytes);
        bytes.truncate(copied);
        return Some(bytes);
    }
    let (store, length) = if let Ok(buffer) = value.try_cast::<v8::ArrayBuffer>() {
        (buffer.get_backing_store(), buffer.byte_length())
    } else {
        let buffer = value.try_cast::<v8::SharedArrayBuffer>().ok()?;
        (buffer.get_backing_store(), buffer.byte_length())
    };
    // A cell at a time: other threads may write to shared bytes meanwhile.
    Some(
        store
            .iter()
            .take(length)
            .map(std::cell::Cell::get)
            .collect(),
    )
}

/// Copies into a view's bytes; false if they do not fit or the value is no view.
pub(crate) fn write_bytes(value: v8::Local<v8::Value>, offset: usize, data: &[u8]) -> bool {
    let Ok(view) = value.try_cast::<v8::ArrayBufferView>() else {
        return false;
    };
    let Some(store) = view.get_backing_store() else {
        return false;
    };
    let start = view.byte_offset() + offset;
    let end = start + data.len();
    if end > view.byte_offset() + view.byte_length() || end > store.len() {
        return false;
    }
    for (cell, byte) in store[start..end].iter().zip(data) {
        cell.set(*byte);
    }
    true
}

pub(crate) fn set_text(scope: &mut v8::PinScope, rv: &mut v8::ReturnValue, value: &str) {
    match v8::String::new(scope, value) {
        Some(value) => rv.set(value.into()),
        None => throw_range_error(scope, "the string is longer than a string can be"),
    }
}

/// A Uint8Array that owns the bytes, which are not copied.
pub(crate) fn bytes_value<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    bytes: Vec<u8>,
) -> Option<v8::Local<'s, v8::Value>> {
    let length = bytes.len();
    if let Some(state) = WorkerState::of(scope) {
        state.buffers.note(bytes.len());
    }
    let store = v8::ArrayBuffer::new_backing_store_from_vec(bytes).make_shared();
    let buffer = v8::ArrayBuffer::with_backing_store(scope, &store);
    v8::Uint8Array::new(scope, buffer, 0, length).map(Into::into)
}

pub(crate) fn set_bytes(scope: &mut v8::PinScope, rv: &mut v8::ReturnValue, bytes: Vec<u8>) {
    match bytes_value(scope, bytes) {
        Some(value) => rv.set(value),
        None => throw_range_error(scope, "the array is longer than an array can be"),
    }
}

macro_rules! throwing {
    ($($name:ident => $constructor:ident),*) => {
        $(pub(crate) fn $name(scope: &mut v8::PinScope, message: &str) {
            // An empty message if the text is longer than a string can be.
            let message = v8::String::new(scope, message).unwrap_or_else(|| v8::String::empty(scope));
            let exception = v8::Exception::$constructor(scope, message);
            scope.throw_exception(exception);
        })*
    };
}
throwing!(throw_type_error => type_error, throw_range_error => range_error, throw_error => error);

/// A DOMException, made by the glue's class.
pub(crate) fn dom_exception<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    name: &str,
    message: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let message = v8::String::new(scope, message)?.into();
    let name = v8::String::new(scope, name)?.into();
    WorkerState::of(scope)?
        .entry()?
        .call(scope, "createDOMException", &[message, name])
}

pub(crate) fn throw_dom_exception(scope: &mut v8::PinScope, name: &str, message: &str) {
    if let Some(exception) = dom_exception(scope, name, message) {
        scope.throw_exception(exception);
    }
}

/// Keeps a host object for the script side, which knows it by a number and frees it with `ops.resourceFree`.
pub(crate) fn resource_add(scope: &mut v8::PinScope, resource: Box<dyn Any>) -> u32 {
    let Some(state) = WorkerState::of(scope) else {
        return u32::MAX;
    };
    let id = state.resources.borrow_mut().insert(resource);
    u32::try_from(id).unwrap_or(u32::MAX)
}

/// Uses a host object; none if the number is not one of that type.
pub(crate) fn with_resource<T: 'static, R>(
    scope: &mut v8::PinScope,
    id: u32,
    use_it: impl FnOnce(&mut T) -> R,
) -> Option<R> {
    let state = WorkerState::of(scope)?;
    let mut resources = state.resources.borrow_mut();
    Some(use_it(resources.get_mut(id as usize)?.downcast_mut::<T>()?))
}

/// A copy of a host object that is a handle.
pub(crate) fn resource<T: Clone + 'static>(scope: &mut v8::PinScope, id: u32) -> Option<T> {
    with_resource::<T, T>(scope, id, |resource| resource.clone())
}

pub(crate) fn resource_remove(scope: &mut v8::PinScope, id: u32) -> Option<Box<dyn Any>> {
    WorkerState::of(scope)?
        .resources
        .borrow_mut()
        .try_remove(id as usize)
}

/// The resolved path if the worker may use it so; else throws an error that names the flag.
pub(crate) fn check_path(
    scope: &mut v8::PinScope,
    access: Access,
    path: &Path,
    follow: Follow,
    api: &str,
) -> Option<PathBuf> {
    let checked = WorkerState::of(scope)?
        .permissions
        .check_path(access, path, follow, api);
    checked.map_err(|denial| throw_denied(scope, &denial)).ok()
}

/// Whether the worker could see what comes to be at a resolved path.
pub(crate) fn reveals(scope: &mut v8::PinScope, path: &Path) -> bool {
    WorkerState::of(scope).is_some_and(|state| state.permissions.reveals(path))
}

/// Whether the worker may read an environment variable (`*`: all of them); else throws an error that names the flag.
pub(crate) fn check_env(scope: &mut v8::PinScope, name: &str, api: &str) -> bool {
    let Some(state) = WorkerState::of(scope) else {
        return false;
    };
    let checked = state.permissions.check_env(name, api);
    checked
        .map_err(|denial| throw_denied(scope, &denial))
        .is_ok()
}

/// An error with the code that Node's permission model gives.
pub(crate) fn throw_denied(scope: &mut v8::PinScope, denial: &crate::permissions::Denied) {
    let Some(message) = v8::String::new(scope, &denial.to_string()) else {
        return;
    };
    let exception = v8::Exception::error(scope, message);
    if let (Some(object), Some(key), Some(code)) = (
        exception.to_object(scope),
        v8::String::new(scope, "code"),
        v8::String::new(scope, "ERR_ACCESS_DENIED"),
    ) {
        object.create_data_property(scope, key.into(), code.into());
    }
    scope.throw_exception(exception);
}

/// Nanoseconds since the worker's time origin.
pub(crate) fn monotonic_nanos(scope: &mut v8::PinScope) -> u64 {
    WorkerState::of(scope).map_or(0, |state| {
        u64::try_from(state.clock.now().as_nanos()).unwrap_or(u64::MAX)
    })
}
