//! A message that does not fit slots, between two threads.

use crate::guest::memory::GuestMemory;
use crate::guest::module::GuestModule;
use crate::lane::endpoint::Endpoint;
use crate::lane::quota::Charge;

/// A V8 backing store on its way to another isolate.
pub(crate) struct Store(pub(crate) v8::SharedRef<v8::BackingStore>);

// SAFETY: the reference count behind `SharedRef` is a C++ `shared_ptr`'s, which is atomic. The bytes are reached by one thread at a time if the store
// was detached from its buffer (which `serialize` does before it puts a store here), or are those of a SharedArrayBuffer, which JavaScript lets many
// threads reach.
unsafe impl Send for Store {}

/// A host object that is shared by handle.
#[derive(Clone)]
pub(crate) enum Shared {
    Memory(GuestMemory),
    Module(GuestModule),
}

/// A structured value and what it hands over.
#[derive(Default)]
pub(crate) struct Parcel {
    /// V8's serialisation format.
    pub(crate) bytes: Vec<u8>,
    /// Stores of ArrayBuffers, by their transfer number. Owned by the parcel alone.
    pub(crate) moved: Vec<Store>,
    /// Stores of SharedArrayBuffers, by their clone number.
    pub(crate) shared: Vec<Store>,
    pub(crate) wasm_modules: Vec<v8::CompiledWasmModule>,
    /// Ports, in the order of the transfer list.
    pub(crate) ports: Vec<Endpoint>,
    /// Host objects, by the number that the glue wrote.
    pub(crate) attachments: Vec<Shared>,
    /// What it holds of its receiver's quota.
    pub(crate) charge: Option<Charge>,
}

/// What a parcel counts for at least: its slot's size.
const LEAST_BYTES: usize = 64;

impl Parcel {
    /// Bytes that it keeps in memory until it is received: its serialised form and the buffers that it owns. What is shared is not counted.
    pub(crate) fn byte_length(&self) -> usize {
        let stores = self.moved.iter().map(|store| store.0.byte_length());
        counted_bytes(self.bytes.len(), stores)
    }
}

/// The same of a parcel that is not made yet.
pub(crate) fn counted_bytes(serialised: usize, stores: impl Iterator<Item = usize>) -> usize {
    stores
        .fold(serialised, usize::saturating_add)
        .max(LEAST_BYTES)
}
