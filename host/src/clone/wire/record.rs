//! Records, the form that plain objects have in a lane's slots, as V8's bytes: for a receiver that is no isolate. `js-glue/src/messaging/record.js`
//! describes the form.

use super::error::WireError;
use super::tag;
use super::writer::Writer;

const UNDEFINED: u32 = 1;
const NULL: u32 = 2;
const FALSE: u32 = 3;
const TRUE: u32 = 4;
const INT32: u32 = 5;
const FLOAT64: u32 = 6;
const SMALL: u32 = 7;
const LATIN1: u32 = 8;
const UTF16: u32 = 9;
const ARRAY: u32 = 10;
const OBJECT: u32 = 11;

/// The value that the words of a record hold; `names` gives the keys of the shape of that number.
///
/// # Errors
/// [`WireError::Malformed`] if the words are none that a sender writes, or name a shape that is not there.
pub(crate) fn from_record<N: AsRef<[Box<[u16]>]>>(
    words: &[u32],
    names: impl Fn(u32) -> Option<N>,
) -> Result<Vec<u8>, WireError> {
    let mut transcoder = Transcoder {
        words,
        at: 0,
        names,
        writer: Writer::new(),
    };
    transcoder.value()?;
    match transcoder.words.get(transcoder.at) {
        Some(_) => Err(transcoder.malformed("words after the value")),
        None => Ok(transcoder.writer.into_bytes()),
    }
}

struct Transcoder<'a, F> {
    words: &'a [u32],
    at: usize,
    names: F,
    writer: Writer,
}

impl<N: AsRef<[Box<[u16]>]>, F: Fn(u32) -> Option<N>> Transcoder<'_, F> {
    fn malformed(&self, what: &'static str) -> WireError {
        WireError::malformed(self.at, what)
    }

    fn word(&mut self) -> Result<u32, WireError> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.ok_or_else(|| self.malformed("a record that ends within a value"))
    }

    /// So many of the units that the next words hold.
    fn units<U, const PER_WORD: usize>(
        &mut self,
        count: u32,
        unpack: impl Fn(u32) -> [U; PER_WORD],
    ) -> Result<Vec<U>, WireError> {
        let count = count as usize;
        let end = self.at.saturating_add(count.div_ceil(PER_WORD));
        let words = self.words.get(self.at..end);
        let words = words.ok_or_else(|| self.malformed("a string that ends within its units"))?;
        self.at = end;
        Ok(words.iter().copied().flat_map(unpack).take(count).collect())
    }

    /// Each value takes a word, so that nesting is as deep as the record is long.
    fn value(&mut self) -> Result<(), WireError> {
        let word = self.word()?;
        let argument = word >> 4;
        match word & 0xf {
            UNDEFINED => self.writer.tag(tag::UNDEFINED),
            NULL => self.writer.tag(tag::NULL),
            FALSE => self.writer.tag(tag::FALSE),
            TRUE => self.writer.tag(tag::TRUE),
            SMALL => self.writer.int32(word.cast_signed() >> 4),
            INT32 => {
                let number = self.word()?;
                self.writer.int32(number.cast_signed());
            }
            FLOAT64 => {
                let (low, high) = (self.word()?, self.word()?);
                let bits = u64::from(low) | u64::from(high) << 32;
                self.writer.double(f64::from_bits(bits));
            }
            LATIN1 => {
                let units = self.units(argument, u32::to_le_bytes)?;
                self.writer.one_byte_units(&units)?;
            }
            UTF16 => {
                let units = self.units(argument, |word| [word as u16, (word >> 16) as u16])?;
                self.writer.units(&units)?;
            }
            ARRAY => {
                let length = argument as usize;
                // Before the writer makes room for it.
                if length > self.words.len() {
                    return Err(self.malformed("an array that is longer than its record"));
                }
                let start = self.writer.open_array(Some(length))?;
                for _ in 0..length {
                    self.value()?;
                }
                self.writer.close_array(&start, length)?;
            }
            OBJECT => {
                let names = (self.names)(argument);
                let names = names.ok_or_else(|| self.malformed("an object of an unknown shape"))?;
                self.writer.open(tag::BEGIN_OBJECT)?;
                for name in names.as_ref() {
                    self.writer.units(name)?;
                    self.value()?;
                }
                self.writer.close(tag::END_OBJECT, names.as_ref().len())?;
            }
            _ => return Err(self.malformed("a value of an unknown kind")),
        }
        Ok(())
    }
}
