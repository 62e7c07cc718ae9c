//! StructuredSerializeWithTransfer (HTML §2.7.7), first half: a value becomes a parcel.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use v8::ValueSerializerHelper;

use super::large_buffers;
use super::parcel::{self, Parcel, Store};
use crate::lane::queue::Lane;
use crate::worker::state::WorkerState;

/// Marks of what follows in a host object's place.
pub(crate) const TRANSFERRED_PORT: u32 = 0;
pub(crate) const CLONED_OBJECT: u32 = 1;

/// Writes `value`. The ArrayBuffers of `transfer` are detached, and only if everything else worked. `ports` are the platform objects of the transfer
/// list; the caller moves their endpoints into the parcel afterwards. `lane`: where it will be sent, if its receiver's quota is to be asked. None: an
/// exception is pending and nothing has changed.
pub(crate) fn serialize<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    transfer: &[v8::Local<'s, v8::ArrayBuffer>],
    ports: &[v8::Local<'s, v8::Object>],
    lane: Option<&Arc<Lane>>,
) -> Option<Parcel> {
    let state = WorkerState::of(scope)?;
    for buffer in transfer {
        check_transferable(scope, *buffer)?;
    }
    let shared: Rc<RefCell<Parcel>> = Rc::default();
    // Attachments of host objects go to the innermost parcel that is being written: a getter may post a message of its own.
    state.writing.borrow_mut().push(Rc::clone(&shared));
    let written = write(scope, value, transfer, ports, &shared);
    state.writing.borrow_mut().pop();
    let (bytes, copies) = written?;
    // A getter may have detached a buffer meanwhile, or sent away a port.
    for buffer in transfer {
        check_transferable(scope, *buffer)?;
    }
    if !ports.is_empty() {
        let ports: Vec<_> = ports.iter().map(|port| (*port).into()).collect();
        let list = v8::Array::new_with_elements(scope, &ports).into();
        state.entry()?.call(scope, "checkPorts", &[list])?;
    }
    let mut parcel = std::mem::take(&mut *shared.borrow_mut());
    parcel.bytes = bytes;
    if let Some(lane) = lane {
        let moved = transfer.iter().map(|buffer| buffer.byte_length());
        let copied = copies.iter().map(|store| store.0.byte_length());
        let bytes = parcel::counted_bytes(parcel.bytes.len(), moved.chain(copied));
        match lane.charge_parcel(bytes) {
            Ok(charge) => parcel.charge = charge,
            Err(refused) => {
                crate::ops::throw_quota_exceeded(scope, refused);
                return None;
            }
        }
    }
    for buffer in transfer {
        let store = buffer.get_backing_store();
        buffer.detach(None)?;
        state.passing.went(scope, store.len());
        parcel.moved.push(Store(store));
    }
    parcel.moved.extend(copies);
    Some(parcel)
}

fn write<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    transfer: &[v8::Local<'s, v8::ArrayBuffer>],
    ports: &[v8::Local<'s, v8::Object>],
    parcel: &Rc<RefCell<Parcel>>,
) -> Option<(Vec<u8>, Vec<Store>)> {
    let context = scope.get_current_context();
    let state = WorkerState::of(scope)?;
    let plain = plain_prototype(scope, &state);
    let delegate = Box::new(Delegate {
        parcel: Rc::clone(parcel),
        ports: ports
            .iter()
            .map(|port| v8::Global::new(scope, *port))
            .collect(),
        plain_prototype: plain.clone(),
        shared_buffers: RefCell::default(),
    });
    let serializer = v8::ValueSerializer::new(scope, delegate);
    serializer.write_header();
    let mut number = 0;
    for buffer in transfer {
        serializer.transfer_array_buffer(number, *buffer);
        number += 1;
    }
    let mut copies = Vec::new();
    let large = if state.buffers.have_been_large() {
        large_buffers::find(scope, value, Some(&plain))
    } else {
        Vec::new()
    };
    for buffer in large {
        if transfer
            .iter()
            .any(|listed| listed.strict_equals(buffer.into()))
        {
            continue;
        }
        // Without memory for a copy apart, the bytes are written inline, where V8 tells of it.
        let Some(copy) = state.buffers.copy_store(buffer) else {
            continue;
        };
        serializer.transfer_array_buffer(number, buffer);
        copies.push(Store(copy.make_shared()));
        number += 1;
    }
    serializer.write_value(context, value)?;
    Some((serializer.release(), copies))
}

/// `Object.prototype`, which no script can replace.
pub(crate) fn plain_prototype(
    scope: &mut v8::PinScope,
    state: &WorkerState,
) -> v8::Global<v8::Value> {
    let known = state.plain_prototype.get_or_init(|| {
        let object = v8::Object::new(scope);
        let null = v8::null(scope).into();
        let prototype = object.get_prototype(scope).unwrap_or(null);
        v8::Global::new(scope, prototype)
    });
    known.clone()
}

/// Fails with the error of the standard unless the buffer can be detached.
fn check_transferable(scope: &mut v8::PinScope, buffer: v8::Local<v8::ArrayBuffer>) -> Option<()> {
    if buffer.was_detached() {
        crate::ops::throw_data_clone_error(
            scope,
            "An ArrayBuffer is detached and could not be transferred.",
        );
        return None;
    }
    if !buffer.is_detachable() {
        crate::ops::throw_data_clone_error(
            scope,
            "An ArrayBuffer that belongs to a WebAssembly memory cannot be transferred.",
        );
        return None;
    }
    Some(())
}

struct Delegate {
    parcel: Rc<RefCell<Parcel>>,
    ports: Vec<v8::Global<v8::Object>>,
    /// `Object.prototype`: an object that inherits from it directly is no host object.
    plain_prototype: v8::Global<v8::Value>,
    shared_buffers: RefCell<Vec<v8::Global<v8::SharedArrayBuffer>>>,
}

impl v8::ValueSerializerImpl for Delegate {
    fn throw_data_clone_error<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        message: v8::Local<'s, v8::String>,
    ) {
        let message = message.to_rust_string_lossy(scope);
        crate::ops::throw_data_clone_error(scope, &message);
    }

    fn has_custom_host_object(&self, _isolate: &v8::Isolate) -> bool {
        true
    }

    fn is_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        object: v8::Local<'s, v8::Object>,
    ) -> Option<bool> {
        // The common case first: nothing is looked up for a plain object.
        let prototype = object.get_prototype(scope)?;
        if self.plain_prototype == prototype || prototype.is_proxy() {
            return Some(false);
        }
        let state = WorkerState::of(scope)?;
        let answer = state
            .entry()?
            .call(scope, "isHostObject", &[object.into()])?;
        Some(answer.is_true())
    }

    fn write_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        object: v8::Local<'s, v8::Object>,
        serializer: &dyn v8::ValueSerializerHelper,
    ) -> Option<bool> {
        if let Some(index) = self.ports.iter().position(|port| *port == object) {
            serializer.write_uint32(TRANSFERRED_PORT);
            serializer.write_uint32(u32::try_from(index).ok()?);
            return Some(true);
        }
        // `[name, data]`, or a thrown DataCloneError.
        let state = WorkerState::of(scope)?;
        let written = state
            .entry()?
            .call(scope, "writeHostObject", &[object.into()])?;
        let pair = written.try_cast::<v8::Array>().ok()?;
        let name = pair.get_index(scope, 0)?;
        let data = pair.get_index(scope, 1)?;
        let context = scope.get_current_context();
        serializer.write_uint32(CLONED_OBJECT);
        serializer.write_value(context, name)?;
        serializer.write_value(context, data)
    }

    fn get_shared_array_buffer_id<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        buffer: v8::Local<'s, v8::SharedArrayBuffer>,
    ) -> Option<u32> {
        let mut known = self.shared_buffers.borrow_mut();
        if let Some(index) = known.iter().position(|earlier| *earlier == buffer) {
            return u32::try_from(index).ok();
        }
        known.push(v8::Global::new(scope, buffer));
        let mut parcel = self.parcel.borrow_mut();
        parcel.shared.push(Store(buffer.get_backing_store()));
        u32::try_from(parcel.shared.len() - 1).ok()
    }

    fn get_wasm_module_transfer_id(
        &self,
        _scope: &mut v8::PinScope<'_, '_>,
        module: v8::Local<v8::WasmModuleObject>,
    ) -> Option<u32> {
        let mut parcel = self.parcel.borrow_mut();
        parcel.wasm_modules.push(module.get_compiled_module());
        u32::try_from(parcel.wasm_modules.len() - 1).ok()
    }
}
