//! "Fetch the descendants of a module script" (HTML §8.1.5): reads and compiles a graph of modules.
//!
//! An error names the module, the place of the import that asked for it, and the chain of imports that leads there.

use std::rc::Rc;

use ::url::Url;

use super::builtin;
use super::importer::{self, Importer};
use super::map::ModuleType;
use super::resolve::{resolve, shortened};
use crate::file;
use crate::worker::errors::Place;
use crate::worker::state::WorkerState;

/// A module that an import names.
pub(crate) struct Request {
    url: Url,
    kind: ModuleType,
    importer: Option<Rc<Importer>>,
}

/// Loads the first module of a worker with all that it imports. None: an exception is pending.
pub(crate) fn load_main<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    url: &Url,
    text: Option<&str>,
) -> Option<v8::Local<'s, v8::Module>> {
    if matches!(url.scheme(), "node" | "isolane") {
        throw(
            scope,
            &format!("Cannot load module {url}: it is no script"),
            None,
        );
        return None;
    }
    let request = Request {
        url: url.clone(),
        kind: ModuleType::JavaScript,
        importer: None,
    };
    load(scope, state, request, text)
}

/// Loads a module with all that it imports, unless the worker has it. None: an exception is pending, and none of the graph's new modules is kept.
///
/// Depth first, in the order of the imports, so that of several faults the one told is the one a reader of the files finds first. The graph may be
/// deeper than the thread's stack: what is left to do is a list.
fn load<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    request: Request,
    text: Option<&str>,
) -> Option<v8::Local<'s, v8::Module>> {
    let mut added = Vec::new();
    let (url, kind) = (request.url.clone(), request.kind);
    let mut left = vec![request];
    let mut text = text.map(str::to_owned);
    while let Some(request) = left.pop() {
        v8::scope!(let scope, scope);
        if load_one(scope, state, &request, text.take(), &mut left, &mut added).is_none() {
            for (url, kind) in added {
                if let Some(module) = state.modules.remove(&url, kind) {
                    builtin::forget(scope, &module);
                }
            }
            return None;
        }
    }
    let module = state.modules.get(&url, kind)?;
    Some(v8::Local::new(scope, module))
}

/// Loads one module, unless the worker has it, and puts what it imports on top of what is left.
fn load_one(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    request: &Request,
    text: Option<String>,
    left: &mut Vec<Request>,
    added: &mut Vec<(Url, ModuleType)>,
) -> Option<()> {
    let Request {
        url,
        kind,
        importer,
    } = request;
    if state.modules.get(url, *kind).is_some() {
        return Some(());
    }
    let module = if matches!(url.scheme(), "node" | "isolane") {
        if *kind == ModuleType::Json {
            let message = format!("Cannot load module {url}: it is no JSON");
            throw(scope, &message, importer.as_ref());
            return None;
        }
        builtin::create(scope, state, url)?
    } else {
        let text = text.map_or_else(|| read(state, url, *kind), Ok);
        let text = match text {
            Ok(text) => text,
            Err(reason) => {
                let message = format!("Cannot load module {}: {reason}", shortened(url));
                throw(scope, &message, importer.as_ref());
                return None;
            }
        };
        match kind {
            ModuleType::JavaScript => {
                let module = compile(scope, url, &text, importer.as_ref())?;
                let imports = requests_of(scope, url, &text, module, importer.as_ref())?;
                left.extend(imports.into_iter().rev());
                module
            }
            ModuleType::Json => builtin::create_json(scope, url, &text, importer.as_ref())?,
        }
    };
    state
        .modules
        .insert(scope, url, *kind, module, importer.clone());
    added.push((url.clone(), *kind));
    Some(())
}

