//! `atob` and `btoa` for `base64.js` (Infra §8 "forgiving-base64", HTML §8.3).
//!
//! Both work on V8 strings of one byte per character; `simdutf`, which V8 carries, does the coding.

use super::prelude::*;
use v8::simdutf::{self, Base64Options, LastChunkHandling};

/// `ops.base64Decode(text) -> string | undefined`: the decoded bytes, one per character; undefined for malformed input.
pub(crate) fn base64_decode(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Some(input) = one_byte_text(scope, args.get(0)) else {
        return;
    };
    let mut output = vec![0; simdutf::maximal_binary_length_from_base64(&input)];
    // "Loose" is the forgiving decode: ASCII whitespace skipped, padding optional but right where present, spare bits dropped.
    // SAFETY: `output` has the capacity that `maximal_binary_length_from_base64` asks for.
    let result = unsafe {
        simdutf::base64_to_binary(
            &input,
            &mut output,
            Base64Options::Default,
            LastChunkHandling::Loose,
        )
    };
    if result.is_ok() {
        output.truncate(result.count);
        set_one_byte_text(scope, &mut rv, &output);
    }
}

/// `ops.base64Encode(text) -> string | undefined`: undefined when a character is above U+00FF.
pub(crate) fn base64_encode(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Some(input) = one_byte_text(scope, args.get(0)) else {
        return;
    };
    let mut output =
        vec![0; simdutf::base64_length_from_binary(input.len(), Base64Options::Default)];
    // SAFETY: `output` has the capacity that `base64_length_from_binary` asks for.
    let length = unsafe { simdutf::binary_to_base64(&input, &mut output, Base64Options::Default) };
    output.truncate(length);
    set_one_byte_text(scope, &mut rv, &output);
}

/// A string's characters as bytes; `None` if one does not fit.
fn one_byte_text(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<Vec<u8>> {
    let string = v8::Local::<v8::String>::try_from(value).ok()?;
    if !string.contains_only_onebyte() {
        return None;
    }
    let mut bytes = vec![0; string.length()];
    string.write_one_byte_v2(scope, 0, &mut bytes, v8::WriteFlags::empty());
    Some(bytes)
}

fn set_one_byte_text(scope: &mut v8::PinScope, rv: &mut v8::ReturnValue, bytes: &[u8]) {
    match v8::String::new_from_one_byte(scope, bytes, v8::NewStringType::Normal) {
        Some(string) => rv.set(string.into()),
        None => throw_range_error(scope, "The result is longer than a string can be"),
    }
}
