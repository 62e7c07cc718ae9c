//! Instances: a store, an instance in it, and calls in both directions.
//!
//! A guest calls a script's function in the middle of its own call, and the script may call the guest again. The store is lent to the outermost call;
//! calls further in go through the [`Caller`] that wasmtime gave the innermost host function.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use wasmtime::{
    AsContextMut, Caller, Extern, ExternType, Func, Instance, Linker, Store, StoreContextMut,
    UpdateDeadline, Val,
};

use super::atomics;
use super::atomics::rewrite::Added;
use super::memory::GuestMemory;
use super::module::GuestModule;
use super::values::{results_to_script, to_script, to_wasm};
use crate::worker::control::Control;
use crate::worker::state::WorkerState;

/// What a store carries for its host functions.
pub(crate) struct GuestData {
    /// The script's functions that the guest imports. Weak: one that closes over the instance's exports would else keep it, and so itself, for ever. The
    /// script's side of the instance holds them.
    functions: Vec<v8::Weak<v8::Function>>,
    pub(super) control: Arc<Control>,
    added: Option<Arc<Added>>,
    context: v8::Global<v8::Context>,
    isolate: v8::UnsafeRawIsolatePtr,
    /// What a script's function threw: carried past the guest's frames to the script that called the guest.
    thrown: Option<v8::Global<v8::Value>>,
    /// A script's function was ended with its worker. V8 keeps that pending; nothing may be thrown in its place, since a script could catch it.
    ended: bool,
    active: Rc<Cell<*mut Caller<'static, GuestData>>>,
}

/// One instance, by handle. Stays on its worker's thread.
#[derive(Clone)]
pub(crate) struct GuestInstance {
    store: Rc<RefCell<Store<GuestData>>>,
    instance: Instance,
    added: Option<Arc<Added>>,
    /// The memory that was given for its imports.
    memory: Option<GuestMemory>,
    /// The innermost host function's view of the store while the guest runs; else null.
    active: Rc<Cell<*mut Caller<'static, GuestData>>>,
}

/// The script's value for an import of a module and a name. Ok(None): there is none. Err: a getter threw.
pub(crate) type Lookup<'s, 'f> = dyn Fn(
        &mut v8::PinScope<'s, '_>,
        &str,
        &str,
    ) -> Result<Option<v8::Local<'s, v8::Value>>, GuestError>
    + 'f;

/// Name and kind of an export, and the value if it is a global.
pub(crate) type Export<'s> = (String, &'static str, Option<v8::Local<'s, v8::Value>>);

/// Why a guest did not start or did not return; an exception is pending, or is to be made of this.
pub(crate) enum GuestError {
    /// An exception is pending in the isolate.
    Pending,
    /// An import that the module needs is missing or of another kind.
    Link(String),
    /// The guest trapped: message and backtrace.
    Trap { message: String, trace: String },
}

