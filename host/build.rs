//! Makes the start-up snapshot: evaluates the glue once, and writes the heap that results to `glue.snapshot`.
//!
//! Functions of the host appear in the snapshot only as places in the op table, so that stand-ins serve while it is made (see
//! `src/ops/table.rs`); no op may be called before a worker runs. The glue's own text is not in it: see `src/runtime/glue_texts.rs`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

macro_rules! op_table {
    ($($name:ident: $function:path,)*) => {
        const OP_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}
include!("src/ops/table.rs");
include!("src/runtime/glue_texts.rs");

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    println!("cargo::rerun-if-changed=src/ops/table.rs");
    println!("cargo::rerun-if-changed=src/runtime/glue_texts.rs");
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-env=ISOLANE_WASMTIME_VERSION={}",
        wasmtime_version().unwrap_or_else(|| "48".to_owned())
    );
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    fs::write(Path::new(&out).join("glue.snapshot"), &*snapshot()?)?;
    Ok(())
}

/// The exact version of the `wasmtime` crate, which the crate does not tell at run time.
fn wasmtime_version() -> Option<String> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR")?;
    let lock_file = Path::new(&manifest).join("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock_file.display());
    let lock = fs::read_to_string(lock_file).ok()?;
    let entry = lock
        .split("[[package]]")
        .find(|entry| entry.contains("name = \"wasmtime\"\n"))?;
    Some(
        entry
            .split("version = \"")
            .nth(1)?
            .split('"')
            .next()?
            .to_owned(),
    )
}

/// A distinct address for each op. V8 only compares it while the snapshot is made.
fn stand_in(index: usize) -> v8::FunctionCallback {
    // SAFETY: a function pointer must not be null, and this one is not; it is never called, since no op is called while the glue is evaluated.
    unsafe { std::mem::transmute::<usize, v8::FunctionCallback>(0x1000 + index * 16) }
}

fn snapshot() -> Result<v8::StartupData, Failure> {
    v8::V8::initialize_platform(v8::new_unprotected_default_platform(0, false).make_shared());
    v8::V8::initialize();
    let ops = (0..OP_NAMES.len()).map(|index| v8::ExternalReference {
        function: stand_in(index),
    });
    let references = ops.chain(glue_text_references()).collect();
    let mut isolate = v8::Isolate::snapshot_creator(Some(Cow::Owned(references)), None);
    isolate.set_slot(Glue::default());
    if let Err(failure) = fill(&mut isolate) {
        // One that made no snapshot must not be dropped.
        std::mem::forget(isolate);
        return Err(failure);
    }
    isolate
        .create_blob(v8::FunctionCodeHandling::Keep)
        .ok_or_else(|| "V8 made no snapshot of the glue".into())
}

/// Makes the context that the snapshot is of.
fn fill(isolate: &mut v8::OwnedIsolate) -> Result<(), Failure> {
    v8::scope!(let scope, isolate);
    let context = v8::Context::new(scope, Default::default());
    let scope = &mut v8::ContextScope::new(scope, context);
    install_ops(scope, context)?;
    let entry = evaluate(scope, context)?;
    scope.add_context_data(context, entry);
    scope.set_default_context(context);
    // Handles to modules must not outlive the isolate.
    scope.remove_slot::<Glue>();
    Ok(())
}

fn string<'s>(
    scope: &v8::PinScope<'s, '_, ()>,
    text: &str,
) -> Result<v8::Local<'s, v8::String>, Failure> {
    v8::String::new(scope, text).ok_or_else(|| "a string is too long for V8".into())
}

fn install_ops(scope: &mut v8::PinScope, context: v8::Local<v8::Context>) -> Result<(), Failure> {
    let ops = v8::Object::new(scope);
    for (index, name) in OP_NAMES.iter().enumerate() {
        let key = string(scope, name)?;
        let function = v8::Function::builder_raw(stand_in(index))
            .constructor_behavior(v8::ConstructorBehavior::Throw)
            .build(scope)
            .ok_or("V8 made no function")?;
        function.set_name(key);
        ops.set(scope, key.into(), function.into());
    }
    let key = string(scope, "__isolane_ops")?;
    context.global(scope).set(scope, key.into(), ops.into());
    Ok(())
}

