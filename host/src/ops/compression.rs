//! Compression and decompression for `compression.js` (WHATWG Compression): gzip (RFC 1952), zlib (`deflate`, RFC 1950) and raw deflate
//! (`deflate-raw`, RFC 1951).
//!
//! A codec takes one chunk of input and hands its output out in pieces of at most 64 KiB, one per call, so that the glue can stop between two of
//! them and a chunk that expands a thousandfold never exists as a whole. The protocol: `compressorWrite` or `compressorFinish`, which return the
//! first piece, then `compressorPull` until it returns undefined. What is wrong with the input is thrown after all output before it was handed out.

mod codec;

use super::prelude::*;
use codec::{Codec, Format};

/// `ops.compressorNew(format, decompress) -> id`: freed with `ops.resourceFree`.
pub(crate) fn compressor_new(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let name = text(scope, args.get(0));
    let Some(format) = Format::from_name(&name) else {
        return throw_type_error(scope, "compressorNew: unknown format");
    };
    let codec = if boolean(scope, args.get(1)) {
        Codec::decompressor(format)
    } else {
        Codec::compressor(format)
    };
    let id = resource_add(scope, Box::new(codec));
    rv.set_uint32(id);
}

/// `ops.compressorWrite(id, bytes) -> Uint8Array | undefined`: copies a chunk in and returns the first piece of output, if there is one. TypeError
/// for corrupt input, and for input beyond the end of the compressed data.
pub(crate) fn compressor_write(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let Some(bytes) = copy_bytes(args.get(1)) else {
        return throw_type_error(scope, "compressorWrite: not a buffer");
    };
    let piece = with_resource::<Codec, _>(scope, id, |codec| {
        codec.push(bytes);
        codec.pull()
    });
    give(scope, rv, piece);
}

/// `ops.compressorPull(id) -> Uint8Array | undefined`: the next piece of output; undefined when the codec wants more input.
pub(crate) fn compressor_pull(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let piece = with_resource::<Codec, _>(scope, id, Codec::pull);
    give(scope, rv, piece);
}

/// `ops.compressorFinish(id) -> Uint8Array | undefined`: says that there is no more input and returns the first piece of what is left. TypeError
/// when compressed data ends too early.
pub(crate) fn compressor_finish(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    rv: v8::ReturnValue,
) {
    let id = uint(scope, args.get(0));
    let piece = with_resource::<Codec, _>(scope, id, |codec| {
        codec.finish();
        codec.pull()
    });
    give(scope, rv, piece);
}

/// Returns a piece to the glue, or throws.
fn give(
    scope: &mut v8::PinScope,
    mut rv: v8::ReturnValue,
    piece: Option<Result<Option<Vec<u8>>, codec::Corrupt>>,
) {
    match piece {
        Some(Ok(Some(bytes))) => set_bytes(scope, &mut rv, bytes),
        Some(Ok(None)) => {}
        Some(Err(error)) => throw_type_error(scope, error.message()),
        None => throw_type_error(scope, "The codec is gone"),
    }
}
