//! Compiled modules.

use wasmtime::{Engine, ExternType, Module};

/// A compiled module, by handle: workers share the code.
#[derive(Clone)]
pub(crate) struct GuestModule(pub(crate) Module);

impl GuestModule {
    /// Compiles the binary or the text format.
    pub(crate) fn compile(engine: &Engine, name: &str, bytes: &[u8]) -> Result<Self, String> {
        Module::new(engine, bytes)
            .map(Self)
            .map_err(|error| format!("{name}: {error:#}"))
    }

    /// Module, name and kind of each import.
    pub(crate) fn imports(&self) -> Vec<[String; 3]> {
        self.0
            .imports()
            .map(|import| {
                [
                    import.module().to_owned(),
                    import.name().to_owned(),
                    kind(&import.ty()).to_owned(),
                ]
            })
            .collect()
    }

    /// Name and kind of each export.
    pub(crate) fn exports(&self) -> Vec<[String; 2]> {
        self.0
            .exports()
            .map(|export| [export.name().to_owned(), kind(&export.ty()).to_owned()])
            .collect()
    }
}

/// The names of the WebAssembly JavaScript interface.
pub(crate) fn kind(ty: &ExternType) -> &'static str {
    match ty {
        ExternType::Func(_) => "function",
        ExternType::Global(_) => "global",
        ExternType::Table(_) => "table",
        ExternType::Memory(_) => "memory",
        ExternType::Tag(_) => "tag",
    }
}
