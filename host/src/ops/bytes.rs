//! Borrowed views of script memory for ops that read or write it in place.
//!
//! A borrow lasts for one op. That is sound as long as the op runs no script and does not detach or resize the buffer meanwhile; memory that
//! other threads can reach (`SharedArrayBuffer`, WebAssembly memory) is never borrowed, only copied.

use std::borrow::Cow;

use super::prelude::*;

/// Room for the contents of a typed array small enough to live inside V8's heap.
pub(crate) type InlineBytes = [u8; v8::TYPED_ARRAY_MAX_SIZE_IN_HEAP];

/// An empty [`InlineBytes`], to be passed to [`bytes_of`].
pub(crate) const INLINE_BYTES: InlineBytes = [0; v8::TYPED_ARRAY_MAX_SIZE_IN_HEAP];

/// The bytes of an ArrayBuffer, a SharedArrayBuffer or a view; empty when detached or anything else, which is what Web IDL's "get a copy of the
/// bytes held by the buffer source" gives for a detached one.
///
/// The caller keeps `value` alive and runs no script while it holds the result.
pub(crate) fn bytes_of<'a>(
    scope: &v8::PinScope<'_, '_, ()>,
    value: v8::Local<'a, v8::Value>,
    inline: &'a mut InlineBytes,
) -> Cow<'a, [u8]> {
    if let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(value) {
        if is_shared(scope, view) {
            return Cow::Owned(copy_bytes(value).unwrap_or_default());
        }
        // SAFETY: the handle keeps the view alive for 'a; no script runs while the op holds the slice, so it is neither detached, resized nor
        // written; on-heap contents, which a collection may move, are copied to `inline`.
        let (data, length) = unsafe { view.get_contents_raw_parts(inline) };
        if data.is_null() || length == 0 {
            return Cow::Borrowed(&[]);
        }
        // SAFETY: as above; V8 vouches for `length` bytes at `data`.
        return Cow::Borrowed(unsafe { std::slice::from_raw_parts(data, length) });
    }
    if let Ok(buffer) = v8::Local::<v8::ArrayBuffer>::try_from(value) {
        return match buffer.data() {
            // SAFETY: the handle keeps the buffer alive for 'a, and no script runs while the op holds the slice.
            Some(data) => Cow::Borrowed(unsafe {
                std::slice::from_raw_parts(data.as_ptr().cast(), buffer.byte_length())
            }),
            None => Cow::Borrowed(&[]),
        };
    }
    Cow::Owned(copy_bytes(value).unwrap_or_default())
}

/// The writable bytes of a view; `None` for shared memory and for what is not a view.
///
/// The caller keeps `value` alive, runs no script and takes no second borrow of the same buffer while it holds the result.
pub(crate) fn unshared_bytes_mut<'a>(
    scope: &v8::PinScope<'_, '_, ()>,
    value: v8::Local<'a, v8::Value>,
) -> Option<&'a mut [u8]> {
    let view = v8::Local::<v8::ArrayBufferView>::try_from(value).ok()?;
    if is_shared(scope, view) {
        return None;
    }
    let length = view.byte_length();
    if length == 0 {
        return Some(&mut []);
    }
    // `data` moves on-heap contents out of V8's heap first: the pointer stays good across collections.
    let data = view.data().cast::<u8>();
    if data.is_null() {
        return Some(&mut []);
    }
    // SAFETY: `length` bytes at `data` belong to the view's unshared buffer, kept alive by the handle; by this function's contract nothing else
    // reads or writes them during 'a.
    Some(unsafe { std::slice::from_raw_parts_mut(data, length) })
}

fn is_shared(scope: &v8::PinScope<'_, '_, ()>, view: v8::Local<v8::ArrayBufferView>) -> bool {
    // A view without a buffer is on V8's heap, hence unshared; asking for the buffer would move it out.
    view.has_buffer()
        && view
            .buffer(scope)
            .is_some_and(|buffer| v8::Local::<v8::Value>::from(buffer).is_shared_array_buffer())
}
