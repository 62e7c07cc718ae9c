//! What V8 asks of a host about modules (ECMAScript §16.2.1.10, HTML §8.1.6.7).

use std::rc::Rc;

use ::url::Url;

use super::importer::{self, Importer};
use super::load::{Triple, load_request, module_type};
use super::resolve::resolve;
use crate::worker::errors::Place;
use crate::worker::state::{PendingImport, WorkerState};

/// Gives the isolate its module hooks.
pub(crate) fn install(isolate: &mut v8::OwnedIsolate) {
    isolate.set_host_import_module_dynamically_callback(import_dynamically);
    isolate.set_host_initialize_import_meta_object_callback(initialize_import_meta);
}

/// Links a loaded graph and starts its evaluation. None: an exception is pending.
pub(crate) fn link_and_evaluate<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Promise>> {
    match module.get_status() {
        v8::ModuleStatus::Errored => {
            scope.throw_exception(module.get_exception());
            return None;
        }
        // V8 ends the process when it is asked to evaluate what it is in the middle of.
        v8::ModuleStatus::Instantiating | v8::ModuleStatus::Evaluating => {
            crate::ops::throw_type_error(scope, "the module is being evaluated");
            return None;
        }
        _ => {}
    }
    link(scope, module)?;
    module.evaluate(scope)?.try_cast::<v8::Promise>().ok()
}

fn link(scope: &mut v8::PinScope, module: v8::Local<v8::Module>) -> Option<()> {
    v8::tc_scope!(let scope, scope);
    if module.instantiate_module(scope, linked_module).is_some() {
        return Some(());
    }
    // V8 names the import that found nothing; who imported its module is known here.
    if !scope.has_terminated()
        && let (Some(exception), Some(message)) = (scope.exception(), scope.message())
    {
        let place = Place::of(scope, message);
        let state = WorkerState::of(scope)?;
        let importer = state.modules.importer_of(&place.file);
        let place = Some(place).filter(|place| place.line != 0);
        importer::trace(scope, exception, place, importer.as_ref());
        scope.rethrow();
    }
    None
}

/// V8 links a module: everything it names was loaded before.
fn linked_module<'s>(
    context: v8::Local<'s, v8::Context>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
    referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    // SAFETY: V8 calls this on the isolate's thread with a handle of its current scope, which lives until the call returns.
    v8::callback_scope!(unsafe scope, context);
    let state = WorkerState::of(scope)?;
    let base = state.modules.url_of(referrer)?;
    let specifier = specifier.to_rust_string_lossy(scope);
    let kind = module_type(scope, attributes, Triple::Located).ok()?;
    let url = resolve(&specifier, &base).ok()?;
    let module = state.modules.get(&url, kind)?;
    Some(v8::Local::new(scope, module))
}

fn import_dynamically<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    _options: v8::Local<'s, v8::Data>,
    referrer: v8::Local<'s, v8::Value>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let resolver = v8::PromiseResolver::new(scope)?;
    let promise = resolver.get_promise(scope);
    v8::tc_scope!(let scope, scope);
    if import(scope, resolver, referrer, specifier, attributes).is_none() {
        if scope.has_terminated() {
            return None;
        }
        let exception = scope
            .exception()
            .unwrap_or_else(|| v8::undefined(scope).into());
        scope.reset();
        resolver.reject(scope, exception);
    }
    Some(promise)
}

fn import<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    resolver: v8::Local<'s, v8::PromiseResolver>,
    referrer: v8::Local<'s, v8::Value>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<()> {
    let state = WorkerState::of(scope)?;
    // Code from `eval` or `new Function` has no URL of its own: it imports as the worker's first module does.
    let base = Url::parse(&referrer.to_rust_string_lossy(scope))
        .ok()
        .or_else(|| state.modules.main())?;
    let specifier = specifier.to_rust_string_lossy(scope);
    let importer = Importer {
        place: place_of_call(scope, &base),
        above: None,
    };
    let module = load_request(scope, &state, &base, &specifier, attributes, importer)?;
    let id = state.pending_imports.borrow_mut().insert(PendingImport {
        resolver: v8::Global::new(scope, resolver),
        module: v8::Global::new(scope, module),
    });
    // ECMAScript §13.3.10.1.1 has reactions of promises between the call and the evaluation: the code after the call runs first, and a module that imports
    // itself is through with its own evaluation by then.
    let id = v8::Number::new(scope, id as f64).into();
    let evaluate = v8::Function::builder(evaluate_import)
        .data(id)
        .build(scope)?;
    scope.enqueue_microtask(evaluate);
    Some(())
}

fn evaluate_import<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _: v8::ReturnValue,
) {
    let id = args.data();
    v8::tc_scope!(let scope, scope);
    if follow_evaluation(scope, id).is_none()
        && !scope.has_terminated()
        && let Some(exception) = scope.exception()
    {
        scope.reset();
        if let Some((resolver, _)) = take_pending(scope, id) {
            resolver.reject(scope, exception);
        }
    }
}