/// What a module imports, resolved.
fn requests_of(
    scope: &mut v8::PinScope,
    url: &Url,
    text: &str,
    module: v8::Local<v8::Module>,
    importer: Option<&Rc<Importer>>,
) -> Option<Vec<Request>> {
    let requests = module.get_module_requests();
    let mut resolved = Vec::with_capacity(requests.length());
    for index in 0..requests.length() {
        let request = requests
            .get(scope, index)
            .and_then(|request| request.try_cast::<v8::ModuleRequest>().ok())?;
        let location = module.source_offset_to_location(request.get_source_offset());
        let line = usize::try_from(location.get_line_number()).unwrap_or(0);
        let here = Rc::new(Importer {
            place: Place {
                file: url.to_string(),
                line: u32::try_from(line + 1).unwrap_or(0),
                column: u32::try_from(location.get_column_number() + 1).unwrap_or(0),
                source_line: Place::worth_showing(text.lines().nth(line).unwrap_or_default()),
            },
            above: importer.cloned(),
        });
        let specifier = request.get_specifier().to_rust_string_lossy(scope);
        resolved.push(resolve_request(
            scope,
            url,
            &specifier,
            request.get_import_attributes(),
            Triple::Located,
            here,
        )?);
    }
    Some(resolved)
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
            let ending = path.extension().and_then(|ending| ending.to_str());
            if matches!(ending, Some("ts" | "mts" | "cts" | "tsx")) {
                return Err("TypeScript is not run; compile it to JavaScript first".to_owned());
            }
            file::read(&path, &state.control).map_err(|error| describe(&error))?
        }
        "data" => {
            let data = data_url::DataUrl::process(url.as_str())
                .map_err(|_| "the data: URL is malformed".to_owned())?;
            check_mime(data.mime_type(), kind)?;
            data.decode_to_vec()
                .map_err(|_| "the data: URL's base64 is malformed".to_owned())?
                .0
        }
        scheme => return Err(format!("modules cannot be loaded from '{scheme}:' URLs")),
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
    importer: Importer,
) -> Option<v8::Local<'s, v8::Module>> {
    let importer = Rc::new(importer);
    let request = resolve_request(scope, base, specifier, attributes, Triple::Bare, importer)?;
    load(scope, state, request, None)
}

fn resolve_request<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    base: &Url,
    specifier: &str,
    attributes: v8::Local<'s, v8::FixedArray>,
    layout: Triple,
    importer: Rc<Importer>,
) -> Option<Request> {
    let kind = match module_type(scope, attributes, layout) {
        Ok(kind) => kind,
        Err(reason) => {
            let message = format!("Cannot import '{specifier}': {reason}");
            throw_type(scope, &message, &importer);
            return None;
        }
    };
    match resolve(specifier, base) {
        Ok(url) => Some(Request {
            url,
            kind,
            importer: Some(importer),
        }),
        Err(error) => {
            let message = format!("Cannot resolve import: {error}");
            throw_type(scope, &message, &importer);
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
    importer: Option<&Rc<Importer>>,
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
    // A SyntaxError's stack has no frame of the faulty module.
    if module.is_none()
        && let (Some(exception), Some(message)) = (scope.exception(), scope.message())
    {
        let place = Place::of(scope, message);
        importer::trace(scope, exception, Some(place), importer);
        scope.rethrow();
    }
    module
}

/// Throws an Error for a module that cannot be read.
fn throw(scope: &mut v8::PinScope, message: &str, importer: Option<&Rc<Importer>>) {
    if let Some(text) = v8::String::new(scope, message) {
        let exception = v8::Exception::error(scope, text);
        throw_traced(scope, exception, importer);
    }
}

/// Throws a TypeError for an import that names no module.
fn throw_type(scope: &mut v8::PinScope, message: &str, importer: &Rc<Importer>) {
    if let Some(text) = v8::String::new(scope, message) {
        let exception = v8::Exception::type_error(scope, text);
        throw_traced(scope, exception, Some(importer));
    }
}

/// Throws it with Node's code and the chain of imports.
fn throw_traced<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
    importer: Option<&Rc<Importer>>,
) {
    importer::trace(scope, exception, None, importer);
    if let Ok(object) = exception.try_cast::<v8::Object>()
        && let Some(key) = v8::String::new(scope, "code")
        && let Some(code) = v8::String::new(scope, "ERR_MODULE_NOT_FOUND")
    {
        object.create_data_property(scope, key.into(), code.into());
    }
    scope.throw_exception(exception);
}
