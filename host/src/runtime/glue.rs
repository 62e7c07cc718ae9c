// The glue as V8 gets it. `build.rs`, which makes the start-up snapshot, and the crate, which starts from it, both include this file: a snapshot refers
// to a text by its place in the list.

/// The texts, in the order of [`isolane_js_glue::SOURCES`]. V8 uses them in place, so that no isolate has a copy.
pub(crate) static GLUE_TEXTS: [v8::OneByteConst; isolane_js_glue::SOURCES.len()] = {
    let mut texts =
        [v8::String::create_external_onebyte_const(b""); isolane_js_glue::SOURCES.len()];
    let mut index = 0;
    while index < texts.len() {
        let text = isolane_js_glue::SOURCES[index].1.as_bytes();
        // SAFETY: the glue's build lets nothing through that is not ASCII.
        texts[index] = unsafe { v8::String::create_external_onebyte_const_unchecked(text) };
        index += 1;
    }
    texts
};

/// The getter of lazy globals, to follow the ops among V8's external references.
pub(crate) fn lazy_global_reference(
    getter: impl v8::MapFnTo<v8::AccessorNameGetterCallback>,
) -> v8::ExternalReference {
    v8::ExternalReference {
        pointer: getter.map_fn_to() as *mut std::ffi::c_void,
    }
}

/// To follow the functions there.
pub(crate) fn glue_text_references() -> impl Iterator<Item = v8::ExternalReference> {
    GLUE_TEXTS.iter().map(|text| v8::ExternalReference {
        pointer: std::ptr::from_ref(text).cast_mut().cast(),
    })
}

/// The file at this place as a module that is not linked yet, by way of the code cache if there is one; and whether V8 took that. None: an exception is
/// pending.
pub(crate) fn compile_glue<'s>(
    scope: &v8::PinScope<'s, '_>,
    index: usize,
    code_cache: Option<&[u8]>,
) -> Option<(v8::Local<'s, v8::Module>, bool)> {
    use v8::script_compiler::{CachedData, CompileOptions, NoCacheReason, Source, compile_module2};
    let (path, _) = isolane_js_glue::SOURCES.get(index)?;
    let text = v8::String::new_from_onebyte_const(scope, GLUE_TEXTS.get(index)?)?;
    let name = v8::String::new(scope, &format!("isolane:glue/{path}"))?;
    let name = name.into();
    let origin =
        v8::ScriptOrigin::new(scope, name, 0, 0, false, 0, None, false, false, true, None);
    let (mut source, options) = match code_cache {
        Some(code) => (
            Source::new_with_cached_data(text, Some(&origin), CachedData::new(code)),
            CompileOptions::ConsumeCodeCache,
        ),
        // A file that says so is compiled whole, not function by function when they are called.
        None => (
            Source::new(text, Some(&origin)),
            CompileOptions::FollowCompileHintsMagicComment,
        ),
    };
    let module = compile_module2(scope, &mut source, options, NoCacheReason::NoReason)?;
    let taken = source.get_cached_data().is_some_and(|code| !code.rejected());
    Some((module, taken))
}

/// The place of the file that `specifier` names in an import of the file at `path`.
pub(crate) fn resolve_glue(path: &str, specifier: &str) -> Option<usize> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    isolane_js_glue::index(&parts.join("/"))
}