/// Evaluates the module of an `import()`, and settles its promise when that is done.
fn follow_evaluation<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    id: v8::Local<'s, v8::Value>,
) -> Option<()> {
    let state = WorkerState::of(scope)?;
    let key = id.uint32_value(scope)? as usize;
    let module = state.pending_imports.borrow().get(key)?.module.clone();
    let module = v8::Local::new(scope, module);
    let evaluated = link_and_evaluate(scope, module)?;
    let fulfilled = v8::Function::builder(resolve_with_namespace)
        .data(id)
        .build(scope)?;
    let rejected = v8::Function::builder(reject_with_reason)
        .data(id)
        .build(scope)?;
    evaluated.then2(scope, fulfilled, rejected)?;
    Some(())
}

fn place_of_call(scope: &mut v8::PinScope, base: &Url) -> Place {
    let frame =
        v8::StackTrace::current_stack_trace(scope, 1).and_then(|trace| trace.get_frame(scope, 0));
    let number = |number: usize| u32::try_from(number).unwrap_or(0);
    Place {
        file: base.to_string(),
        line: frame.map_or(0, |frame| number(frame.get_line_number())),
        column: frame.map_or(0, |frame| number(frame.get_column())),
        source_line: String::new(),
    }
}

/// The promise of an `import()`, and the namespace of its module.
fn take_pending<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    id: v8::Local<'s, v8::Value>,
) -> Option<(v8::Local<'s, v8::PromiseResolver>, v8::Local<'s, v8::Value>)> {
    let id = id.uint32_value(scope)?;
    let state = WorkerState::of(scope)?;
    let pending = state.pending_imports.borrow_mut().try_remove(id as usize)?;
    let module = v8::Local::new(scope, pending.module);
    let resolver = v8::Local::new(scope, pending.resolver);
    // A module that failed before it was linked has none, and nobody asks for it.
    let namespace = match module.get_status() {
        v8::ModuleStatus::Uninstantiated => v8::undefined(scope).into(),
        _ => module.get_module_namespace(),
    };
    Some((resolver, namespace))
}

fn resolve_with_namespace<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _: v8::ReturnValue,
) {
    if let Some((resolver, namespace)) = take_pending(scope, args.data()) {
        resolver.resolve(scope, namespace);
    }
}

fn reject_with_reason<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _: v8::ReturnValue,
) {
    if let Some((resolver, _)) = take_pending(scope, args.data()) {
        resolver.reject(scope, args.get(0));
    }
}

/// `url`, `main` and `resolve` of every module; `dirname` and `filename` of those in files, as Node has them.
unsafe extern "C" fn initialize_import_meta(
    context: v8::Local<v8::Context>,
    module: v8::Local<v8::Module>,
    meta: v8::Local<v8::Object>,
) {
    // SAFETY: V8 calls this on the isolate's thread with a handle of its current scope, which lives until the call returns.
    v8::callback_scope!(unsafe scope, context);
    let Some(state) = WorkerState::of(scope) else {
        return;
    };
    let Some(url) = state.modules.url_of(module) else {
        return;
    };
    define_meta(scope, &state, &url, meta);
}

fn define_meta(
    scope: &mut v8::PinScope,
    state: &Rc<WorkerState>,
    url: &Url,
    meta: v8::Local<v8::Object>,
) -> Option<()> {
    let mut texts = vec![("url", url.to_string())];
    if let Ok(path) = url.to_file_path() {
        texts.push(("filename", path.to_string_lossy().into_owned()));
        if let Some(folder) = path.parent() {
            texts.push(("dirname", folder.to_string_lossy().into_owned()));
        }
    }
    for (key, value) in texts {
        let key = v8::String::new(scope, key)?;
        let value = v8::String::new(scope, &value)?;
        meta.create_data_property(scope, key.into(), value.into())?;
    }
    let is_main = v8::Boolean::new(scope, state.modules.main().as_ref() == Some(url));
    let key = v8::String::new(scope, "main")?;
    meta.create_data_property(scope, key.into(), is_main.into())?;
    let base = v8::String::new(scope, url.as_str())?;
    let function = v8::Function::builder(meta_resolve)
        .data(base.into())
        .length(1)
        .build(scope)?;
    let key = v8::String::new(scope, "resolve")?;
    function.set_name(key);
    meta.create_data_property(scope, key.into(), function.into())?;
    Some(())
}

fn meta_resolve(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Ok(base) = Url::parse(&args.data().to_rust_string_lossy(scope)) else {
        return;
    };
    let Some(specifier) = args.get(0).to_string(scope) else {
        return;
    };
    let specifier = specifier.to_rust_string_lossy(scope);
    let text = match resolve(&specifier, &base) {
        Ok(url) => url.to_string(),
        Err(error) => {
            if let Some(message) = v8::String::new(scope, &error.to_string()) {
                let exception = v8::Exception::type_error(scope, message);
                scope.throw_exception(exception);
            }
            return;
        }
    };
    if let Some(text) = v8::String::new(scope, &text) {
        rv.set(text.into());
    }
}
