//! Values that hold values: objects, arrays, maps, sets and errors.

use super::error::WireError;
use super::key::number_text;
use super::reader::Reader;
use super::tag::{self, MAX_DEPTH};
use super::value::{ErrorValue, Value};

/// Room made before elements are seen. A length is only a claim, and containers nest.
const ROOM: usize = 256;

impl Reader<'_> {
    pub(super) fn container(&mut self, tag: u8, start: usize) -> Result<Value, WireError> {
        let read: fn(&mut Self) -> Result<Value, WireError> = match tag {
            tag::BEGIN_OBJECT => Self::plain_object,
            tag::BEGIN_DENSE_ARRAY => Self::dense_array,
            tag::BEGIN_SPARSE_ARRAY => Self::sparse_array,
            tag::BEGIN_MAP => Self::map,
            tag::BEGIN_SET => Self::set,
            tag::ERROR => Self::error,
            _ => return Err(refusal(tag, start)),
        };
        if self.depth >= MAX_DEPTH {
            return Err(WireError::TooDeep { offset: start });
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn plain_object(&mut self) -> Result<Value, WireError> {
        let mut properties = Vec::new();
        self.properties(tag::END_OBJECT, |_, key, value| {
            properties.push((key, value));
            Ok(())
        })?;
        Ok(Value::Object(properties))
    }

    fn dense_array(&mut self) -> Result<Value, WireError> {
        let length = self.input.varint()? as usize;
        // Each element takes a byte at least.
        if length > self.input.left() {
            return self.input.malformed("an array longer than the message");
        }
        let mut elements = Vec::with_capacity(length.min(ROOM));
        for _ in 0..length {
            let hole = self.input.eat(tag::THE_HOLE);
            elements.push(if hole {
                Value::Undefined
            } else {
                self.value()?
            });
        }
        self.properties(tag::END_DENSE_ARRAY, |_, _, _| Ok(()))?;
        self.length_again(length)?;
        Ok(Value::Array(elements))
    }

    /// Also what V8 makes of an array that once had holes, so that a full one is as common as one that is sparse.
    fn sparse_array(&mut self) -> Result<Value, WireError> {
        let length = self.input.varint()? as usize;
        let mut elements = Vec::new();
        self.properties(tag::END_SPARSE_ARRAY, |reader, key, value| {
            let Some(index) = array_index(&key).filter(|index| *index < length) else {
                return Ok(());
            };
            reader.pad(&mut elements, index)?;
            match elements.get_mut(index) {
                Some(element) => *element = value,
                None => elements.push(value),
            }
            Ok(())
        })?;
        self.length_again(length)?;
        self.pad(&mut elements, length)?;
        Ok(Value::Array(elements))
    }

    /// Fills `elements` up to `length` with holes. The message paid no byte for them, hence the limit.
    fn pad(&mut self, elements: &mut Vec<Value>, length: usize) -> Result<(), WireError> {
        let Some(missing) = length.checked_sub(elements.len()) else {
            return Ok(());
        };
        self.holes = self.holes.saturating_add(missing);
        if self.holes > tag::MAX_HOLES {
            return Err(WireError::TooLarge {
                offset: self.input.position(),
                what: "arrays of too many holes",
            });
        }
        elements.resize(elements.len() + missing, Value::Undefined);
        Ok(())
    }

    fn map(&mut self) -> Result<Value, WireError> {
        let mut entries = Vec::new();
        while !self.input.eat(tag::END_MAP) {
            entries.push((self.value()?, self.value()?));
        }
        self.count(entries.len().saturating_mul(2))?;
        Ok(Value::Map(entries))
    }

    fn set(&mut self) -> Result<Value, WireError> {
        let mut elements = Vec::new();
        while !self.input.eat(tag::END_SET) {
            elements.push(self.value()?);
        }
        self.count(elements.len())?;
        Ok(Value::Set(elements))
    }

    fn error(&mut self) -> Result<Value, WireError> {
        let mut error = ErrorValue::default();
        let mut part = self.input.byte()?;
        let name = tag::ERROR_NAMES.iter().find(|name| name.0 == part);
        if name.is_some() {
            part = self.input.byte()?;
        }
        name.map_or("Error", |name| name.1)
            .clone_into(&mut error.name);
        loop {
            match part {
                tag::ERROR_MESSAGE if error.message.is_none() => {
                    error.message = Some(self.input.string()?);
                }
                tag::ERROR_STACK if error.stack.is_none() => {
                    error.stack = Some(self.input.string()?);
                }
                tag::ERROR_CAUSE if error.cause.is_none() => error.cause = Some(self.value()?),
                tag::ERROR_END => return Ok(Value::Error(Box::new(error))),
                _ => return self.input.malformed("an unknown part of an error"),
            }
            part = self.input.byte()?;
        }
    }

    /// Keys and values up to `end`, and how many there were. V8's `ReadJSObjectProperties`.
    fn properties(
        &mut self,
        end: u8,
        mut each: impl FnMut(&mut Self, String, Value) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let mut count = 0;
        while !self.input.eat(end) {
            let key = self.key()?;
            let value = self.value()?;
            each(self, key, value)?;
            count += 1;
        }
        self.count(count)
    }

    fn key(&mut self) -> Result<String, WireError> {
        let tag = self.input.tag()?;
        if let Some(text) = self.input.text(tag)? {
            return Ok(text);
        }
        Ok(match tag {
            tag::INT32 => self.input.zigzag()?.to_string(),
            tag::UINT32 => self.input.varint()?.to_string(),
            tag::DOUBLE => number_text(self.input.double()?),
            _ => return self.input.malformed("something else where a key belongs"),
        })
    }

    fn count(&mut self, counted: usize) -> Result<(), WireError> {
        match self.input.varint()? as usize {
            count if count == counted => Ok(()),
            _ => self.input.malformed("a count that is not what was counted"),
        }
    }

    fn length_again(&mut self, length: usize) -> Result<(), WireError> {
        match self.input.varint()? as usize {
            again if again == length => Ok(()),
            _ => self.input.malformed("an array of two lengths"),
        }
    }
}

/// The index that a property key of an array is. ECMA-262 §6.1.7: the decimal form alone, without leading zeros.
fn array_index(key: &str) -> Option<usize> {
    let index: u32 = key.parse().ok()?;
    (index != u32::MAX && index.to_string() == key).then_some(index as usize)
}

/// Why a value with `tag` is not read.
fn refusal(tag: u8, offset: usize) -> WireError {
    let what = match tag {
        tag::HOST_OBJECT => "a host object, such as a port,",
        tag::SHARED_ARRAY_BUFFER => "a SharedArrayBuffer",
        tag::SHARED_OBJECT => "a shared struct or array",
        tag::WASM_MODULE_TRANSFER => "a WebAssembly.Module",
        tag::WASM_MEMORY_TRANSFER => "a WebAssembly.Memory",
        _ => {
            let what = format!("the unknown tag {:?}", char::from(tag));
            return WireError::malformed(offset, what);
        }
    };
    WireError::Unsupported { offset, what }
}
