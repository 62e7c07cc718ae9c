//! Files of the glue that are not in the start-up snapshot: compiled and evaluated when the glue, or a read of a lazy global, asks for them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::runtime::snapshot::{CODE, FIRST_MODULE_INDEX, IN_SNAPSHOT, compile_glue, resolve_glue};
use crate::worker::state::WorkerState;

/// Modules of the glue that deferred files and their imports needed, by the places of their files.
#[derive(Default)]
pub(crate) struct GlueModules(RefCell<HashMap<usize, v8::Global<v8::Module>>>);

impl GlueModules {
    /// Handles must not outlive the isolate.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    fn get(&self, index: usize) -> Option<v8::Global<v8::Module>> {
        self.0.borrow().get(&index).cloned()
    }

    fn insert(&self, scope: &v8::Isolate, index: usize, module: v8::Local<v8::Module>) {
        let module = v8::Global::new(scope, module);
        self.0.borrow_mut().insert(index, module);
    }

    /// The place of the file that a module is of. They are few, and each asks once for each of its imports.
    fn index_of(&self, module: v8::Local<v8::Module>) -> Option<usize> {
        let modules = self.0.borrow();
        let mut known = modules.iter();
        Some(*known.find(|(_, known)| **known == module)?.0)
    }

    /// Those that did not come to their end (the stack was full) are made anew next time, with those that are linked to them; the others are whole, or
    /// on their way.
    fn forget_failed(&self, scope: &mut v8::PinScope) {
        use v8::ModuleStatus::{Evaluated, Evaluating};
        self.0.borrow_mut().retain(|_, module| {
            let status = v8::Local::new(scope, &*module).get_status();
            matches!(status, Evaluated | Evaluating)
        });
    }
}

/// The namespace of the glue's file at `path`, evaluated when it is asked for first. None: an exception is pending.
pub(crate) fn load<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
) -> Option<v8::Local<'s, v8::Object>> {
    let state = WorkerState::of(scope)?;
    let namespace = isolane_js_glue::index(path)
        .and_then(|index| module_at(scope, &state, index))
        .and_then(|module| evaluate(scope, module));
    if namespace.is_none() {
        state.glue_modules.forget_failed(scope);
    }
    namespace
}

fn evaluate<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Object>> {
    if module.get_status() != v8::ModuleStatus::Evaluated {
        module.instantiate_module(scope, imported)?;
        // No glue awaits at its top level, so that it is through when this returns. What it threw is thrown below, and reported where that leads.
        if let Ok(promise) = module.evaluate(scope)?.try_cast::<v8::Promise>() {
            promise.mark_as_handled();
        }
    }
    if module.get_status() == v8::ModuleStatus::Errored {
        let exception = module.get_exception();
        scope.throw_exception(exception);
        return None;
    }
    module.get_module_namespace().try_cast().ok()
}

fn imported<'s>(
    context: v8::Local<'s, v8::Context>,
    specifier: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
    referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    // SAFETY: V8 calls this on the isolate's thread with a handle of its current scope, which lives until the call returns.
    v8::callback_scope!(unsafe scope, context);
    let state = WorkerState::of(scope)?;
    let from = state.glue_modules.index_of(referrer)?;
    let (from, _) = isolane_js_glue::SOURCES.get(from)?;
    let index = resolve_glue(from, &specifier.to_rust_string_lossy(scope))?;
    module_at(scope, &state, index)
}

/// The module of a file: the snapshot's if it has one, else a new one that is not linked yet.
fn module_at<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    state: &Rc<WorkerState>,
    index: usize,
) -> Option<v8::Local<'s, v8::Module>> {
    if let Some(module) = state.glue_modules.get(index) {
        return Some(v8::Local::new(scope, module));
    }
    let module = match IN_SNAPSHOT.binary_search(&index) {
        Ok(place) => scope
            .get_context_data_from_snapshot_once::<v8::Module>(FIRST_MODULE_INDEX + place)
            .ok()?,
        Err(_) => {
            let code = CODE.iter().find(|(known, _)| *known == index);
            let (module, taken) = compile_glue(scope, index, code.map(|(_, code)| *code))?;
            debug_assert!(taken, "V8 refused the code that the build made");
            module
        }
    };
    state.glue_modules.insert(scope, index, module);
    Some(module)
}

/// What V8 calls when a lazy global is read for the first time; its data is the path of the file that exports it.
pub(crate) fn lazy_global<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    name: v8::Local<'s, v8::Name>,
    args: v8::PropertyCallbackArguments<'s>,
    mut rv: v8::ReturnValue<v8::Value>,
) {
    let path = args.data().to_rust_string_lossy(scope);
    if let Some(namespace) = load(scope, &path)
        && let Some(value) = namespace.get(scope, name.into())
    {
        rv.set(value);
    }
}
