//! The heap that every isolate starts from: V8's own start-up snapshot with the glue evaluated on top, made by `build.rs`.

use std::borrow::Cow;
use std::sync::Arc;

use super::allocator::{self, Buffers};

include!("glue.rs");
// What `build.rs` put into the snapshot, `IN_SNAPSHOT`; and V8's code of the other files, `CODE`.
include!(concat!(env!("OUT_DIR"), "/glue_contents.rs"));

static GLUE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/glue.snapshot"));

/// Place of the glue's entry object among the snapshot's context data.
pub(crate) const ENTRY_INDEX: usize = 0;

/// Place of the first of the snapshot's modules there; they are in the order of `IN_SNAPSHOT`.
pub(crate) const FIRST_MODULE_INDEX: usize = 1;

/// Parameters of an isolate that starts from the snapshot.
pub(crate) fn create_params(heap_size: Option<usize>, buffers: &Arc<Buffers>) -> v8::CreateParams {
    let params = v8::CreateParams::default();
    let params = match heap_size {
        Some(bytes) => params.heap_limits(0, bytes),
        None => params,
    };
    params
        .array_buffer_allocator(allocator::new(buffers))
        .snapshot_blob(v8::StartupData::from(Cow::Borrowed(GLUE)))
        .external_references(Cow::Owned(external_references()))
}

/// As `build.rs` lists them.
fn external_references() -> Vec<v8::ExternalReference> {
    let mut references = crate::ops::external_references();
    references.push(lazy_global_reference(crate::modules::lazy_global));
    references.extend(glue_text_references());
    references
}
