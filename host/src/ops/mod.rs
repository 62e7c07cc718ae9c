//! What the glue may call of the host, grouped by API. `table.rs` lists them all.
//!
//! An op is a plain V8 callback. It reads its arguments through [`prelude`], never panics, and answers a wrong argument as a function of the
//! standard would: by an exception in the calling script.

mod base64;
mod bytes;
mod cloning;
mod compression;
mod crypto;
mod encoding;
pub(crate) mod environment;
mod event_loop;
mod fs;
mod glue;
mod inspection;
mod messaging;
mod object_copy;
pub(crate) mod output;
mod prelude;
mod process;
mod records;
pub(crate) mod reply;
mod shapes;
mod terminal;
mod url;
mod wasm;
mod workers;

use v8::MapFnTo;

use crate::lane::quota::QuotaExceeded;
use crate::worker::state::WorkerState;
pub(crate) use prelude::throw_type_error;
pub(crate) use reply::{Completion, settle_completion};

/// Throws the DOMException that structured clone has for what cannot be cloned or transferred.
pub(crate) fn throw_data_clone_error(scope: &mut v8::PinScope, message: &str) {
    prelude::throw_dom_exception(scope, "DataCloneError", message);
}

/// Throws what a sender gets whose receiver has no room for more.
pub(crate) fn throw_quota_exceeded(scope: &mut v8::PinScope, refused: QuotaExceeded) {
    let figures =
        [refused.limit, refused.requested].map(|bytes| v8::Number::new(scope, bytes as f64).into());
    let error = WorkerState::of(scope).and_then(|state| {
        state
            .entry()?
            .call(scope, "createQuotaExceededError", &figures)
    });
    // Without one an exception is pending already.
    if let Some(error) = error {
        scope.throw_exception(error);
    }
}

macro_rules! op_table {
    ($($name:ident: $function:path,)*) => {
        /// The functions behind the start-up snapshot's ops, in the order of the table.
        pub(crate) fn external_references() -> Vec<v8::ExternalReference> {
            vec![$(v8::ExternalReference { function: $function.map_fn_to() }),*]
        }
    };
}
include!("table.rs");
