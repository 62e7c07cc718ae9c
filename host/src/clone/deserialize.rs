//! StructuredDeserializeWithTransfer (HTML §2.7.8): a parcel becomes a value.

use std::cell::RefCell;

use v8::ValueDeserializerHelper;

use super::parcel::{Parcel, Shared};
use super::serialize::{CLONED_OBJECT, TRANSFERRED_PORT};
use super::text;
use crate::worker::state::WorkerState;

/// Reads the parcel. Its ports become this worker's, and their objects are put into `ports`, in the order of the transfer list. None: an exception
/// is pending.
pub(crate) fn deserialize<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    parcel: Parcel,
    ports: Option<v8::Local<'s, v8::Array>>,
) -> Option<v8::Local<'s, v8::Value>> {
    // What is one string needs nothing beside it; ports come to be this worker's whatever the value is.
    if parcel.ports.is_empty()
        && let Some(text) = text::read(scope, &parcel.bytes)
    {
        return Some(text.into());
    }
    let state = WorkerState::of(scope)?;
    let mut objects = Vec::with_capacity(parcel.ports.len());
    for endpoint in parcel.ports {
        let key = state.add_port(endpoint);
        let key = v8::Number::new(scope, f64::from(key)).into();
        let object = state.entry()?.call(scope, "adoptPort", &[key])?;
        if let Some(ports) = ports {
            ports.set_index(scope, ports.length(), object)?;
        }
        objects.push(v8::Global::new(scope, object));
    }
    state.reading.borrow_mut().push(parcel.attachments);
    let shared = parcel.shared.iter().map(|store| {
        let buffer = v8::SharedArrayBuffer::with_backing_store(scope, &store.0);
        v8::Global::new(scope, buffer)
    });
    let shared = shared.collect();
    let delegate = Box::new(Delegate {
        shared,
        ports: objects,
        wasm_modules: RefCell::new(parcel.wasm_modules),
    });
    let deserializer = v8::ValueDeserializer::new(scope, delegate, &parcel.bytes);
    for (number, store) in (0..).zip(&parcel.moved) {
        state.buffers.note(store.0.len());
        state.passing.comes(scope, store.0.len());
        let buffer = v8::ArrayBuffer::with_backing_store(scope, &store.0);
        deserializer.transfer_array_buffer(number, buffer);
    }
    let context = scope.get_current_context();
    let value = if deserializer.read_header(context) == Some(true) {
        deserializer.read_value(context)
    } else {
        None
    };
    state.reading.borrow_mut().pop();
    value
}

struct Delegate {
    ports: Vec<v8::Global<v8::Value>>,
    shared: Vec<v8::Global<v8::SharedArrayBuffer>>,
    wasm_modules: RefCell<Vec<v8::CompiledWasmModule>>,
}

impl v8::ValueDeserializerImpl for Delegate {
    fn read_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        deserializer: &dyn v8::ValueDeserializerHelper,
    ) -> Option<v8::Local<'s, v8::Object>> {
        let mut kind = 0;
        if !deserializer.read_uint32(&mut kind) {
            return None;
        }
        match kind {
            TRANSFERRED_PORT => {
                let mut index = 0;
                if !deserializer.read_uint32(&mut index) {
                    return None;
                }
                let port = self.ports.get(index as usize)?;
                v8::Local::new(scope, port).try_cast().ok()
            }
            CLONED_OBJECT => {
                let context = scope.get_current_context();
                let name = deserializer.read_value(context)?;
                let data = deserializer.read_value(context)?;
                // V8 forbids scripts while it reads, so that no getter on a prototype runs; the glue's reader runs none either.
                v8::allow_javascript_execution_scope!(let scope, scope);
                WorkerState::of(scope)?
                    .entry()?
                    .call(scope, "readHostObject", &[name, data])?
                    .try_cast()
                    .ok()
            }
            _ => None,
        }
    }

    fn get_shared_array_buffer_from_id<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        id: u32,
    ) -> Option<v8::Local<'s, v8::SharedArrayBuffer>> {
        let buffer = self.shared.get(id as usize)?;
        Some(v8::Local::new(scope, buffer))
    }

    fn get_wasm_module_from_id<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        id: u32,
    ) -> Option<v8::Local<'s, v8::WasmModuleObject>> {
        let modules = self.wasm_modules.borrow();
        v8::WasmModuleObject::from_compiled_module(scope, modules.get(id as usize)?)
    }
}

/// The attachment of the parcel being read that the glue asks for.
pub(crate) fn attachment(state: &WorkerState, number: usize) -> Option<Shared> {
    state.reading.borrow().last()?.get(number).cloned()
}
