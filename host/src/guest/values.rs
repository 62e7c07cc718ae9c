//! Values between scripts and guests: "ToWebAssemblyValue" and "ToJSValue" of the WebAssembly JavaScript interface, §5.6.

use wasmtime::{Val, ValType};

/// None: an exception is pending.
pub(crate) fn to_wasm(
    scope: &mut v8::PinScope,
    value: v8::Local<v8::Value>,
    ty: &ValType,
) -> Option<Val> {
    Some(match ty {
        ValType::I32 => Val::I32(value.int32_value(scope)?),
        ValType::I64 => Val::I64(value.to_big_int(scope)?.i64_value().0),
        // Rounds to nearest, as the standard asks.
        ValType::F32 => Val::F32((value.number_value(scope)? as f32).to_bits()),
        ValType::F64 => Val::F64(value.number_value(scope)?.to_bits()),
        other => {
            let message = v8::String::new(
                scope,
                &format!("a script cannot give a value of type {other}"),
            )?;
            let exception = v8::Exception::type_error(scope, message);
            scope.throw_exception(exception);
            return None;
        }
    })
}

/// None: an exception is pending.
pub(crate) fn to_script<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: &Val,
) -> Option<v8::Local<'s, v8::Value>> {
    Some(match value {
        Val::I32(value) => v8::Integer::new(scope, *value).into(),
        Val::I64(value) => v8::BigInt::new_from_i64(scope, *value).into(),
        Val::F32(bits) => v8::Number::new(scope, f64::from(f32::from_bits(*bits))).into(),
        Val::F64(bits) => v8::Number::new(scope, f64::from_bits(*bits)).into(),
        _ => {
            let message = v8::String::new(scope, "a script cannot take a value of this type")?;
            let exception = v8::Exception::type_error(scope, message);
            scope.throw_exception(exception);
            return None;
        }
    })
}

/// Several results become an array, one is itself, none is undefined.
pub(crate) fn results_to_script<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    results: &[Val],
) -> Option<v8::Local<'s, v8::Value>> {
    match results {
        [] => Some(v8::undefined(scope).into()),
        [one] => to_script(scope, one),
        many => {
            let values = many
                .iter()
                .map(|value| to_script(scope, value))
                .collect::<Option<Vec<_>>>()?;
            Some(v8::Array::new_with_elements(scope, &values).into())
        }
    }
}
