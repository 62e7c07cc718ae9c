//! Modules that are not source text: the glue's own, and JSON.

use std::rc::Rc;

use ::url::Url;

use super::importer::{self, Importer};
use crate::worker::errors::Place;
use crate::worker::state::WorkerState;

/// What a synthetic module exports, kept until it is evaluated.
struct Exports(v8::Global<v8::Value>);

/// `import x, { y } from 'node:path'`: the default export is the glue's object, the named ones its own enumerable string keys.
pub(crate) fn create<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    url: &Url,
) -> Option<v8::Local<'s, v8::Module>> {
    let name = v8::String::new(scope, url.as_str())?;
    let object = state
        .entry()?
        .call(scope, "builtinModule", &[name.into()])?
        .try_cast::<v8::Object>()
        .ok()?;
    let names = object.get_own_property_names(scope, v8::GetPropertyNamesArgs::default())?;
    let mut exports = vec![v8::String::new(scope, "default")?];
    for index in 0..names.length() {
        if let Ok(name) = names.get_index(scope, index)?.try_cast::<v8::String>()
            && name.to_rust_string_lossy(scope) != "default"
        {
            exports.push(name);
        }
    }
    let module = v8::Module::create_synthetic_module(scope, name, &exports, evaluate_object);
    remember(scope, module, object.into());
    Some(module)
}

/// ECMAScript §16.2.1.8.4 "ParseJSONModule".
pub(crate) fn create_json<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    url: &Url,
    text: &str,
    importer: Option<&Rc<Importer>>,
) -> Option<v8::Local<'s, v8::Module>> {
    let source = v8::String::new(scope, text)?;
    let name = v8::String::new(scope, url.as_str())?;
    let value = {
        v8::tc_scope!(let scope, scope);
        let value = v8::json::parse(scope, source);
        if value.is_none()
            && let (Some(exception), Some(message)) = (scope.exception(), scope.message())
        {
            // V8's place is in a text without a name.
            let place = Place {
                file: url.to_string(),
                ..Place::of(scope, message)
            };
            importer::trace(scope, exception, Some(place), importer);
            scope.rethrow();
        }
        value?
    };
    let default = v8::String::new(scope, "default")?;
    let module = v8::Module::create_synthetic_module(scope, name, &[default], evaluate_value);
    remember(scope, module, value);
    Some(module)
}

/// Pending exports by module, in a slot of the isolate.
#[derive(Default)]
struct Pending(Vec<(v8::Global<v8::Module>, Exports)>);

fn remember(scope: &mut v8::PinScope, module: v8::Local<v8::Module>, value: v8::Local<v8::Value>) {
    let entry = (
        v8::Global::new(scope, module),
        Exports(v8::Global::new(scope, value)),
    );
    match scope.get_slot_mut::<Pending>() {
        Some(pending) => pending.0.push(entry),
        None => {
            scope.set_slot(Pending(vec![entry]));
        }
    }
}

fn take<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    let pending = &mut scope.get_slot_mut::<Pending>()?.0;
    let index = pending.iter().position(|(known, _)| *known == module)?;
    let (_, exports) = pending.swap_remove(index);
    Some(v8::Local::new(scope, exports.0))
}

fn evaluate_value<'s>(
    context: v8::Local<'s, v8::Context>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    // SAFETY: V8 calls this on the isolate's thread with a handle of its current scope, which lives until the call returns.
    v8::callback_scope!(unsafe scope, context);
    let value = take(scope, module)?;
    let default = v8::String::new(scope, "default")?;
    module.set_synthetic_module_export(scope, default, value)?;
    resolved(scope)
}

fn evaluate_object<'s>(
    context: v8::Local<'s, v8::Context>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    // SAFETY: V8 calls this on the isolate's thread with a handle of its current scope, which lives until the call returns.
    v8::callback_scope!(unsafe scope, context);
    let value = take(scope, module)?;
    let default = v8::String::new(scope, "default")?;
    module.set_synthetic_module_export(scope, default, value)?;
    let object = value.try_cast::<v8::Object>().ok()?;
    let names = object.get_own_property_names(scope, v8::GetPropertyNamesArgs::default())?;
    for index in 0..names.length() {
        if let Ok(name) = names.get_index(scope, index)?.try_cast::<v8::String>()
            && name.to_rust_string_lossy(scope) != "default"
        {
            let export = object.get(scope, name.into())?;
            module.set_synthetic_module_export(scope, name, export)?;
        }
    }
    resolved(scope)
}

fn resolved<'s>(scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::Value>> {
    let resolver = v8::PromiseResolver::new(scope)?;
    let undefined = v8::undefined(scope).into();
    resolver.resolve(scope, undefined)?;
    Some(resolver.get_promise(scope).into())
}

/// Forgets what a module that was never evaluated would have exported.
pub(crate) fn forget(scope: &mut v8::PinScope, module: &v8::Global<v8::Module>) {
    if let Some(pending) = scope.get_slot_mut::<Pending>() {
        pending.0.retain(|(known, _)| known != module);
    }
}

/// Handles must not outlive the isolate.
pub(crate) fn clear(isolate: &mut v8::Isolate) {
    isolate.remove_slot::<Pending>();
}
