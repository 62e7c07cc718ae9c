//! The glue's own files.

use crate::modules::deferred;

/// `ops.loadGlue(path) -> object`: the namespace of a deferred file of the glue.
pub(crate) fn load_glue(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let path = args.get(0).to_rust_string_lossy(scope);
    if let Some(namespace) = deferred::load(scope, &path) {
        rv.set(namespace.into());
    }
}
