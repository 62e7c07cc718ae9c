//! WebAssembly guests on wasmtime: memory that every worker sees ([`memory`]), modules compiled once ([`module`]), instances, one per worker and use
//! ([`instance`]), and their waits for words of shared memory ([`atomics`]). `js-glue/src/wasm.js` gives scripts `isolane:wasm`.

pub(crate) mod atomics;
pub(crate) mod instance;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod values;
