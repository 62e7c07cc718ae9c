//! Structured clone as the glue uses it (`js-glue/src/messaging/clone.js`): parcels by number.

use std::sync::Arc;

use super::prelude::*;
use crate::clone::parcel::Shared;
use crate::clone::{deserialize as reading, serialize as writing};
use crate::guest::memory::GuestMemory;
use crate::guest::module::GuestModule;
use crate::worker::state::WorkerState;

fn elements<'s, T>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
) -> Vec<v8::Local<'s, T>>
where
    v8::Local<'s, v8::Value>: TryInto<v8::Local<'s, T>>,
{
    let Ok(array) = value.try_cast::<v8::Array>() else {
        return Vec::new();
    };
    let items = (0..array.length()).map(|index| array.get_index(scope, index));
    items.filter_map(|item| item?.try_into().ok()).collect()
}

/// `ops.serialize(value, buffers, ports, key) -> number`: a parcel that holds the value, and what it takes of the quota of the port's receiver, if a port
/// is named. Detaches the buffers. `ports` are the platform objects of the transfer list; `parcelAddPort` moves them in afterwards, in that order. Throws,
/// and then nothing has changed.
pub(crate) fn serialize<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let buffers = elements::<v8::ArrayBuffer>(scope, args.get(1));
    let ports = elements::<v8::Object>(scope, args.get(2));
    let key = args.get(3);
    let lane = if key.is_undefined() {
        None
    } else {
        let key = uint(scope, key) as usize;
        let ports = state.ports.borrow();
        ports.get(key).map(|port| Arc::clone(port.outgoing()))
    };
    if let Some(parcel) = writing::serialize(scope, args.get(0), &buffers, &ports, lane.as_ref()) {
        let id = state.parcels.borrow_mut().insert(parcel);
        rv.set_double(id as f64);
    }
}

/// `ops.parcelBytes(parcel) -> number`: what the parcel counts for while it waits.
pub(crate) fn parcel_bytes(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    if let Some(state) = WorkerState::of(scope)
        && let Some(parcel) = state.parcels.borrow().get(id as usize)
    {
        rv.set_double(parcel.byte_length() as f64);
    }
}

/// `ops.parcelAddPort(parcel, key)`: the port leaves this worker with the parcel.
pub(crate) fn parcel_add_port(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let (parcel, key) = (uint(scope, args.get(0)), uint(scope, args.get(1)));
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let endpoint = state.remove_port(key);
    if let (Some(endpoint), Some(parcel)) = (
        endpoint,
        state.parcels.borrow_mut().get_mut(parcel as usize),
    ) {
        parcel.ports.push(endpoint);
    }
}

/// `ops.deserialize(parcel, ports) -> any`: reads a parcel within its own worker.
pub(crate) fn deserialize<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let ports = args.get(1).try_cast::<v8::Array>().ok();
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let Some(parcel) = state.parcels.borrow_mut().try_remove(id as usize) else {
        return;
    };
    if let Some(value) = reading::deserialize(scope, parcel, ports) {
        rv.set(value);
    }
}

/// `ops.copyBuffer(value) -> ArrayBuffer | undefined`: the structured clone of an ArrayBuffer that is neither detached nor resizable; of anything else
/// nothing.
pub(crate) fn copy_buffer<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let (Ok(buffer), Some(state)) = (
        args.get(0).try_cast::<v8::ArrayBuffer>(),
        WorkerState::of(scope),
    ) else {
        return;
    };
    if buffer.was_detached() {
        return;
    }
    if let Some(copy) = state.buffers.copy(scope, buffer) {
        rv.set(copy.into());
    }
}

/// `ops.attachShared(resource) -> number`: puts a host object into the parcel that is being written.
pub(crate) fn attach_shared(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let memory = resource::<GuestMemory>(scope, id).map(Shared::Memory);
    let Some(shared) = memory.or_else(|| resource::<GuestModule>(scope, id).map(Shared::Module))
    else {
        return;
    };
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let writing = state.writing.borrow();
    if let Some(parcel) = writing.last() {
        let attachments = &mut parcel.borrow_mut().attachments;
        attachments.push(shared);
        rv.set_double((attachments.len() - 1) as f64);
    }
}

/// `ops.detachShared(number) -> resource`: the host object that `attachShared` numbered so, from the parcel that is being read.
pub(crate) fn detach_shared(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let number = uint(scope, args.get(0));
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let id = match reading::attachment(&state, number as usize) {
        Some(Shared::Memory(memory)) => resource_add(scope, Box::new(memory)),
        Some(Shared::Module(module)) => resource_add(scope, Box::new(module)),
        None => return,
    };
    rv.set_uint32(id);
}
