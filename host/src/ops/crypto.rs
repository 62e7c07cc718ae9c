//! Random bytes for `crypto.js` (Web Cryptography §10).

use super::bytes::unshared_bytes_mut;

/// `ops.randomFill(view) -> boolean`: fills the view from the operating system's generator; false when that fails, or when `view` is not a view
/// of unshared memory.
pub(crate) fn random_fill(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let filled =
        unshared_bytes_mut(scope, args.get(0)).is_some_and(|bytes| getrandom::fill(bytes).is_ok());
    rv.set_bool(filled);
}
