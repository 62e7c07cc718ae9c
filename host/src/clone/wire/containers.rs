//! Values that hold values: objects, arrays, maps, sets and errors.

use super::error::WireError;
use super::key::number_text;
use super::reader::{ReadContainer, Reader};
use super::reference::{Kind, Object};
use super::tag::{self, MAX_DEPTH};
use super::value::{ErrorValue, Value};

/// Room made before elements are seen. A length is only a claim, and containers nest.
const ROOM: usize = 256;

impl<'a> Reader<'a> {
    /// How to read the container that begins with `tag`, if one does.
    pub(super) fn container_of(tag: u8) -> Option<ReadContainer<'a>> {
        Some(match tag {
            tag::BEGIN_OBJECT => Self::plain_object,
            tag::BEGIN_DENSE_ARRAY => Self::dense_array,
            tag::BEGIN_SPARSE_ARRAY => Self::sparse_array,
            tag::BEGIN_MAP => Self::map,
            tag::BEGIN_SET => Self::set,
            tag::ERROR => Self::error,
            _ => return None,
        })
    }

    pub(super) fn container(
        &mut self,
        read: ReadContainer<'a>,
        start: usize,
    ) -> Result<Value, WireError> {
        if self.depth >= MAX_DEPTH {
            return Err(WireError::TooDeep { offset: start });
        }
        self.depth += 1;
        let id = self.begin(Object::new(Kind::Plain, start, self.next_id));
        let value = read(self);
        self.finish(id);
        self.depth -= 1;
        value
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
        let mut error = Box::new(ErrorValue::default());
        let mut part = self.error_name(&mut error)?;
        while part != tag::ERROR_END {
            if part == tag::ERROR_CAUSE && error.cause.is_none() {
                error.cause = Some(self.value()?);
            } else {
                self.error_text(&mut error, part)?;
            }
            part = self.input.byte()?;
        }
        Ok(Value::Error(error))
    }

    /// The name, which only some errors have, and the tag of what follows.
    fn error_name(&mut self, error: &mut ErrorValue) -> Result<u8, WireError> {
        let part = self.input.byte()?;
        let known = tag::ERROR_NAMES.iter().find(|name| name.0 == part);
        let (name, part) = match known {
            Some((_, name)) => (*name, self.input.byte()?),
            None => ("Error", part),
        };
        name.clone_into(&mut error.name);
        Ok(part)
    }

    fn error_text(&mut self, error: &mut ErrorValue, part: u8) -> Result<(), WireError> {
        let text = match part {
            tag::ERROR_MESSAGE => &mut error.message,
            tag::ERROR_STACK => &mut error.stack,
            _ => return self.input.malformed("an unknown part of an error"),
        };
        match text.replace(self.input.string()?) {
            None => Ok(()),
            Some(_) => self.input.malformed("a part of an error twice"),
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
