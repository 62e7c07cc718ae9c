//! The wrapping of RFC 1952 around a deflate stream: parsers that take whatever bytes there are and remember where they stopped.

use flate2::Crc;

use super::Corrupt;

/// What a compressor writes: deflate, no flags, no time, no word on the level, unknown system. So the same input gives the same output everywhere.
pub(super) const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// CRC-32 and length modulo 2^32 of the uncompressed data.
pub(super) fn trailer(crc: &Crc) -> [u8; 8] {
    let [a, b, c, d] = crc.sum().to_le_bytes();
    let [e, f, g, h] = crc.amount().to_le_bytes();
    [a, b, c, d, e, f, g, h]
}

// Bits of the fourth byte, in the order of the fields they announce.
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// The field that the next byte belongs to. Numbers count the bytes of it that have been read.
#[derive(Clone, Copy)]
enum Field {
    Fixed(u8),
    ExtraLength(Option<u8>),
    Extra(u16),
    Name,
    Comment,
    HeaderCrc(Option<u8>),
    Complete,
}

pub(super) struct HeaderParser {
    field: Field,
    flags: u8,
    /// Of all header bytes before the checksum.
    crc: Crc,
}

impl HeaderParser {
    pub(super) fn new() -> Self {
        Self {
            field: Field::Fixed(0),
            flags: 0,
            crc: Crc::new(),
        }
    }

    /// Reads on; true when the header is complete, after which `input` starts with the deflate stream.
    pub(super) fn parse(&mut self, input: &mut &[u8]) -> Result<bool, Corrupt> {
        loop {
            if let Field::Complete = self.field {
                return Ok(true);
            }
            let Some((&byte, rest)) = input.split_first() else {
                return Ok(false);
            };
            *input = rest;
            self.take(byte)?;
        }
    }

    fn take(&mut self, byte: u8) -> Result<(), Corrupt> {
        if !matches!(self.field, Field::HeaderCrc(_)) {
            self.crc.update(&[byte]);
        }
        self.field = match self.field {
            Field::Fixed(index) => {
                match index {
                    0..=2 if HEADER.get(usize::from(index)) != Some(&byte) => {
                        return Err(Corrupt::Data);
                    }
                    3 if byte & RESERVED != 0 => return Err(Corrupt::Data),
                    3 => self.flags = byte,
                    // Time, level and system are of no interest.
                    _ => {}
                }
                if index < 9 {
                    Field::Fixed(index + 1)
                } else {
                    self.after_fixed()
                }
            }
            Field::ExtraLength(None) => Field::ExtraLength(Some(byte)),
            Field::ExtraLength(Some(low)) => match u16::from_le_bytes([low, byte]) {
                0 => self.after_extra(),
                length => Field::Extra(length),
            },
            Field::Extra(left) if left > 1 => Field::Extra(left - 1),
            Field::Extra(_) => self.after_extra(),
            Field::Name if byte != 0 => Field::Name,
            Field::Name => self.after_name(),
            Field::Comment if byte != 0 => Field::Comment,
            Field::Comment => self.after_comment(),
            Field::HeaderCrc(None) => Field::HeaderCrc(Some(byte)),
            Field::HeaderCrc(Some(low)) => {
                // The lower half of the CRC-32.
                if self.crc.sum() & 0xffff != u32::from(u16::from_le_bytes([low, byte])) {
                    return Err(Corrupt::Checksum);
                }
                Field::Complete
            }
            Field::Complete => Field::Complete,
        };
        Ok(())
    }

    fn after_fixed(&self) -> Field {
        if self.flags & EXTRA != 0 {
            Field::ExtraLength(None)
        } else {
            self.after_extra()
        }
    }

    fn after_extra(&self) -> Field {
        if self.flags & NAME != 0 {
            Field::Name
        } else {
            self.after_name()
        }
    }

    fn after_name(&self) -> Field {
        if self.flags & COMMENT != 0 {
            Field::Comment
        } else {
            self.after_comment()
        }
    }

    fn after_comment(&self) -> Field {
        if self.flags & HEADER_CRC != 0 {
            Field::HeaderCrc(None)
        } else {
            Field::Complete
        }
    }
}

pub(super) struct TrailerParser {
    bytes: [u8; 8],
    filled: usize,
}

impl TrailerParser {
    pub(super) fn new() -> Self {
        Self {
            bytes: [0; 8],
            filled: 0,
        }
    }

    /// Reads on; true when the trailer is complete and agrees with `crc`, which is that of the data before it.
    pub(super) fn parse(&mut self, input: &mut &[u8], crc: &Crc) -> Result<bool, Corrupt> {
        while let Some(slot) = self.bytes.get_mut(self.filled) {
            let Some((&byte, rest)) = input.split_first() else {
                return Ok(false);
            };
            *slot = byte;
            *input = rest;
            self.filled += 1;
        }
        if self.bytes == trailer(crc) {
            Ok(true)
        } else {
            Err(Corrupt::Checksum)
        }
    }
}
