//! The shapes of plain objects (`clone/shapes.rs`), for copies within the thread and for records. Called by `messaging/{shapes,plain_copy}.js`.

use super::object_copy::shallow_copy;
use crate::clone::large_buffers::count_plain_properties;
use crate::clone::serialize::plain_prototype;
use crate::clone::shapes::{Known, are_alike};
use crate::worker::state::WorkerState;

/// What `shapeOf` answers for an object that may be learned.
const UNKNOWN: i32 = -1;
/// What it answers for one that must not be copied property by property.
const REFUSED: i32 = -2;

/// `ops.shapeOf(object, first) -> number`: the object's shape, or UNKNOWN, or REFUSED. `first`: it is the first of a value; the others of the same value
/// follow before any script's code runs.
pub(crate) fn shape_of(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let answer = match (args.get(0).try_cast::<v8::Object>(), WorkerState::of(scope)) {
        (Ok(object), Some(state)) => {
            match state.shapes.visit(scope, object, args.get(1).is_true()) {
                Known::Shape(shape) => i32::try_from(shape).unwrap_or(REFUSED),
                Known::Unknown if may_be_plain(scope, object, &state) => UNKNOWN,
                Known::Unknown | Known::Repeated => REFUSED,
            }
        }
        _ => REFUSED,
    };
    rv.set_int32(answer);
}

/// Whether a close look at the object can be of use: it is an array, or inherits from `Object.prototype` directly.
fn may_be_plain(
    scope: &mut v8::PinScope,
    object: v8::Local<v8::Object>,
    state: &WorkerState,
) -> bool {
    // The prototype of a proxy is its handler's to tell.
    object.is_array()
        || (!object.is_proxy()
            && object
                .get_prototype(scope)
                .is_some_and(|prototype| plain_prototype(scope, state) == prototype))
}

/// `ops.shapeKeys(value) -> number`: how many properties the object has; REFUSED unless it is plain and reading them runs nobody's code.
pub(crate) fn shape_keys<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    if let Some(state) = WorkerState::of(scope) {
        let plain = plain_prototype(scope, &state);
        let value = args.get(0);
        let count = if value.is_array() {
            None
        } else {
            count_plain_properties(scope, value, &plain)
        };
        let count = count.and_then(|count| i32::try_from(count).ok());
        rv.set_int32(count.unwrap_or(REFUSED));
    }
}

/// `ops.shapeLearn(object, copy, other) -> number`: the shape of the object from now on, or REFUSED. The copies are of its properties, made by
/// `{ ...object }`, and not used for anything else afterwards.
pub(crate) fn shape_learn(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    rv.set_int32(REFUSED);
    let (Ok(object), Ok(copy), Ok(other), Some(state)) = (
        args.get(0).try_cast::<v8::Object>(),
        args.get(1).try_cast::<v8::Object>(),
        args.get(2).try_cast::<v8::Object>(),
        WorkerState::of(scope),
    ) else {
        return;
    };
    if !are_alike(object, copy) {
        return;
    }
    // An object in dictionary mode keeps its map when a property is added, and shares it with others that have other properties.
    let (Some(key), undefined) = (v8::String::new(scope, "\0"), v8::undefined(scope)) else {
        return;
    };
    if other.create_data_property(scope, key.into(), undefined.into()) != Some(true)
        || are_alike(copy, other)
    {
        return;
    }
    state.shapes.make_room();
    let shape = state.shapes.next_shape();
    state.shapes.learn(scope, copy, shape);
    rv.set_int32(i32::try_from(shape).unwrap_or(REFUSED));
}

/// `ops.shapeLearnArrays(arrays)`: arrays that are like the first two hold numbers alone, those like the third anything, and no holes; those like the other
/// three may have holes.
pub(crate) fn shape_learn_arrays(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _: v8::ReturnValue,
) {
    let (Ok(arrays), Some(state)) = (args.get(0).try_cast::<v8::Array>(), WorkerState::of(scope))
    else {
        return;
    };
    state.shapes.make_room();
    for (index, shape) in [0, 0, 1, 2, 2, 2].into_iter().enumerate() {
        let array = u32::try_from(index)
            .ok()
            .and_then(|index| arrays.get_index(scope, index))
            .and_then(|array| array.try_cast::<v8::Object>().ok());
        if let Some(array) = array {
            state.shapes.learn(scope, array, shape);
        }
    }
}

/// `ops.shallowCopy(array) -> Array`: an array with the same elements. For arrays whose shape is known.
pub(crate) fn copy_shallow<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut rv: v8::ReturnValue,
) {
    if let Ok(array) = args.get(0).try_cast::<v8::Array>() {
        rv.set(shallow_copy(scope, array.into()).into());
    }
}
