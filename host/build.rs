//! Makes the start-up snapshot: evaluates the glue's entry module once, with all that it imports, and writes the heap that results to `glue.snapshot`.
//! The other files of the glue are deferred ones (`js-glue/src/deferred.js`): of them goes V8's code into `code/`, so that none is compiled when a worker
//! asks for it. `glue_contents.rs` lists both.
//!
//! Functions of the host appear in the snapshot only as places in the op table, so that stand-ins serve while it is made (see `src/ops/table.rs`); no op
//! may be called before a worker runs. The glue's own text is not in it: see `src/runtime/glue.rs`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt::Write as _;
use std::num::NonZeroI32;
use std::path::Path;
use std::{env, fs};

macro_rules! op_table {
    ($($name:ident: $function:path,)*) => {
        const OP_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}
include!("src/ops/table.rs");
include!("src/runtime/glue.rs");

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    for file in ["src/ops/table.rs", "src/runtime/glue.rs", "build.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    println!(
        "cargo::rustc-env=ISOLANE_WASMTIME_VERSION={}",
        wasmtime_version().unwrap_or_else(|| "48".to_owned())
    );
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let out = Path::new(&out);
    v8::V8::initialize_platform(v8::new_unprotected_default_platform(0, false).make_shared());
    v8::V8::initialize();
    let (snapshot, contents) = snapshot()?;
    fs::write(out.join("glue.snapshot"), &*snapshot)?;

    let mut list = format!("pub(crate) const IN_SNAPSHOT: &[usize] = &{contents:?};\n");
    list.push_str("pub(crate) const CODE: &[(usize, &[u8])] = &[\n");
    let folder = out.join("code");
    fs::create_dir_all(&folder)?;
    for (index, code) in code_of_deferred(snapshot, &contents)? {
        let file = folder.join(index.to_string());
        fs::write(&file, code)?;
        writeln!(list, "    ({index}, include_bytes!({file:?})),")?;
    }
    list.push_str("];\n");
    Ok(fs::write(out.join("glue_contents.rs"), list)?)
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

/// A distinct address for each op. V8 only compares it here.
fn stand_in(index: usize) -> v8::FunctionCallback {
    // SAFETY: a function pointer must not be null, and this one is not; it is never called, since no op is called while the glue is evaluated.
    unsafe { std::mem::transmute::<usize, v8::FunctionCallback>(0x1000 + index * 16) }
}

/// Stands in for the host's getter of lazy globals.
fn lazy_global(
    _: &mut v8::PinScope,
    _: v8::Local<v8::Name>,
    _: v8::PropertyCallbackArguments,
    _: v8::ReturnValue<v8::Value>,
) {
}

/// As `src/runtime/snapshot.rs` lists them.
fn external_references() -> Cow<'static, [v8::ExternalReference]> {
    let ops = (0..OP_NAMES.len()).map(|index| v8::ExternalReference {
        function: stand_in(index),
    });
    ops.chain([lazy_global_reference(lazy_global)])
        .chain(glue_text_references())
        .collect()
}

/// The snapshot, and the places of the files that are in it: the modules of its context data, which follow the entry points.
fn snapshot() -> Result<(v8::StartupData, Vec<usize>), Failure> {
    let mut isolate = v8::Isolate::snapshot_creator(Some(external_references()), None);
    isolate.set_slot(Glue::default());
    let contents = match fill(&mut isolate) {
        Ok(contents) => contents,
        Err(failure) => {
            // One that made no snapshot must not be dropped.
            std::mem::forget(isolate);
            return Err(failure);
        }
    };
    let blob = isolate.create_blob(v8::FunctionCodeHandling::Keep);
    Ok((blob.ok_or("V8 made no snapshot of the glue")?, contents))
}

/// Makes the context that the snapshot is of.
fn fill(isolate: &mut v8::OwnedIsolate) -> Result<Vec<usize>, Failure> {
    v8::scope!(let scope, isolate);
    let context = v8::Context::new(scope, Default::default());
    let scope = &mut v8::ContextScope::new(scope, context);
    install_ops(scope, context)?;
    let entry = evaluate(scope, context)?;
    define_lazy_globals(scope, context, entry)?;
    // Handles to modules must not outlive the isolate.
    let modules = scope.remove_slot::<Glue>().unwrap_or_default().modules;
    let mut contents: Vec<usize> = modules.keys().copied().collect();
    contents.sort_unstable();
    trim_primordials(scope, entry, &contents)?;
    scope.add_context_data(context, entry);
    for index in &contents {
        let module = v8::Local::new(scope, &modules[index]);
        scope.add_context_data(context, module);
    }
    scope.set_default_context(context);
    Ok(contents)
}

