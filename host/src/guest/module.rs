//! Compiled modules.

use std::sync::Arc;

use wasmtime::{Engine, ExternType, Module};

use super::atomics::rewrite::{Added, rewrite};

/// A compiled module, by handle: workers share the code.
#[derive(Clone)]
pub(crate) struct GuestModule {
    pub(crate) code: Module,
    /// What the module did not have of its own.
    pub(crate) added: Option<Arc<Added>>,
}

impl GuestModule {
    /// Compiles the binary or the text format.
    pub(crate) fn compile(engine: &Engine, name: &str, bytes: &[u8]) -> Result<Self, String> {
        let fault = |error: &dyn std::fmt::Display| format!("{name}: {error:#}");
        let binary = wat::parse_bytes(bytes).map_err(|error| fault(&error))?;
        // First as it is, so that errors speak of the module that was given.
        Module::validate(engine, &binary).map_err(|error| fault(&error))?;
        let changed = rewrite(&binary).map_err(|error| fault(&error))?;
        let (binary, added) = match changed {
            Some((binary, added)) => (binary.into(), Some(Arc::new(added))),
            None => (binary, None),
        };
        let code = Module::from_binary(engine, &binary).map_err(|error| fault(&error))?;
        Ok(Self { code, added })
    }

    /// Module, name and kind of each import.
    pub(crate) fn imports(&self) -> Vec<[String; 3]> {
        let added = self.added.as_deref();
        self.code
            .imports()
            .filter(|import| !added.is_some_and(|added| added.has_import(import.module())))
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
        let added = self.added.as_deref();
        self.code
            .exports()
            .filter(|export| !added.is_some_and(|added| added.has_export(export.name())))
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
