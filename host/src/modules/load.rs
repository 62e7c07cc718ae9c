//! "Fetch the descendants of a module script" (HTML §8.1.5): reads and compiles a graph of modules.
//!
//! An error names the module, the place of the import that asked for it, and the chain of imports that leads there.

use std::rc::Rc;

use ::url::Url;

use super::builtin;
use super::map::ModuleType;
use super::resolve::{resolve, shortened};
use crate::worker::state::WorkerState;

/// Who asked for a module, and who asked for that one; the worker's first module was asked for by nobody.
pub(crate) struct Importer<'a> {
    /// `file:///x.mjs:3:8`
    pub(crate) place: String,
    pub(crate) above: Option<&'a Importer<'a>>,
}

/// Graphs deeper than this are refused instead of overflowing the thread's stack.
const DEEPEST: usize = 2_000;

/// Loads the first module of a worker with all that it imports. None: an exception is pending.
pub(crate) fn load_main<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    url: &Url,
    text: Option<&str>,
) -> Option<v8::Local<'s, v8::Module>> {
    if let Some(text) = text {
        return compile_with_imports(scope, state, url, text, None);
    }
    load(scope, state, url, ModuleType::JavaScript, None)
}

/// Loads a module with all that it imports, unless the worker has it. None: an exception is pending.
pub(crate) fn load<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    url: &Url,
    kind: ModuleType,
    importer: Option<&Importer<'_>>,
) -> Option<v8::Local<'s, v8::Module>> {
    if let Some(module) = state.modules.get(url, kind) {
        return Some(v8::Local::new(scope, module));
    }
    if matches!(url.scheme(), "node" | "isolane") {
        let module = builtin::create(scope, state, url)?;
        state.modules.insert(scope, url, kind, module);
        return Some(module);
    }
    let text = match read(state, url, kind) {
        Ok(text) => text,
        Err(reason) => {
            throw(
                scope,
                &format!("Cannot load module {}: {reason}", shortened(url)),
                importer,
            );
            return None;
        }
    };
    match kind {
        ModuleType::JavaScript => compile_with_imports(scope, state, url, &text, importer),
        ModuleType::Json => {
            let module = builtin::create_json(scope, url, &text, importer)?;
            state.modules.insert(scope, url, kind, module);
            Some(module)
        }
    }
}

fn read(state: &WorkerState, url: &Url, kind: ModuleType) -> Result<String, String> {
    let bytes = match url.scheme() {
        "file" => {
            let path = url
                .to_file_path()
                .map_err(|()| "the URL names no file of this machine".to_owned())?;
            let checked = match kind {
                ModuleType::JavaScript => state.permissions.check_import_code(&path, "import"),
                ModuleType::Json => state.permissions.check_import(&path, "import"),
            };
            let path = checked.map_err(|denied| denied.to_string())?;
            std::fs::read(&path).map_err(|error| describe(&error))?
        }
        _ => {
            let data = data_url::DataUrl::process(url.as_str())
                .map_err(|_| "the data: URL is malformed".to_owned())?;
            check_mime(data.mime_type(), kind)?;
            data.decode_to_vec()
                .map_err(|_| "the data: URL's base64 is malformed".to_owned())?
                .0
        }
    };
    // "UTF-8 decode" (Encoding §6): a byte order mark is dropped, malformed bytes become U+FFFD.
    Ok(encoding_rs::UTF_8.decode(&bytes).0.into_owned())
}

fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder; import one of its files".to_owned(),
        _ => error.to_string(),
    }
}

/// HTML §8.1.5.2: a module's MIME type must be JavaScript's (or JSON's, of a JSON module).
fn check_mime(mime: &data_url::mime::Mime, kind: ModuleType) -> Result<(), String> {
    let essence = format!("{}/{}", mime.type_, mime.subtype);
    let fits = match kind {
        ModuleType::JavaScript => {
            matches!(mime.type_.as_str(), "text" | "application")
                && (mime.subtype.ends_with("javascript") || mime.subtype.ends_with("ecmascript"))
        }
        ModuleType::Json => mime.subtype == "json" || mime.subtype.ends_with("+json"),
    };
    let wanted = if kind == ModuleType::Json {
        "application/json"
    } else {
        "text/javascript"
    };
    if fits {
        Ok(())
    } else {
        Err(format!("its type is {essence}, where {wanted} is needed"))
    }
}

fn compile_with_imports<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    url: &Url,
    text: &str,
    importer: Option<&Importer<'_>>,
) -> Option<v8::Local<'s, v8::Module>> {
    let module = compile(scope, url, text, importer)?;
    // Before its imports, so that a cycle finds it.
    state
        .modules
        .insert(scope, url, ModuleType::JavaScript, module);
    if depth(importer) > DEEPEST {
        throw(
            scope,
            &format!(
                "Cannot load module {}: the chain of imports is longer than {DEEPEST}",
                shortened(url)
            ),
            importer,
        );
        state.modules.remove(url, ModuleType::JavaScript);
        return None;
    }
    let requests = module.get_module_requests();
    for index in 0..requests.length() {
        v8::scope!(let scope, scope);
        let request = requests
            .get(scope, index)
            .and_then(|request| request.try_cast::<v8::ModuleRequest>().ok())?;
        let location = module.source_offset_to_location(request.get_source_offset());
        let place = format!(
            "{}:{}:{}",
            shortened(url),
            location.get_line_number() + 1,
            location.get_column_number() + 1
        );
        let here = Importer {
            place,
            above: importer,
        };
        let specifier = request.get_specifier().to_rust_string_lossy(scope);
        if load_request(
            scope,
            state,
            url,
            &specifier,
            request.get_import_attributes(),
            Triple::Located,
            &here,
        )
        .is_none()
        {
            state.modules.remove(url, ModuleType::JavaScript);
            return None;
        }
    }
    Some(module)
}