impl GuestInstance {
    /// Instantiates a module. `lookup` gives the script's value for an import. The array holds the script's functions, and has to live as long as the
    /// guest can be called.
    pub(crate) fn new<'s>(
        scope: &mut v8::PinScope<'s, '_>,
        state: &WorkerState,
        module: &GuestModule,
        memory: Option<&GuestMemory>,
        lookup: &Lookup<'s, '_>,
    ) -> Result<(Self, v8::Local<'s, v8::Array>), GuestError> {
        let active = Rc::new(Cell::new(std::ptr::null_mut()));
        let context = scope.get_current_context();
        let data = GuestData {
            functions: Vec::new(),
            control: Arc::clone(&state.control),
            added: module.added.clone(),
            context: v8::Global::new(scope, context),
            // SAFETY: the pointer is used on this thread alone, from calls that the isolate's own scripts make, so while it lives.
            isolate: unsafe { scope.as_raw_isolate_ptr() },
            thrown: None,
            ended: false,
            active: Rc::clone(&active),
        };
        let engine = &state.runtime.engine;
        let mut store = Store::new(engine, data);
        stop_with_worker(&mut store, &state.control);
        let mut linker = Linker::new(engine);
        let held = v8::Array::new(scope, 0);
        if let Some(added) = &module.added {
            atomics::link(&mut linker, &module.code, added)
                .map_err(|error| GuestError::Link(format!("{error:#}")))?;
        }
        for import in module.code.imports() {
            if module
                .added
                .as_ref()
                .is_some_and(|added| added.has_import(import.module()))
            {
                continue;
            }
            let (from, name) = (import.module(), import.name());
            let link = |error: wasmtime::Error| {
                GuestError::Link(format!("import \"{from}\" \"{name}\": {error:#}"))
            };
            match import.ty() {
                ExternType::Memory(ty) if ty.is_shared() => {
                    let memory = memory.ok_or_else(|| {
                        GuestError::Link(format!(
                            "import \"{from}\" \"{name}\": give a SharedMemory as \"memory\""
                        ))
                    })?;
                    linker
                        .define(&store, from, name, memory.0.clone())
                        .map_err(link)?;
                }
                ExternType::Func(ty) => {
                    let value = lookup(scope, from, name)?;
                    let function = value.and_then(|value| value.try_cast::<v8::Function>().ok());
                    let function = function.ok_or_else(|| {
                        GuestError::Link(format!(
                            "import \"{from}\" \"{name}\": a function is needed"
                        ))
                    })?;
                    let index = store.data().functions.len();
                    let position = u32::try_from(index).unwrap_or(u32::MAX);
                    held.set_index(scope, position, function.into());
                    let function = v8::Weak::new(scope, function);
                    store.data_mut().functions.push(function);
                    let results = ty.clone();
                    let host = Func::new(&mut store, ty, move |caller, arguments, out| {
                        call_script(caller, index, arguments, &results, out)
                    });
                    linker.define(&store, from, name, host).map_err(link)?;
                }
                other => {
                    return Err(GuestError::Link(format!(
                        "import \"{from}\" \"{name}\": a {} cannot be given",
                        super::module::kind(&other)
                    )));
                }
            }
        }
        // What does not fit shows before anything of the guest runs; an error after that is its start function's.
        let linked = linker
            .instantiate_pre(&module.code)
            .map_err(|error| GuestError::Link(format!("{error:#}")))?;
        let instance = match linked.instantiate(&mut store) {
            Ok(instance) => instance,
            Err(error) => return Err(failure(scope, &mut store.as_context_mut(), &error)),
        };
        let instance = Self {
            store: Rc::new(RefCell::new(store)),
            instance,
            added: module.added.clone(),
            memory: memory.cloned(),
            active,
        };
        Ok((instance, held))
    }

    /// Runs `use_it` with the store, or with the view of it that the running guest lends.
    fn with_store<R>(&self, use_it: impl FnOnce(StoreContextMut<'_, GuestData>) -> R) -> Option<R> {
        if let Ok(mut store) = self.store.try_borrow_mut() {
            return Some(use_it(store.as_context_mut()));
        }
        let caller = self.active.get();
        // SAFETY: not null means that `call_script` is below on this stack, set the pointer to its own `Caller` and does not use that until the
        // script it called returns. While the pointer is lent it is null, so that it is not lent twice.
        let caller = unsafe { caller.as_mut() }?;
        let lent = self.active.replace(std::ptr::null_mut());
        let result = use_it(caller.as_context_mut());
        self.active.set(lent);
        Some(result)
    }

    /// Name and kind of each export, and the value of each global.
    pub(crate) fn exports<'s>(&self, scope: &mut v8::PinScope<'s, '_>) -> Option<Vec<Export<'s>>> {
        self.with_store(|mut store| {
            let names: Vec<String> = self
                .instance
                .exports(&mut store)
                .map(|export| export.name().to_owned())
                .filter(|name| {
                    !self
                        .added
                        .as_ref()
                        .is_some_and(|added| added.has_export(name))
                })
                .collect();
            names
                .into_iter()
                .filter_map(|name| {
                    let export = self.instance.get_export(&mut store, &name)?;
                    let value = match &export {
                        Extern::Global(global) => match global.get(&mut store) {
                            // A reference has no value that a script could hold.
                            number @ (Val::I32(_) | Val::I64(_) | Val::F32(_) | Val::F64(_)) => {
                                to_script(scope, &number)
                            }
                            _ => None,
                        },
                        _ => None,
                    };
                    // A memory of the module's own has no object that a script could hold.
                    let is_given = |memory: &wasmtime::SharedMemory| {
                        let given = self.memory.as_ref();
                        given.is_some_and(|given| given.is_same(memory))
                    };
                    match &export {
                        Extern::Memory(_) => return None,
                        Extern::SharedMemory(memory) if !is_given(memory) => return None,
                        _ => {}
                    }
                    let kind = super::module::kind(&export.ty(&store));
                    Some((name, kind, value))
                })
                .collect()
        })
    }

    /// Calls an exported function with arguments of the script.
    pub(crate) fn call<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        name: &str,
        argument: &dyn Fn(usize) -> v8::Local<'s, v8::Value>,
    ) -> Result<v8::Local<'s, v8::Value>, GuestError> {
        let function = self.with_store(|mut store| {
            self.instance
                .get_func(&mut store, name)
                .map(|function| (function, function.ty(&store)))
        });
        let Some(Some((function, ty))) = function else {
            return Err(GuestError::Link(format!(
                "there is no exported function \"{name}\""
            )));
        };
        // Conversions may run the script's code, which may call the guest: the store is not held meanwhile.
        let mut arguments = Vec::with_capacity(ty.params().len());
        for (index, parameter) in ty.params().enumerate() {
            arguments.push(to_wasm(scope, argument(index), &parameter).ok_or(GuestError::Pending)?);
        }
        let mut results = vec![Val::I32(0); ty.results().len()];
        let called = self.with_store(|mut store| {
            match function.call(&mut store, &arguments, &mut results) {
                Ok(()) => Ok(()),
                Err(error) => Err(failure(scope, &mut store, &error)),
            }
        });
        match called {
            Some(Ok(())) => results_to_script(scope, &results).ok_or(GuestError::Pending),
            Some(Err(error)) => Err(error),
            None => Err(GuestError::Link(
                "the guest is running and cannot be called now".to_owned(),
            )),
        }
    }
}

