//! WebAssembly guests on wasmtime: memory that every worker sees ([`memory`]), modules compiled once ([`module`]), and instances, one per worker and
//! use ([`instance`]). `js-glue/src/wasm.js` gives scripts `isolane:wasm`.

pub(crate) mod instance;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod values;
