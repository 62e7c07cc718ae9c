//! Which buffers of a value are copied into stores of their own, that the receiver adopts.

/// Buffers from this size on are copied once, into a store that the receiver adopts, instead of into the serialised bytes and out of them again.
pub(crate) const ADOPTED_BYTES: usize = 16 * 1024;

/// The large buffers of a value whose serialisation runs none of the script's code: else that could change them after they were copied here. So the value
/// is made of buffers, views and primitive values, in arrays, plain objects, Maps and Sets, without accessors. Buffers of others, and of values of more
/// parts than are looked at, are written inline, which costs a second copy and is otherwise the same.
pub(super) fn find<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    plain: Option<&v8::Global<v8::Value>>,
) -> Vec<v8::Local<'s, v8::ArrayBuffer>> {
    if let Some(buffer) = large_buffer(scope, value) {
        return vec![buffer];
    }
    find_buffers(scope, value, plain).unwrap_or_default()
}

/// Parts of a value that are looked at.
const LOOKED_AT: usize = 128;

/// None: there is a part whose serialisation may run code, or there are too many.
fn find_buffers<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    plain: Option<&v8::Global<v8::Value>>,
) -> Option<Vec<v8::Local<'s, v8::ArrayBuffer>>> {
    let mut found: Vec<v8::Local<v8::ArrayBuffer>> = Vec::new();
    let mut parts = vec![value];
    // A part that is reached again, in a cycle too, is looked at again, up to the limit.
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next += 1;
        if !part.is_object() {
            continue;
        }
        if part.is_array_buffer() || part.is_array_buffer_view() {
            if let Some(buffer) = large_buffer(scope, part)
                && !found.iter().any(|known| known.strict_equals(buffer.into()))
            {
                found.push(buffer);
            }
            continue;
        }
        let inner = if part.is_map() {
            part.try_cast::<v8::Map>().ok()?.as_array(scope)
        } else if part.is_set() {
            part.try_cast::<v8::Set>().ok()?.as_array(scope)
        } else {
            own_values(scope, part, plain)?
        };
        let count = inner.length() as usize;
        if parts.len() + count > LOOKED_AT {
            return None;
        }
        for index in 0..inner.length() {
            parts.push(inner.get_index(scope, index)?);
        }
    }
    Some(found)
}

/// How many properties a plain object has, if reading them runs nobody's code, and all are enumerable and have names that are no indices.
pub(crate) fn count_plain_properties<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    plain: &v8::Global<v8::Value>,
) -> Option<u32> {
    let count = own_values(scope, value, Some(plain))?.length();
    let all = v8::GetPropertyNamesArgs {
        mode: v8::KeyCollectionMode::OwnOnly,
        property_filter: v8::PropertyFilter::ALL_PROPERTIES,
        index_filter: v8::IndexFilter::IncludeIndices,
        key_conversion: v8::KeyConversionMode::KeepNumbers,
    };
    let object = value.try_cast::<v8::Object>().ok()?;
    let names = object.get_own_property_names(scope, all)?;
    for index in 0..names.length() {
        if !names.get_index(scope, index)?.is_string() {
            return None;
        }
    }
    (names.length() == count).then_some(count)
}

/// The values of the own properties of an array or plain object, if none is an accessor and they are few.
fn own_values<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    plain: Option<&v8::Global<v8::Value>>,
) -> Option<v8::Local<'s, v8::Array>> {
    let object = value.try_cast::<v8::Object>().ok()?;
    let is_plain = !value.is_proxy()
        && (value.is_array()
            || object
                .get_prototype(scope)
                .is_some_and(|prototype| plain.is_some_and(|plain| plain == &prototype)));
    if !is_plain {
        return None;
    }
    let is_long = |array: v8::Local<v8::Array>| array.length() as usize > LOOKED_AT;
    if object.try_cast::<v8::Array>().is_ok_and(is_long) {
        return None;
    }
    let options = v8::GetPropertyNamesArgs {
        mode: v8::KeyCollectionMode::OwnOnly,
        property_filter: v8::PropertyFilter::ONLY_ENUMERABLE | v8::PropertyFilter::SKIP_SYMBOLS,
        index_filter: v8::IndexFilter::IncludeIndices,
        key_conversion: v8::KeyConversionMode::ConvertToString,
    };
    let names = object.get_own_property_names(scope, options)?;
    if is_long(names) {
        return None;
    }
    let key = v8::String::new(scope, "value")?;
    let mut values = Vec::with_capacity(names.length() as usize);
    for index in 0..names.length() {
        let name = names.get_index(scope, index)?.try_cast::<v8::Name>().ok()?;
        let descriptor = object.get_own_property_descriptor(scope, name)?;
        let descriptor = descriptor.try_cast::<v8::Object>().ok()?;
        // The descriptor is a fresh plain object, so that reading it runs nobody's code; an accessor has no `value`.
        if descriptor.has_own_property(scope, key.into()) != Some(true) {
            return None;
        }
        values.push(descriptor.get(scope, key.into())?);
    }
    Some(v8::Array::new_with_elements(scope, &values))
}

/// The value as, or the buffer of the value as, a fixed-length unshared buffer of the size that is worth adopting.
fn large_buffer<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
) -> Option<v8::Local<'s, v8::ArrayBuffer>> {
    let buffer = if let Ok(view) = value.try_cast::<v8::ArrayBufferView>() {
        view.buffer(scope)?
    } else {
        value.try_cast::<v8::ArrayBuffer>().ok()?
    };
    // A view of a SharedArrayBuffer has a buffer that only looks like an ArrayBuffer.
    let is_plain = v8::Local::<v8::Value>::from(buffer).is_array_buffer();
    let large = is_plain && buffer.byte_length() >= ADOPTED_BYTES;
    (large && !buffer.get_backing_store().is_resizable_by_user_javascript()).then_some(buffer)
}