/// A guest in an endless loop ends with its worker: the end of any worker moves the engine's epoch, and each running guest looks whether it is meant.
fn stop_with_worker(store: &mut Store<GuestData>, control: &Arc<Control>) {
    let for_callback = Arc::clone(control);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |_| {
        if for_callback.goes_on_after_epoch() {
            return Ok(UpdateDeadline::Continue(1));
        }
        Ok(UpdateDeadline::Interrupt)
    });
    // The worker may have been ended just before, and its move of the epoch be counted in the deadline already.
    if !control.goes_on_after_epoch() {
        store.set_epoch_deadline(0);
    }
}

fn failure(
    scope: &mut v8::PinScope,
    store: &mut StoreContextMut<'_, GuestData>,
    error: &wasmtime::Error,
) -> GuestError {
    if std::mem::take(&mut store.data_mut().ended) {
        return GuestError::Pending;
    }
    if let Some(thrown) = store.data_mut().thrown.take() {
        let thrown = v8::Local::new(scope, thrown);
        scope.throw_exception(thrown);
        return GuestError::Pending;
    }
    let message = error
        .downcast_ref::<wasmtime::Trap>()
        .map_or_else(|| error.root_cause().to_string(), ToString::to_string);
    let trace = error
        .downcast_ref::<wasmtime::WasmBacktrace>()
        .map(|trace| match &store.data().added {
            Some(added) => added.trace(trace),
            None => trace.to_string(),
        })
        .unwrap_or_default();
    GuestError::Trap { message, trace }
}

/// The guest calls function `index` of its imports.
fn call_script(
    mut caller: Caller<'_, GuestData>,
    index: usize,
    arguments: &[Val],
    ty: &wasmtime::FuncType,
    results: &mut [Val],
) -> wasmtime::Result<()> {
    let data = caller.data();
    let (context, active) = (data.context.clone(), Rc::clone(&data.active));
    // SAFETY: the guest runs because the isolate's script called it, on this thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(data.isolate) };
    v8::callback_scope!(unsafe scope, &mut isolate);
    let context = v8::Local::new(scope, context);
    let scope = &mut v8::ContextScope::new(scope, context);
    v8::tc_scope!(let scope, scope);
    let function = caller.data().functions.get(index);
    let function = function.and_then(|function| function.to_local(scope));
    let outer =
        active.replace(std::ptr::from_mut(&mut caller).cast::<Caller<'static, GuestData>>());
    let returned = function.and_then(|function| {
        let values = arguments
            .iter()
            .map(|value| to_script(scope, value))
            .collect::<Option<Vec<_>>>()?;
        let undefined = v8::undefined(scope).into();
        let returned = function.call(scope, undefined, &values)?;
        convert_results(scope, returned, ty, results)
    });
    active.set(outer);
    if returned.is_some() {
        return Ok(());
    }
    if scope.has_terminated() {
        caller.data_mut().ended = true;
    } else if let Some(exception) = scope.exception() {
        caller.data_mut().thrown = Some(v8::Global::new(scope, exception));
        scope.reset();
    }
    Err(wasmtime::Error::msg(
        "a function that the guest imports threw",
    ))
}

fn convert_results(
    scope: &mut v8::PinScope,
    returned: v8::Local<v8::Value>,
    ty: &wasmtime::FuncType,
    results: &mut [Val],
) -> Option<()> {
    let count = results.len();
    let many = if count > 1 {
        let array = returned.try_cast::<v8::Array>().ok();
        let array = array.filter(|array| array.length() as usize == count);
        if array.is_none() {
            let message = format!(
                "a function that the guest imports has {count} results: it has to return an array of {count}"
            );
            crate::ops::throw_type_error(scope, &message);
            return None;
        }
        array
    } else {
        None
    };
    for (index, (result, ty)) in results.iter_mut().zip(ty.results()).enumerate() {
        let value = match many {
            Some(array) => array.get_index(scope, u32::try_from(index).ok()?)?,
            None => returned,
        };
        *result = to_wasm(scope, value, &ty)?;
    }
    Some(())
}
