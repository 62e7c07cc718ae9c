//! The bytes that are left to read. Every access is checked against them; nothing here knows what a value is.

use super::bigint::BigInt;
use super::error::WireError;
use super::tag;

/// A position in a message.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let position = 0;
        Input { bytes, position }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Continues at `position`, which was this input's position before.
    pub(super) fn seek(&mut self, position: usize) {
        self.position = position.min(self.bytes.len());
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    pub(super) fn malformed<T>(&self, what: &'static str) -> Result<T, WireError> {
        Err(WireError::malformed(self.position, what))
    }

    pub(super) fn byte(&mut self) -> Result<u8, WireError> {
        let Some(byte) = self.bytes.get(self.position) else {
            return self.malformed("ends too early");
        };
        self.position += 1;
        Ok(*byte)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let Some(bytes) = rest.get(..length) else {
            return self.malformed("a length beyond the end");
        };
        self.position += length;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        match self.take(N)?.first_chunk() {
            Some(array) => Ok(*array),
            None => self.malformed("ends too early"),
        }
    }

    /// The next tag, not yet consumed. The padding before it is.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        self.position += rest
            .iter()
            .take_while(|byte| **byte == tag::PADDING)
            .count();
        self.bytes.get(self.position).copied()
    }

    /// Consumes `wanted` where it is the next tag.
    pub(super) fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.position += 1;
        }
        found
    }

    pub(super) fn tag(&mut self) -> Result<u8, WireError> {
        self.peek();
        self.byte()
    }

    /// A varint of at most 64 bits. V8 drops what does not fit; here that is an error, as it never writes such.
    pub(super) fn varint64(&mut self) -> Result<u64, WireError> {
        let start = self.position;
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7F);
            if part << shift >> shift != part {
                break;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(WireError::malformed(start, "a number of too many bits"))
    }

    pub(super) fn varint(&mut self) -> Result<u32, WireError> {
        let start = self.position;
        u32::try_from(self.varint64()?)
            .map_err(|_| WireError::malformed(start, "a number of too many bits"))
    }

    /// A count of bytes. One that memory cannot hold is beyond the end, too.
    pub(super) fn length(&mut self) -> Result<usize, WireError> {
        Ok(usize::try_from(self.varint64()?).unwrap_or(usize::MAX))
    }

    pub(super) fn zigzag(&mut self) -> Result<i32, WireError> {
        let number = self.varint()?;
        let magnitude = (number >> 1).cast_signed();
        Ok(if number & 1 == 0 {
            magnitude
        } else {
            !magnitude
        })
    }

    pub(super) fn double(&mut self) -> Result<f64, WireError> {
        let number = f64::from_ne_bytes(self.array()?);
        // As V8: what a NaN carries stays on the wire.
        Ok(if number.is_nan() { f64::NAN } else { number })
    }

    pub(super) fn bigint(&mut self) -> Result<BigInt, WireError> {
        let header = self.varint()?;
        let negative = header & 1 == 1;
        let bytes = self.take((header >> 1) as usize)?;
        if negative && bytes.is_empty() {
            return self.malformed("a negative zero bigint");
        }
        // A 32-bit writer may leave the last digit half.
        let digits = bytes.chunks(8).map(|chunk| {
            let digit = chunk.iter().rev();
            digit.fold(0, |digit, byte| digit << 8 | u64::from(*byte))
        });
        Ok(BigInt::new(negative, digits.collect()))
    }

    /// The text of the string whose tag, just read, is `tag`. `None` where that is no string's.
    pub(super) fn text(&mut self, tag: u8) -> Result<Option<String>, WireError> {
        if !matches!(
            tag,
            tag::ONE_BYTE_STRING | tag::TWO_BYTE_STRING | tag::UTF8_STRING
        ) {
            return Ok(None);
        }
        let length = self.length()?;
        let bytes = self.take(length)?;
        Ok(Some(match tag {
            tag::TWO_BYTE_STRING => {
                let (units, rest) = bytes.as_chunks::<2>();
                if !rest.is_empty() {
                    return self.malformed("half a code unit");
                }
                let units = units.iter().map(|unit| u16::from_ne_bytes(*unit));
                char::decode_utf16(units)
                    .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect()
            }
            tag::ONE_BYTE_STRING => match str::from_utf8(bytes) {
                Ok(text) if text.is_ascii() => text.to_owned(),
                _ => bytes.iter().copied().map(char::from).collect(),
            },
            _ => String::from_utf8_lossy(bytes).into_owned(),
        }))
    }

    pub(super) fn string(&mut self) -> Result<String, WireError> {
        let tag = self.tag()?;
        match self.text(tag)? {
            Some(text) => Ok(text),
            None => self.malformed("something else where a string belongs"),
        }
    }
}
