//! What only the engine can see: kinds of values, contents of proxies and promises. For `js-glue/src/inspect/`; `Kind` there is the twin of
//! [`value_kind`].

use super::prelude::*;

type Question = fn(&v8::Value) -> bool;
type Value<'s> = v8::Local<'s, v8::Value>;

/// `ops.valueKind(value) -> number`: see `js-glue/src/inspect/kinds.js`.
pub(crate) fn value_kind(
    _: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let value = args.get(0);
    // A proxy first: the other questions look through none, but some answer for its target.
    let kinds: [(Question, i32); 26] = [
        (v8::Value::is_proxy, 1),
        // An async generator function is both async and generator to V8.
        (
            |value| value.is_async_function() && value.is_generator_function(),
            4,
        ),
        (v8::Value::is_async_function, 2),
        (v8::Value::is_generator_function, 3),
        (v8::Value::is_arguments_object, 5),
        (v8::Value::is_map, 6),
        (v8::Value::is_set, 7),
        (v8::Value::is_map_iterator, 8),
        (v8::Value::is_set_iterator, 9),
        (v8::Value::is_weak_map, 10),
        (v8::Value::is_weak_set, 11),
        (v8::Value::is_promise, 12),
        (v8::Value::is_date, 13),
        (v8::Value::is_reg_exp, 14),
        (v8::Value::is_native_error, 15),
        (v8::Value::is_array_buffer, 16),
        (v8::Value::is_shared_array_buffer, 17),
        (v8::Value::is_data_view, 18),
        (v8::Value::is_typed_array, 19),
        (v8::Value::is_number_object, 20),
        (v8::Value::is_string_object, 21),
        (v8::Value::is_boolean_object, 22),
        (v8::Value::is_big_int_object, 23),
        (v8::Value::is_symbol_object, 24),
        (v8::Value::is_module_namespace_object, 25),
        (|_| true, 0),
    ];
    if let Some((_, kind)) = kinds.iter().find(|(is, _)| is(&value)) {
        rv.set_int32(*kind);
    }
}

/// `ops.proxyDetails(value) -> [target, handler] | undefined`: the target of a revoked proxy is null.
pub(crate) fn proxy_details<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    if let Ok(proxy) = args.get(0).try_cast::<v8::Proxy>() {
        let pair = [proxy.get_target(scope), proxy.get_handler(scope)];
        rv.set(v8::Array::new_with_elements(scope, &pair).into());
    }
}

/// `ops.promiseDetails(value) -> [state, result] | undefined`: 0 pending, 1 fulfilled, 2 rejected.
pub(crate) fn promise_details<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let Ok(promise) = args.get(0).try_cast::<v8::Promise>() else {
        return;
    };
    let undefined: Value = v8::undefined(scope).into();
    let (state, result) = match promise.state() {
        v8::PromiseState::Pending => (0, undefined),
        v8::PromiseState::Fulfilled => (1, promise.result(scope)),
        v8::PromiseState::Rejected => (2, promise.result(scope)),
    };
    let pair = [v8::Integer::new(scope, state).into(), result];
    rv.set(v8::Array::new_with_elements(scope, &pair).into());
}

/// `ops.previewEntries(value) -> [entries, isKeyed] | undefined`: what a collection or its iterator holds, without advancing it; keyed entries are
/// flat.
pub(crate) fn preview_entries<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let Ok(object) = args.get(0).try_cast::<v8::Object>() else {
        return;
    };
    if let (Some(entries), is_keyed) = object.preview_entries(scope) {
        let pair = [entries.into(), v8::Boolean::new(scope, is_keyed).into()];
        rv.set(v8::Array::new_with_elements(scope, &pair).into());
    }
}

/// `ops.ownNonIndexProperties(value, onlyEnumerable) -> (string | symbol)[]`
pub(crate) fn own_non_index_properties(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Ok(object) = args.get(0).try_cast::<v8::Object>() else {
        return;
    };
    let property_filter = if boolean(scope, args.get(1)) {
        v8::PropertyFilter::ONLY_ENUMERABLE
    } else {
        v8::PropertyFilter::ALL_PROPERTIES
    };
    let names = object.get_property_names(
        scope,
        v8::GetPropertyNamesArgs {
            mode: v8::KeyCollectionMode::OwnOnly,
            property_filter,
            index_filter: v8::IndexFilter::SkipIndices,
            key_conversion: v8::KeyConversionMode::KeepNumbers,
        },
    );
    if let Some(names) = names {
        rv.set(names.into());
    }
}

/// `ops.constructorName(value) -> string`
pub(crate) fn constructor_name(
    _: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    if let Ok(object) = args.get(0).try_cast::<v8::Object>() {
        rv.set(object.get_constructor_name().into());
    }
}

/// `ops.resourceFree(id)`: the script side holds the host object no longer.
pub(crate) fn resource_free(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    drop(resource_remove(scope, id));
}

/// `ops.hardwareConcurrency() -> number`
pub(crate) fn hardware_concurrency(
    _: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    rv.set_uint32(u32::try_from(cores).unwrap_or(u32::MAX));
}

/// `ops.version() -> string`: Isolane's.
pub(crate) fn version(
    scope: &mut v8::PinScope,
    _: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    set_text(scope, &mut rv, env!("CARGO_PKG_VERSION"));
}
