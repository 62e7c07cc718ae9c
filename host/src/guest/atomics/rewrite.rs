//! Turns a module's waits into calls of the host.
//!
//! wasmtime parks a thread in `memory.atomic.wait32` and `wait64` where a notification alone can wake it; neither the epoch nor anything else that the
//! host can do reaches it, and its worker could not be ended. So modules with a shared memory that use these instructions are changed before they are
//! compiled: each becomes a call of an imported function that does the same by the host's own lot ([`super::lot`]), and with them
//! `memory.atomic.notify`, which has to find the waiters there. Modules without them are left alone.
//!
//! What is added: types at the end of the type section, imports at the end of the import section (functions that the module defines move up by their
//! number), and exports of the memories, so that the host finds them. Their names are chosen to clash with none of the module's.

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    ExportKind, ExportSection, Function, ImportSection, Instruction, Module, SectionId,
    TypeSection, ValType,
};
use wasmparser::{MemArgTarget, Operator, Parser, Payload, TypeRef};

/// The instructions that are replaced, in the order of the imports for one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Wait32,
    Wait64,
    Notify,
}

pub(super) const ACCESSES: [Access; 3] = [Access::Wait32, Access::Wait64, Access::Notify];

impl Access {
    fn name(self) -> &'static str {
        match self {
            Self::Wait32 => "wait32",
            Self::Wait64 => "wait64",
            Self::Notify => "notify",
        }
    }
}

/// What was added to a module.
#[derive(Clone)]
pub(crate) struct Added {
    /// The module name of the added imports.
    pub(super) namespace: String,
    /// Whether each memory is shared. Shared ones are exported.
    shared: Vec<bool>,
    /// The index of the first added function.
    first: u32,
}

impl Added {
    /// Whether an import of the changed module was added.
    pub(crate) fn has_import(&self, module: &str) -> bool {
        module == self.namespace
    }

    /// Whether an export of the changed module was added.
    pub(crate) fn has_export(&self, name: &str) -> bool {
        name.strip_prefix(self.namespace.as_str())
            .is_some_and(|rest| rest.starts_with(':'))
    }

    /// The name under which a memory is exported.
    pub(super) fn memory(&self, memory: usize) -> String {
        format!("{}:{memory}", self.namespace)
    }

    /// A backtrace as the module that was given has it: by the numbers of its own functions, and without places in code that it does not have.
    pub(in crate::guest) fn trace(&self, backtrace: &wasmtime::WasmBacktrace) -> String {
        let mut text = "error while executing at wasm backtrace:".to_owned();
        for (number, frame) in backtrace.frames().iter().enumerate() {
            let module = frame.module().name().unwrap_or("<unknown>");
            let own = self.own_index(frame.func_index());
            let named = frame.func_name().map(str::to_owned);
            let function = named.unwrap_or_else(|| format!("<wasm function {own}>"));
            text.push_str(&format!("\n  {number:>3}: {module}!{function}"));
        }
        text
    }

    /// The index that a function of the changed module had before.
    fn own_index(&self, index: u32) -> u32 {
        if index < self.first {
            index
        } else {
            index
                - u32::try_from(self.imports().count())
                    .unwrap_or(0)
                    .min(index)
        }
    }

    /// The access and the memory of each added import, and its name.
    pub(super) fn imports(&self) -> impl Iterator<Item = (Access, usize, String)> {
        let shared = (0..self.shared.len()).filter(|memory| self.shared[*memory]);
        shared.flat_map(|memory| {
            ACCESSES.map(|access| (access, memory, format!("{}:{memory}", access.name())))
        })
    }
}

/// A changed module, if the valid module `binary` needs it.
pub(in crate::guest) fn rewrite(
    binary: &[u8],
) -> Result<Option<(Vec<u8>, Added)>, reencode::Error> {
    let survey = Survey::of(binary)?;
    if !survey.waits {
        return Ok(None);
    }
    let added = Added {
        shared: survey.memories.iter().map(|memory| memory.shared).collect(),
        namespace: survey.namespace,
        first: survey.imported_functions,
    };
    let first = added.first;
    let targets: Vec<_> = added
        .imports()
        .map(|(access, memory, _)| (access, memory))
        .collect();
    let mut rewriter = Rewriter {
        added: &added,
        memories: &survey.memories,
        types: survey.types,
        first,
        targets,
        imports_written: false,
        exports_written: false,
    };
    let mut module = Module::new();
    rewriter.parse_core_module(&mut module, Parser::new(0), binary)?;
    Ok(Some((module.finish(), added)))
}

#[derive(Clone, Copy)]
struct Memory {
    shared: bool,
    wide: bool,
}

/// What has to be known before the first section is written.
#[derive(Default)]
struct Survey {
    types: u32,
    imported_functions: u32,
    memories: Vec<Memory>,
    waits: bool,
    namespace: String,
}

impl Survey {
    fn of(binary: &[u8]) -> wasmparser::Result<Self> {
        let mut survey = Self {
            namespace: "isolane:atomics".to_owned(),
            ..Self::default()
        };
        let mut names = Vec::new();
        for payload in Parser::new(0).parse_all(binary) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        let types = group?.types().count();
                        survey.types += u32::try_from(types).unwrap_or(u32::MAX);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        names.push(import.module);
                        match import.ty {
                            TypeRef::Func(_) | TypeRef::FuncExact(_) => {
                                survey.imported_functions += 1
                            }
                            TypeRef::Memory(memory) => survey.add_memory(memory),
                            _ => {}
                        }
                    }
                }
                Payload::MemorySection(section) => {
                    for memory in section {
                        survey.add_memory(memory?);
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        names.push(export?.name);
                    }
                }
                Payload::CodeSectionEntry(body)
                    if survey.memories.iter().any(|memory| memory.shared) =>
                {
                    let mut operators = body.get_operators_reader()?;
                    while !survey.waits && !operators.eof() {
                        survey.waits = Replaced::of(&survey.memories, &operators.read()?).is_some();
                    }
                }
                _ => {}
            }
        }
        while names.iter().any(|name| name.starts_with(&survey.namespace)) {
            survey.namespace.push('\'');
        }
        Ok(survey)
    }

    fn add_memory(&mut self, memory: wasmparser::MemoryType) {
        self.memories.push(Memory {
            shared: memory.shared,
            wide: memory.memory64,
        });
    }
}