/// The glue's modules while they are linked.
#[derive(Default)]
struct Glue {
    by_path: HashMap<String, v8::Global<v8::Module>>,
    paths: HashMap<std::num::NonZeroI32, String>,
}

/// Evaluates the entry module and returns what it hands the host.
fn evaluate<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    context: v8::Local<'s, v8::Context>,
) -> Result<v8::Local<'s, v8::Object>, Failure> {
    v8::tc_scope!(let scope, scope);
    let entry = load(scope, isolane_js_glue::ENTRY)?;
    let done = entry
        .instantiate_module(scope, resolve)
        .and_then(|_| entry.evaluate(scope));
    scope.perform_microtask_checkpoint();
    let failure = if entry.get_status() == v8::ModuleStatus::Errored {
        Some(entry.get_exception())
    } else {
        scope.exception()
    };
    if let Some(exception) = failure {
        return Err(describe(scope, exception).into());
    }
    done.ok_or("the glue did not run")?;
    let global = context.global(scope);
    let ops_key = string(scope, "__isolane_ops")?;
    global.delete(scope, ops_key.into());
    let key = string(scope, "__isolane_entry")?;
    let value = global
        .get(scope, key.into())
        .ok_or("main.js sets no __isolane_entry")?;
    global.delete(scope, key.into());
    value
        .try_cast::<v8::Object>()
        .map_err(|_| "__isolane_entry is no object".into())
}

fn describe(scope: &mut v8::PinScope, exception: v8::Local<v8::Value>) -> String {
    let message = v8::Exception::create_message(scope, exception);
    let file = message
        .get_script_resource_name(scope)
        .map(|name| name.to_rust_string_lossy(scope))
        .unwrap_or_default();
    let line = message.get_line_number(scope).unwrap_or(0);
    format!(
        "js-glue/src/{file}:{line}:{}: {}",
        message.get_start_column().wrapping_add(1),
        message.get(scope).to_rust_string_lossy(scope)
    )
}

fn load<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
) -> Result<v8::Local<'s, v8::Module>, Failure> {
    if let Some(module) = scope
        .get_slot::<Glue>()
        .and_then(|glue| glue.by_path.get(path))
        .cloned()
    {
        return Ok(v8::Local::new(scope, module));
    }
    let text = isolane_js_glue::index(path).and_then(|index| GLUE_TEXTS.get(index));
    let text = text.ok_or_else(|| format!("no glue file {path}"))?;
    let text =
        v8::String::new_from_onebyte_const(scope, text).ok_or("a file is too long for V8")?;
    let name = string(scope, &format!("isolane:glue/{path}"))?;
    let origin = v8::ScriptOrigin::new(
        scope,
        name.into(),
        0,
        0,
        false,
        0,
        None,
        false,
        false,
        true,
        None,
    );
    let mut source = v8::script_compiler::Source::new(text, Some(&origin));
    v8::tc_scope!(let scope, scope);
    let Some(module) = v8::script_compiler::compile_module2(
        scope,
        &mut source,
        v8::script_compiler::CompileOptions::FollowCompileHintsMagicComment,
        v8::script_compiler::NoCacheReason::NoReason,
    ) else {
        let exception = scope.exception().ok_or("a glue file did not compile")?;
        return Err(describe(scope, exception).into());
    };
    let handle = v8::Global::new(scope, module);
    if let Some(glue) = scope.get_slot_mut::<Glue>() {
        glue.by_path.insert(path.to_owned(), handle);
        glue.paths
            .insert(module.get_identity_hash(), path.to_owned());
    }
    Ok(module)
}

fn resolve<'s>(
    context: v8::Local<'s, v8::Context>,
    specifier: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
    referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    v8::callback_scope!(unsafe scope, context);
    let specifier = specifier.to_rust_string_lossy(scope);
    let from = scope
        .get_slot::<Glue>()?
        .paths
        .get(&referrer.get_identity_hash())?
        .clone();
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    match load(scope, &parts.join("/")) {
        Ok(module) => Some(module),
        Err(failure) => {
            let text = v8::String::new(
                scope,
                &format!("{from}: import of '{specifier}': {failure}"),
            )?;
            let exception = v8::Exception::error(scope, text);
            scope.throw_exception(exception);
            None
        }
    }
}
