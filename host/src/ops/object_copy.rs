//! V8's `Object::Clone`, which the `v8` crate does not offer.

use std::ffi::c_void;

/// A shallow copy: the same prototype and shape, private fields and accessors included, with the same values.
///
/// A field that has only ever held numbers with a fraction is kept by V8 in a box that copies would share; objects that are copied must have none.
pub(crate) fn shallow_copy<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
) -> v8::Local<'s, v8::Object> {
    unsafe extern "C" {
        // `v8::Local<v8::Object> v8::Object::Clone(v8::Isolate*)` of `v8-object.h`, in the Itanium C++ ABI. Its result, a trivially copyable class of one
        // pointer, comes in a register.
        #[link_name = "_ZN2v86Object5CloneEPNS_7IsolateE"]
        fn v8_object_clone(object: *const v8::Object, isolate: *mut c_void) -> *const v8::Object;
    }
    // SAFETY: the isolate is the one of this thread's scope, as `UnsafeRawIsolatePtr` is a transparent wrapper of its pointer.
    let isolate: *mut c_void = unsafe { std::mem::transmute(scope.as_raw_isolate_ptr()) };
    // SAFETY: the handle is live in this scope; `Clone` runs no script and answers a handle of the current scope, which is `'s` or within it, never null.
    unsafe {
        let copy = v8_object_clone(&raw const *object, isolate);
        std::mem::transmute::<*const v8::Object, v8::Local<'s, v8::Object>>(copy)
    }
}
