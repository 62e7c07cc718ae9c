//! Decoding with `encoding_rs`, free of V8: one-shot, and in pieces with the state that WHATWG Encoding §7.2 keeps between `decode` calls.

use encoding_rs::{Decoder, DecoderResult, Encoding};

/// The lower-case name of the encoding that `label` stands for; `None` for an unknown label and for `replacement` (§7.2, constructor, step 2).
pub(crate) fn label_to_name(label: &str) -> Option<String> {
    Encoding::for_label_no_replacement(label.as_bytes())
        .map(|encoding| encoding.name().to_ascii_lowercase())
}

/// Decodes all of `bytes`; `None` when `fatal` and malformed.
pub(crate) fn decode_once(
    encoding: &'static Encoding,
    bytes: &[u8],
    fatal: bool,
    ignore_bom: bool,
) -> Option<String> {
    StreamDecoder::new(encoding, ignore_bom).decode(bytes, fatal, true)
}

/// A decoder that is fed in pieces.
pub(crate) struct StreamDecoder {
    decoder: Decoder,
    /// What a fatal error left unread. The standard's I/O queue keeps it for the next call, hence so does this.
    unread: Vec<u8>,
}

impl StreamDecoder {
    pub(crate) fn new(encoding: &'static Encoding, ignore_bom: bool) -> Self {
        // "BOM removal" is the standard's: of the encoding's own mark only, and of none but UTF-8's and UTF-16's.
        let decoder = if ignore_bom {
            encoding.new_decoder_without_bom_handling()
        } else {
            encoding.new_decoder_with_bom_removal()
        };
        Self {
            decoder,
            unread: Vec::new(),
        }
    }

    /// Decodes the next piece; `flush` tells that it is the last, after which the decoder must not be used again. `None` when `fatal` and
    /// malformed.
    pub(crate) fn decode(&mut self, bytes: &[u8], fatal: bool, flush: bool) -> Option<String> {
        let joined;
        let mut input = bytes;
        if !self.unread.is_empty() {
            let mut queue = std::mem::take(&mut self.unread);
            queue.extend_from_slice(bytes);
            joined = queue;
            input = &joined;
        }
        let mut output = String::new();
        loop {
            // Enough for the rest in one go, unless the sum overflows; then the result is `OutputFull` and the loop goes on.
            let room = if fatal {
                self.decoder
                    .max_utf8_buffer_length_without_replacement(input.len())
            } else {
                self.decoder.max_utf8_buffer_length(input.len())
            };
            output.reserve(room.unwrap_or(input.len()));
            if fatal {
                let (result, read) =
                    self.decoder
                        .decode_to_string_without_replacement(input, &mut output, flush);
                input = input.get(read..).unwrap_or_default();
                match result {
                    DecoderResult::InputEmpty => return Some(output),
                    DecoderResult::OutputFull => {}
                    DecoderResult::Malformed(..) => {
                        if !flush {
                            self.unread = input.to_vec();
                        }
                        return None;
                    }
                }
            } else {
                let (result, read, _) = self.decoder.decode_to_string(input, &mut output, flush);
                input = input.get(read..).unwrap_or_default();
                if result == encoding_rs::CoderResult::InputEmpty {
                    return Some(output);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{GB18030, SHIFT_JIS, UTF_8, UTF_16LE};

    #[test]
    fn labels_are_trimmed_lowered_and_never_replacement() {
        assert_eq!(label_to_name(" Latin1\n").as_deref(), Some("windows-1252"));
        assert_eq!(label_to_name("unicode11utf8").as_deref(), Some("utf-8"));
        assert_eq!(label_to_name("hz-gb-2312"), None);
        assert_eq!(label_to_name("replacement"), None);
        assert_eq!(label_to_name("utf-8\u{b}"), None);
    }

    #[test]
    fn one_shot() {
        assert_eq!(
            decode_once(UTF_8, b"\xEF\xBB\xBFa\xE2\x82", false, false).as_deref(),
            Some("a\u{FFFD}")
        );
        assert_eq!(
            decode_once(UTF_8, b"\xEF\xBB\xBFa", false, true).as_deref(),
            Some("\u{FEFF}a")
        );
        assert_eq!(decode_once(UTF_8, b"a\xE2\x82", true, false), None);
        assert_eq!(
            decode_once(SHIFT_JIS, b"\x82\xA0", true, false).as_deref(),
            Some("\u{3042}")
        );
        assert_eq!(
            decode_once(GB18030, b"\x84\x31\x95\x33a", true, false).as_deref(),
            Some("\u{FEFF}a")
        );
    }

    #[test]
    fn pieces_join_at_any_boundary() {
        let whole = "\u{FEFF}h€llo \u{1F980}";
        let bytes = whole.as_bytes();
        for cut in 0..=bytes.len() {
            let mut decoder = StreamDecoder::new(UTF_8, false);
            let mut text = decoder.decode(&bytes[..cut], true, false).unwrap();
            text += &decoder.decode(&bytes[cut..], true, true).unwrap();
            assert_eq!(text, whole.trim_start_matches('\u{FEFF}'), "cut at {cut}");
        }
    }

    #[test]
    fn a_truncated_tail_shows_at_the_flush() {
        let mut decoder = StreamDecoder::new(UTF_16LE, false);
        assert_eq!(decoder.decode(b"a\0b", false, false).as_deref(), Some("a"));
        assert_eq!(
            decoder.decode(b"", false, true).as_deref(),
            Some("\u{FFFD}")
        );
        let mut decoder = StreamDecoder::new(UTF_16LE, false);
        assert_eq!(decoder.decode(b"a\0b", true, false).as_deref(), Some("a"));
        assert_eq!(decoder.decode(b"", true, true), None);
    }

    #[test]
    fn a_fatal_error_keeps_the_rest_of_the_queue() {
        let mut decoder = StreamDecoder::new(UTF_8, false);
        assert_eq!(decoder.decode(b"ab\xFFcd", true, false), None);
        assert_eq!(decoder.decode(b"ef", true, true).as_deref(), Some("cdef"));
    }
}
