//! Text encoding and decoding for `encoding.js` (WHATWG Encoding §7).

mod stream;

use super::bytes::{INLINE_BYTES, bytes_of, unshared_bytes_mut};
use super::prelude::*;
use encoding_rs::Encoding;
use stream::{StreamDecoder, label_to_name};

/// `ops.encodeUtf8(string) -> Uint8Array`: lone surrogates become U+FFFD.
pub(crate) fn encode_utf8(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let bytes = text(scope, args.get(0)).into_bytes();
    set_bytes(scope, &mut rv, bytes);
}

/// `ops.encodeUtf8Into(string, view, result: Uint32Array)`: fills `view` with whole characters; `result` gets the UTF-16 code units read and the
/// bytes written.
pub(crate) fn encode_utf8_into(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    _rv: v8::ReturnValue,
) {
    let Ok(string) = v8::Local::<v8::String>::try_from(args.get(0)) else {
        return throw_type_error(scope, "encodeUtf8Into: not a string");
    };
    let target = args.get(1);
    let mut read = 0;
    let written = match unshared_bytes_mut(scope, target) {
        Some(bytes) => string.write_utf8_v2(
            scope,
            bytes,
            v8::WriteFlags::kReplaceInvalidUtf8,
            Some(&mut read),
        ),
        None => {
            // Other threads may write shared memory at any moment: encode aside, then copy.
            let room = v8::Local::<v8::ArrayBufferView>::try_from(target)
                .map_or(0, |view| view.byte_length());
            let mut bytes = vec![0; room.min(string.length().saturating_mul(3))];
            let written = string.write_utf8_v2(
                scope,
                &mut bytes,
                v8::WriteFlags::kReplaceInvalidUtf8,
                Some(&mut read),
            );
            bytes.truncate(written);
            write_bytes(target, 0, &bytes);
            written
        }
    };
    // A string has fewer than 2^29 code units, of at most three bytes each: both counts fit.
    let counts = [read as u32, written as u32];
    write_bytes(args.get(2), 0, bytemuck::bytes_of(&counts));
}

/// `ops.encodingName(label) -> string | undefined`: the encoding's lower-case name; undefined for an unknown label and for those of
/// `replacement`, which the API refuses.
pub(crate) fn encoding_name(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let label = text(scope, args.get(0));
    if let Some(name) = label_to_name(&label) {
        set_text(scope, &mut rv, &name);
    }
}

/// `ops.decodeUtf8(bytes, fatal, ignoreBOM) -> string | undefined`: `decodeOnce` for the encoding that nearly all text has.
pub(crate) fn decode_utf8(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let mut inline = INLINE_BYTES;
    let bytes = bytes_of(scope, args.get(0), &mut inline);
    let ignore_bom = args.get(2).is_true();
    let body = if ignore_bom {
        &bytes[..]
    } else {
        bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes)
    };
    // V8 transcodes straight into its own representation, and replaces as the standard has it.
    if !args.get(1).is_true() || v8::simdutf::validate_utf8(body) {
        set_utf8(scope, &mut rv, body);
    }
}

/// `ops.decodeOnce(bytes, name, fatal, ignoreBOM) -> string | undefined`: undefined when `fatal` and malformed.
pub(crate) fn decode_once(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let Some(encoding) = encoding_argument(scope, args.get(1)) else {
        return throw_range_error(scope, "decodeOnce: unknown encoding");
    };
    let mut inline = INLINE_BYTES;
    let bytes = bytes_of(scope, args.get(0), &mut inline);
    if let Some(decoded) = stream::decode_once(
        encoding,
        &bytes,
        args.get(2).is_true(),
        args.get(3).is_true(),
    ) {
        set_utf8(scope, &mut rv, decoded.as_bytes());
    }
}

/// `ops.decoderNew(name, ignoreBOM) -> id`: a decoder that keeps its state between calls; the glue frees it.
pub(crate) fn decoder_new(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let ignore_bom = args.get(1).is_true();
    let Some(encoding) = encoding_argument(scope, args.get(0)) else {
        return throw_range_error(scope, "decoderNew: unknown encoding");
    };
    let id = resource_add(scope, Box::new(StreamDecoder::new(encoding, ignore_bom)));
    rv.set_uint32(id);
}

/// `ops.decoderDecode(id, bytes, fatal, flush) -> string | undefined`: undefined when `fatal` and malformed.
pub(crate) fn decoder_decode(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let fatal = args.get(2).is_true();
    let flush = args.get(3).is_true();
    let mut inline = INLINE_BYTES;
    let bytes = bytes_of(scope, args.get(1), &mut inline);
    let decoded = with_resource::<StreamDecoder, _>(scope, id, |decoder| {
        decoder.decode(&bytes, fatal, flush)
    });
    match decoded {
        Some(Some(decoded)) => set_utf8(scope, &mut rv, decoded.as_bytes()),
        Some(None) => {}
        None => throw_type_error(scope, "decoderDecode: the decoder is gone"),
    }
}

fn encoding_argument(
    scope: &mut v8::PinScope,
    value: v8::Local<v8::Value>,
) -> Option<&'static Encoding> {
    Encoding::for_label(text(scope, value).as_bytes())
}

/// Sets a string of UTF-8 bytes, malformed sequences replaced; one that is longer than V8's longest is a RangeError.
fn set_utf8(scope: &mut v8::PinScope, rv: &mut v8::ReturnValue, bytes: &[u8]) {
    match v8::String::new_from_utf8(scope, bytes, v8::NewStringType::Normal) {
        Some(string) => rv.set(string.into()),
        None => throw_range_error(scope, "The decoded text is longer than a string can be"),
    }
}
