//! How each kind of value is laid out: the `Write…` functions of V8's `ValueSerializer`.

use std::ops::Range;

use super::error::WireError;
use super::tag::{self, MAX_DEPTH};

/// The message so far.
pub(super) struct Writer {
    out: Vec<u8>,
    /// Containers that are open.
    depth: usize,
    /// `Some`s and newtypes around what is being written. They leave no bytes but take stack, hence a limit of their own.
    layers: usize,
}

/// Where the length of an array was written, and which.
pub(super) struct ArrayStart {
    at: usize,
    announced: Option<usize>,
}

const TOO_LONG: &str = "a string longer than JavaScript's";
/// Bytes of a length that is filled in later: as many as the longest takes.
const OPEN_LENGTH: usize = 5;

impl Writer {
    pub(super) fn new() -> Self {
        Self::with_room(0)
    }

    /// One that has room for so many bytes, the header's not counted.
    pub(super) fn with_room(bytes: usize) -> Self {
        let mut out = Vec::with_capacity(bytes.saturating_add(2));
        out.extend([tag::VERSION, tag::WRITTEN_VERSION]);
        Writer {
            out,
            depth: 0,
            layers: 0,
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// How much is written.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn refuse(&self, what: &'static str) -> WireError {
        WireError::unwritable(self.out.len(), what)
    }

    pub(super) fn tag(&mut self, tag: u8) {
        self.out.push(tag);
    }

    pub(super) fn varint(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    /// A length or count, up to `limit`, which is V8's own for the kind.
    pub(super) fn length(
        &mut self,
        length: usize,
        limit: usize,
        what: &'static str,
    ) -> Result<(), WireError> {
        match u32::try_from(length) {
            Ok(short) if length <= limit => {
                self.varint(short);
                Ok(())
            }
            _ => Err(self.refuse(what)),
        }
    }

    pub(super) fn int32(&mut self, number: i32) {
        self.tag(tag::INT32);
        // Zigzag: 0, -1, 1, -2, … as 0, 1, 2, 3, …
        self.varint((number << 1 ^ number >> 31).cast_unsigned());
    }

    /// Eight bytes without a tag.
    pub(super) fn raw_double(&mut self, number: f64) {
        // One NaN for all: what a NaN carries is not a script's business.
        let number = if number.is_nan() { f64::NAN } else { number };
        self.out.extend_from_slice(&number.to_ne_bytes());
    }

    pub(super) fn double(&mut self, number: f64) {
        self.tag(tag::DOUBLE);
        self.raw_double(number);
    }

    pub(super) fn bigint(&mut self, negative: bool, digits: &[u64]) -> Result<(), WireError> {
        if digits.len() > tag::MAX_DIGITS {
            return Err(self.refuse("a bigint wider than JavaScript's"));
        }
        self.tag(tag::BIGINT);
        // At most 2^27 bytes, as checked above: the shift cannot overflow.
        let bytes = digits.len() as u32 * 8;
        self.varint(bytes << 1 | u32::from(negative));
        for digit in digits {
            self.out.extend_from_slice(&digit.to_le_bytes());
        }
        Ok(())
    }

    /// A string, and where its tag and data are.
    pub(super) fn string(&mut self, text: &str) -> Result<Range<usize>, WireError> {
        if text.is_ascii() {
            self.one_byte_units(text.as_bytes())
        } else {
            let units: Vec<u16> = text.encode_utf16().collect();
            self.units(&units)
        }
    }

    /// The same of UTF-16 units, which need not pair.
    pub(super) fn units(&mut self, units: &[u16]) -> Result<Range<usize>, WireError> {
        let one_byte: Option<Vec<u8>> = units.iter().map(|unit| u8::try_from(*unit).ok()).collect();
        match one_byte {
            Some(units) => self.one_byte_units(&units),
            None => self.two_byte_units(units),
        }
    }

    /// The same of units that are Latin-1.
    pub(super) fn one_byte_units(&mut self, units: &[u8]) -> Result<Range<usize>, WireError> {
        let begin = self.out.len();
        self.one_byte_head(units.len())?;
        self.out.extend_from_slice(units);
        Ok(begin..self.out.len())
    }

    /// What stands before so many Latin-1 units.
    pub(super) fn one_byte_head(&mut self, length: usize) -> Result<(), WireError> {
        self.tag(tag::ONE_BYTE_STRING);
        self.length(length, tag::MAX_STRING, TOO_LONG)
    }

    /// The same of units that need two bytes.
    pub(super) fn two_byte_units(&mut self, units: &[u16]) -> Result<Range<usize>, WireError> {
        let bytes = units.len().saturating_mul(2);
        // V8 reads the data in place where it can, so it has to lie at an even offset.
        if (self.out.len() + 1 + varint_size(bytes)) % 2 == 1 {
            self.tag(tag::PADDING);
        }
        let begin = self.out.len();
        self.tag(tag::TWO_BYTE_STRING);
        self.length(bytes, tag::MAX_STRING * 2, TOO_LONG)?;
        self.out.extend_from_slice(bytemuck::cast_slice(units));
        Ok(begin..self.out.len())
    }

    /// A view of `kind` over the whole of a buffer of its own.
    pub(super) fn view(&mut self, kind: u8, bytes: &[u8]) -> Result<(), WireError> {
        const TOO_LONG: &str = "a buffer of more than 4 GiB";
        self.tag(tag::ARRAY_BUFFER);
        self.length(bytes.len(), usize::MAX, TOO_LONG)?;
        self.out.extend_from_slice(bytes);
        self.tag(tag::ARRAY_BUFFER_VIEW);
        self.tag(kind);
        self.varint(0);
        self.length(bytes.len(), usize::MAX, TOO_LONG)?;
        self.varint(0);
        Ok(())
    }

    /// Begins a container: its tag.
    pub(super) fn open(&mut self, tag: u8) -> Result<(), WireError> {
        if self.depth >= MAX_DEPTH {
            return Err(WireError::TooDeep {
                offset: self.out.len(),
            });
        }
        self.depth += 1;
        self.tag(tag);
        Ok(())
    }

    /// Ends a container: its tag and count.
    pub(super) fn close(&mut self, tag: u8, count: usize) -> Result<(), WireError> {
        self.shut();
        self.tag(tag);
        self.length(count, usize::MAX, "more than 2^32 entries")
    }

    /// Ends a container that has neither an end tag of its own nor a count.
    pub(super) fn shut(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn open_array(&mut self, length: Option<usize>) -> Result<ArrayStart, WireError> {
        self.open(tag::BEGIN_DENSE_ARRAY)?;
        let at = self.out.len();
        match length {
            Some(length) => self.array_length(length)?,
            None => self.out.extend_from_slice(&[0; OPEN_LENGTH]),
        }
        let announced = length;
        Ok(ArrayStart { at, announced })
    }

    pub(super) fn close_array(
        &mut self,
        start: &ArrayStart,
        length: usize,
    ) -> Result<(), WireError> {
        match start.announced {
            Some(announced) if announced != length => {
                let what =
                    format!("a sequence that announced {announced} elements and wrote {length}");
                return Err(WireError::unwritable(self.out.len(), what));
            }
            Some(_) => {}
            // A varint may be longer than it needs to be. Moving what follows instead would misalign its two-byte strings.
            None => {
                let place = self.out.get_mut(start.at..start.at + OPEN_LENGTH);
                let mut rest = length;
                for byte in place.unwrap_or_default() {
                    *byte = rest as u8 | 0x80;
                    rest >>= 7;
                }
                if let Some(last) = self.out.get_mut(start.at + OPEN_LENGTH - 1) {
                    *last &= 0x7F;
                }
            }
        }
        self.close(tag::END_DENSE_ARRAY, 0)?;
        self.array_length(length)
    }

    fn array_length(&mut self, length: usize) -> Result<(), WireError> {
        self.length(
            length,
            tag::MAX_ELEMENTS,
            "an array of more than 2^27 elements",
        )
    }

    /// Enters a layer that leaves no bytes.
    pub(super) fn enter_layer(&mut self) -> Result<(), WireError> {
        if self.layers >= MAX_DEPTH {
            return Err(WireError::TooDeep {
                offset: self.out.len(),
            });
        }
        self.layers += 1;
        Ok(())
    }

    pub(super) fn leave_layer(&mut self) {
        self.layers = self.layers.saturating_sub(1);
    }

    /// Whether two of the strings at `keys` are the same.
    ///
    /// V8 refuses an object that names a property twice, and says only that the data is bad. A string has one form here, so comparing what was
    /// written compares the keys.
    pub(super) fn any_twice(&self, keys: &mut [Range<usize>]) -> bool {
        let text = |key: &Range<usize>| self.out.get(key.clone()).unwrap_or_default();
        keys.sort_unstable_by(|a, b| text(a).cmp(text(b)));
        keys.windows(2).any(|pair| match pair {
            [a, b] => text(a) == text(b),
            _ => false,
        })
    }
}

/// Bytes that a varint of `number` takes.
fn varint_size(number: usize) -> usize {
    (number.checked_ilog2().unwrap_or(0) / 7 + 1) as usize
}