/// V8's code of the files that are not in the snapshot, which fits isolates that start from it.
fn code_of_deferred(
    snapshot: v8::StartupData,
    contents: &[usize],
) -> Result<Vec<(usize, Vec<u8>)>, Failure> {
    let params = v8::CreateParams::default()
        .snapshot_blob(snapshot)
        .external_references(external_references());
    let isolate = &mut v8::Isolate::new(params);
    v8::scope!(let scope, isolate);
    let context = v8::Context::new(scope, Default::default());
    let scope = &mut v8::ContextScope::new(scope, context);
    v8::tc_scope!(let scope, scope);
    let deferred = (0..GLUE_TEXTS.len()).filter(|index| !contents.contains(index));
    let mut codes = Vec::new();
    for index in deferred {
        let Some((module, _)) = compile_glue(scope, index, None) else {
            let exception = scope.exception().ok_or("a glue file did not compile")?;
            return Err(describe(scope, exception).into());
        };
        let code = module.get_unbound_module_script(scope).create_code_cache();
        codes.push((index, code.ok_or("V8 gave no code")?.to_vec()));
    }
    Ok(codes)
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

/// Takes `lazyGlobals` from the entry points, and defines each of them: a property that is a plain one to scripts, and is made when it is first read.
fn define_lazy_globals(
    scope: &mut v8::PinScope,
    context: v8::Local<v8::Context>,
    entry: v8::Local<v8::Object>,
) -> Result<(), Failure> {
    let files = take(scope, entry, "lazyGlobals")?;
    let names = files
        .get_own_property_names(scope, v8::GetPropertyNamesArgs::default())
        .ok_or("lazyGlobals has no names")?;
    let global = context.global(scope);
    for place in 0..names.length() {
        let name = names.get_index(scope, place).ok_or("no name")?;
        let path = files.get(scope, name).ok_or("no path")?;
        if isolane_js_glue::index(&path.to_rust_string_lossy(scope)).is_none() {
            let name = name.to_rust_string_lossy(scope);
            return Err(format!("js-glue/src/main.js: no file for {name}").into());
        }
        let name = name.try_cast::<v8::Name>()?;
        global
            .set_lazy_data_property_with_data(
                scope,
                name,
                lazy_global,
                path,
                v8::PropertyAttribute::DONT_ENUM,
                v8::SideEffectType::HasSideEffect,
                v8::SideEffectType::HasSideEffect,
            )
            .ok_or("V8 defined no property")?;
    }
    Ok(())
}

/// Takes an object from the entry points that only the build needs.
fn take<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    entry: v8::Local<v8::Object>,
    name: &str,
) -> Result<v8::Local<'s, v8::Object>, Failure> {
    let key = string(scope, name)?;
    let value = entry.get(scope, key.into());
    entry.delete(scope, key.into());
    value
        .and_then(|value| value.try_cast::<v8::Object>().ok())
        .ok_or_else(|| format!("js-glue/src/main.js has no {name} for the build").into())
}

/// Deletes from `primordials` what no file reads any more: those of the snapshot have taken theirs, but for what they write as `primordials.name`.
fn trim_primordials(
    scope: &mut v8::PinScope,
    entry: v8::Local<v8::Object>,
    contents: &[usize],
) -> Result<(), Failure> {
    let mut read = HashSet::new();
    for (index, (_, text)) in isolane_js_glue::SOURCES.iter().enumerate() {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if contents.contains(&index) {
            while words.any(|word| word == "primordials") {
                read.extend(words.clone().next());
            }
        } else {
            read.extend(words);
        }
    }
    let primordials = take(scope, entry, "primordials")?;
    let names = primordials
        .get_own_property_names(scope, v8::GetPropertyNamesArgs::default())
        .ok_or("primordials have no names")?;
    for place in 0..names.length() {
        let name = names.get_index(scope, place).ok_or("no name")?;
        if !read.contains(&*name.to_rust_string_lossy(scope)) {
            primordials.delete(scope, name);
        }
    }
    primordials
        .set_integrity_level(scope, v8::IntegrityLevel::Frozen)
        .ok_or("V8 did not freeze the primordials")?;
    Ok(())
}

/// The glue's modules while they are linked, by their files' places.
#[derive(Default)]
struct Glue {
    modules: HashMap<usize, v8::Global<v8::Module>>,
    places: HashMap<NonZeroI32, usize>,
}

/// Evaluates the entry module and returns what it hands the host.
fn evaluate<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    context: v8::Local<'s, v8::Context>,
) -> Result<v8::Local<'s, v8::Object>, Failure> {
    v8::tc_scope!(let scope, scope);
    let entry = isolane_js_glue::index(isolane_js_glue::ENTRY).ok_or("no entry module")?;
    let entry = load(scope, entry)?;
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
    index: usize,
) -> Result<v8::Local<'s, v8::Module>, Failure> {
    let known = scope.get_slot::<Glue>();
    if let Some(module) = known.and_then(|glue| glue.modules.get(&index)).cloned() {
        return Ok(v8::Local::new(scope, module));
    }
    v8::tc_scope!(let scope, scope);
    let Some((module, _)) = compile_glue(scope, index, None) else {
        let exception = scope.exception().ok_or("a glue file did not compile")?;
        return Err(describe(scope, exception).into());
    };
    let handle = v8::Global::new(scope, module);
    if let Some(glue) = scope.get_slot_mut::<Glue>() {
        glue.modules.insert(index, handle);
        glue.places.insert(module.get_identity_hash(), index);
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
    let places = &scope.get_slot::<Glue>()?.places;
    let (from, _) = isolane_js_glue::SOURCES[*places.get(&referrer.get_identity_hash())?];
    let module = resolve_glue(from, &specifier)
        .ok_or_else(|| "no such file".into())
        .and_then(|index| load(scope, index));
    match module {
        Ok(module) => Some(module),
        Err(failure) => {
            let text = format!("{from}: import of '{specifier}': {failure}");
            let text = v8::String::new(scope, &text)?;
            let exception = v8::Exception::error(scope, text);
            scope.throw_exception(exception);
            None
        }
    }
}
