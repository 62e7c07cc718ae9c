//! The shapes that a lane's records name by number. Called by `messaging/record.js`.

use super::messaging::{incoming, outgoing};
use super::prelude::*;

/// `ops.laneDefineShape(key, object, count) -> number | undefined`: the number by which records of the lane name objects with the same keys. None if the
/// lane takes no more shapes, or the object has other than so many keys.
pub(crate) fn lane_define_shape(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (key, count) = (uint(scope, args.get(0)), uint(scope, args.get(2)));
    let Ok(object) = args.get(1).try_cast::<v8::Object>() else {
        return;
    };
    let number = own_names(scope, object)
        .filter(|names| names.len() == count as usize)
        .zip(outgoing(scope, key))
        .and_then(|(names, lane)| lane.shapes().define(&names));
    if let Some(number) = number {
        rv.set_uint32(number);
    }
}

/// The names of an object's own enumerable properties, elements among them.
fn own_names(scope: &mut v8::PinScope, object: v8::Local<v8::Object>) -> Option<Vec<Box<[u16]>>> {
    let names = object.get_own_property_names(
        scope,
        v8::GetPropertyNamesArgs {
            mode: v8::KeyCollectionMode::OwnOnly,
            property_filter: v8::PropertyFilter::ONLY_ENUMERABLE | v8::PropertyFilter::SKIP_SYMBOLS,
            index_filter: v8::IndexFilter::IncludeIndices,
            key_conversion: v8::KeyConversionMode::ConvertToString,
        },
    )?;
    (0..names.length())
        .map(|index| {
            let name = names.get_index(scope, index)?;
            let name = name.try_cast::<v8::String>().ok()?;
            let mut units = vec![0; name.length()];
            name.write_v2(scope, 0, &mut units, v8::WriteFlags::empty());
            Some(units.into_boxed_slice())
        })
        .collect()
}

/// `ops.laneShape(key, number) -> string[] | undefined`: the keys of the shape of that number, in the lane that the port receives from.
pub(crate) fn lane_shape(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let (key, number) = (uint(scope, args.get(0)), uint(scope, args.get(1)));
    let Some(names) = incoming(scope, key).and_then(|lane| lane.shapes().get(number)) else {
        return;
    };
    let names: Option<Vec<v8::Local<v8::Value>>> = names
        .iter()
        .map(|name| {
            let kind = v8::NewStringType::Normal;
            v8::String::new_from_two_byte(scope, name, kind).map(Into::into)
        })
        .collect();
    if let Some(names) = names {
        rv.set(v8::Array::new_with_elements(scope, &names).into());
    }
}

/// `ops.compileFunction(parameter, body) -> function`: a function of the glue's, also where scripts may not make functions of strings.
pub(crate) fn compile_function<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    let (Ok(parameter), Ok(body)) = (
        args.get(0).try_cast::<v8::String>(),
        args.get(1).try_cast::<v8::String>(),
    ) else {
        return;
    };
    let mut source = v8::script_compiler::Source::new(body, None);
    let function = v8::script_compiler::compile_function(
        scope,
        &mut source,
        &[parameter],
        &[],
        v8::script_compiler::CompileOptions::NoCompileOptions,
        v8::script_compiler::NoCacheReason::NoReason,
    );
    if let Some(function) = function {
        rv.set(function.into());
    }
}
