// The glue's texts as V8 uses them: in place, so that no isolate has a copy. `build.rs` and the crate both include this, since a snapshot refers to a
// text by its place in the list.

/// In the order of [`isolane_js_glue::SOURCES`].
pub(crate) static GLUE_TEXTS: [v8::OneByteConst; isolane_js_glue::SOURCES.len()] = {
    let mut texts = [v8::String::create_external_onebyte_const(b""); isolane_js_glue::SOURCES.len()];
    let mut index = 0;
    while index < texts.len() {
        let text = isolane_js_glue::SOURCES[index].1.as_bytes();
        // SAFETY: the glue's build lets nothing through that is not ASCII.
        texts[index] = unsafe { v8::String::create_external_onebyte_const_unchecked(text) };
        index += 1;
    }
    texts
};

/// To follow the ops among V8's external references.
pub(crate) fn glue_text_references() -> impl Iterator<Item = v8::ExternalReference> {
    GLUE_TEXTS.iter().map(|text| v8::ExternalReference {
        pointer: std::ptr::from_ref(text).cast_mut().cast(),
    })
}