/// An instruction that is replaced.
struct Replaced {
    access: Access,
    memory: usize,
    offset: u64,
}

impl Replaced {
    /// Without a shared memory a wait traps and a notification finds nobody: those stay as they are.
    fn of(memories: &[Memory], operator: &Operator) -> Option<Self> {
        let (access, memarg) = match operator {
            Operator::MemoryAtomicWait32 { memarg } => (Access::Wait32, memarg),
            Operator::MemoryAtomicWait64 { memarg } => (Access::Wait64, memarg),
            Operator::MemoryAtomicNotify { memarg } => (Access::Notify, memarg),
            _ => return None,
        };
        let MemArgTarget::Memory(memory) = memarg.target else {
            return None;
        };
        let memory = usize::try_from(memory).ok()?;
        memories.get(memory)?.shared.then_some(Self {
            access,
            memory,
            offset: memarg.offset,
        })
    }
}

struct Rewriter<'a> {
    added: &'a Added,
    memories: &'a [Memory],
    /// Types of the module as it was; ours follow.
    types: u32,
    /// The index of the first added function.
    first: u32,
    /// Access and memory of the added functions, in order.
    targets: Vec<(Access, usize)>,
    imports_written: bool,
    exports_written: bool,
}

impl Rewriter<'_> {
    fn count(&self) -> u32 {
        u32::try_from(self.targets.len()).unwrap_or(u32::MAX)
    }

    /// The parameters of an added function: those of the instruction, then the offset that the instruction holds.
    fn parameters(&self, access: Access, memory: usize) -> Vec<ValType> {
        let wide = self.memories.get(memory).is_some_and(|memory| memory.wide);
        let address = if wide { ValType::I64 } else { ValType::I32 };
        match access {
            Access::Wait32 => vec![address, ValType::I32, ValType::I64, ValType::I64],
            Access::Wait64 => vec![address, ValType::I64, ValType::I64, ValType::I64],
            Access::Notify => vec![address, ValType::I32, ValType::I64],
        }
    }

    fn add_imports(&mut self, section: &mut ImportSection) {
        self.imports_written = true;
        for ((_, _, name), ty) in self.added.imports().zip(self.types..) {
            section.import(
                &self.added.namespace,
                &name,
                wasm_encoder::EntityType::Function(ty),
            );
        }
    }

    fn add_exports(&mut self, section: &mut ExportSection) {
        self.exports_written = true;
        for (index, memory) in (0_u32..).zip(self.memories) {
            if memory.shared {
                section.export(
                    &self.added.memory(index as usize),
                    ExportKind::Memory,
                    index,
                );
            }
        }
    }
}

/// Where a section stands in a module.
fn order(section: SectionId) -> u8 {
    match section {
        SectionId::Type => 1,
        SectionId::Import => 2,
        SectionId::Export => 8,
        // Between imports and exports.
        SectionId::Function
        | SectionId::Table
        | SectionId::Memory
        | SectionId::Tag
        | SectionId::Global => 5,
        _ => 9,
    }
}

impl Reencode for Rewriter<'_> {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error> {
        Ok(if function < self.first {
            function
        } else {
            function.saturating_add(self.count())
        })
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_type_section(self, types, section)?;
        for (access, memory) in &self.targets {
            types
                .ty()
                .function(self.parameters(*access, *memory), [ValType::I32]);
        }
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_import_section(self, imports, section)?;
        self.add_imports(imports);
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), reencode::Error> {
        reencode::utils::parse_export_section(self, exports, section)?;
        self.add_exports(exports);
        Ok(())
    }

    /// Writes the sections that the module does not have, at their places.
    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), reencode::Error> {
        let next = before.map_or(u8::MAX, order);
        if !self.imports_written && next > order(SectionId::Import) {
            let mut imports = ImportSection::new();
            self.add_imports(&mut imports);
            module.section(&imports);
        }
        if !self.exports_written && next > order(SectionId::Export) {
            let mut exports = ExportSection::new();
            self.add_exports(&mut exports);
            module.section(&exports);
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut wasm_encoder::CodeSection,
        body: wasmparser::FunctionBody<'_>,
    ) -> Result<(), reencode::Error> {
        let mut function: Function = self.new_function_with_parsed_locals(&body)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            let Some(replaced) = Replaced::of(self.memories, &operator) else {
                function.instruction(&self.instruction(operator)?);
                continue;
            };
            let wanted = (replaced.access, replaced.memory);
            let target = self.targets.iter().position(|target| *target == wanted);
            let target = target
                .and_then(|target| u32::try_from(target).ok())
                .unwrap_or(0);
            // Offsets are unsigned; the host reads the bits as they were.
            function.instruction(&Instruction::I64Const(replaced.offset.cast_signed()));
            function.instruction(&Instruction::Call(self.first.saturating_add(target)));
        }
        code.function(&function);
        Ok(())
    }
}