/// How attributes are laid out in the array that V8 gives.
#[derive(Clone, Copy)]
pub(crate) enum Triple {
    /// Key, value, source offset.
    Located,
    /// Key, value.
    Bare,
}

/// Resolves one import of a module and loads what it names.
pub(crate) fn load_request<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    base: &Url,
    specifier: &str,
    attributes: v8::Local<'s, v8::FixedArray>,
    layout: Triple,
    importer: &Importer<'_>,
) -> Option<v8::Local<'s, v8::Module>> {
    let kind = match module_type(scope, attributes, layout) {
        Ok(kind) => kind,
        Err(reason) => {
            throw_type(
                scope,
                &format!("Cannot import '{specifier}': {reason}"),
                importer,
            );
            return None;
        }
    };
    match resolve(specifier, base) {
        Ok(url) => load(scope, state, &url, kind, Some(importer)),
        Err(error) => {
            throw_type(scope, &format!("Cannot resolve import: {error}"), importer);
            None
        }
    }
}

/// The `type` attribute of an import.
pub(crate) fn module_type<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    attributes: v8::Local<'s, v8::FixedArray>,
    layout: Triple,
) -> Result<ModuleType, String> {
    let step = match layout {
        Triple::Located => 3,
        Triple::Bare => 2,
    };
    let mut kind = ModuleType::JavaScript;
    for index in (0..attributes.length()).step_by(step) {
        let text_at = |index| {
            let item = attributes
                .get(scope, index)
                .and_then(|item| item.try_cast::<v8::String>().ok());
            item.map(|item| item.to_rust_string_lossy(scope))
                .unwrap_or_default()
        };
        match (text_at(index).as_str(), text_at(index + 1).as_str()) {
            ("type", "json") => kind = ModuleType::Json,
            ("type", other) => {
                return Err(format!(
                    "there are no modules of type '{other}'; 'json' is the one that an attribute can name"
                ));
            }
            (key, _) => {
                return Err(format!(
                    "there is no import attribute '{key}'; 'type' is the one that exists"
                ));
            }
        }
    }
    Ok(kind)
}

fn compile<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    url: &Url,
    text: &str,
    importer: Option<&Importer<'_>>,
) -> Option<v8::Local<'s, v8::Module>> {
    let (Some(source), Some(name)) = (
        v8::String::new(scope, text),
        v8::String::new(scope, url.as_str()),
    ) else {
        throw(
            scope,
            &format!(
                "Cannot load module {}: it is longer than a string can be",
                shortened(url)
            ),
            importer,
        );
        return None;
    };
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
    let mut source = v8::script_compiler::Source::new(source, Some(&origin));
    v8::tc_scope!(let scope, scope);
    let module = v8::script_compiler::compile_module(scope, &mut source);
    if module.is_none() {
        // A SyntaxError's stack has no frame of the faulty module: its place is told here, and who imported it.
        if let (Some(exception), Some(message)) = (scope.exception(), scope.message())
            && let Ok(object) = exception.try_cast::<v8::Object>()
        {
            let line = message.get_line_number(scope).unwrap_or(0);
            let place = format!(
                "{}:{}:{}",
                shortened(url),
                line,
                crate::worker::errors::column_of(message)
            );
            let text = message.get(scope).to_rust_string_lossy(scope);
            let text = text.strip_prefix("Uncaught ").unwrap_or(&text).to_owned();
            set_stack(
                scope,
                object,
                &format!("{text}\n    at {place}{}", chain(importer)),
            );
        }
        scope.rethrow();
    }
    module
}

fn depth(importer: Option<&Importer<'_>>) -> usize {
    std::iter::successors(importer, |importer| importer.above).count()
}

/// `\n    imported from …` for each module of the chain.
fn chain(importer: Option<&Importer<'_>>) -> String {
    std::iter::successors(importer, |importer| importer.above)
        .map(|importer| format!("\n    imported from {}", importer.place))
        .collect()
}

pub(crate) fn set_stack(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, stack: &str) {
    if let (Some(key), Some(stack)) = (
        v8::String::new(scope, "stack"),
        v8::String::new(scope, stack),
    ) {
        object.define_own_property(
            scope,
            key.into(),
            stack.into(),
            v8::PropertyAttribute::DONT_ENUM,
        );
    }
}

/// Throws an Error with Node's code for a module that is not there.
pub(crate) fn throw(scope: &mut v8::PinScope, message: &str, importer: Option<&Importer<'_>>) {
    let Some(text) = v8::String::new(scope, message) else {
        return;
    };
    let exception = v8::Exception::error(scope, text);
    throw_located(
        scope,
        exception,
        &format!("Error: {message}"),
        importer,
        "ERR_MODULE_NOT_FOUND",
    );
}

fn throw_type(scope: &mut v8::PinScope, message: &str, importer: &Importer<'_>) {
    let Some(text) = v8::String::new(scope, message) else {
        return;
    };
    let exception = v8::Exception::type_error(scope, text);
    throw_located(
        scope,
        exception,
        &format!("TypeError: {message}"),
        Some(importer),
        "ERR_MODULE_NOT_FOUND",
    );
}

fn throw_located(
    scope: &mut v8::PinScope,
    exception: v8::Local<v8::Value>,
    head: &str,
    importer: Option<&Importer<'_>>,
    code: &str,
) {
    if let Ok(object) = exception.try_cast::<v8::Object>() {
        set_stack(scope, object, &format!("{head}{}", chain(importer)));
        if let (Some(key), Some(code)) =
            (v8::String::new(scope, "code"), v8::String::new(scope, code))
        {
            object.create_data_property(scope, key.into(), code.into());
        }
    }
    scope.throw_exception(exception);
}
