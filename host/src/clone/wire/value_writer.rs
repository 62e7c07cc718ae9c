//! A [`Value`] as the JavaScript value that it stands for, also where serde has no name for it.

use super::error::WireError;
use super::tag;
use super::value::{ErrorValue, RegExpValue, Value};
use super::writer::Writer;

impl Value {
    /// The structured clone of this value, as V8's deserialiser reads it.
    ///
    /// Other than serde's route ([`to_bytes`](super::to_bytes)) it can write dates, regular expressions, maps, sets, errors and typed arrays.
    ///
    /// # Errors
    ///
    /// [`WireError::TooDeep`] beyond [`MAX_DEPTH`](super::MAX_DEPTH), and [`WireError::Unwritable`] for what V8 has no room for, for a property
    /// that an object names twice, for an unknown flag of a regular expression, and for a typed array whose last element is cut short.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WireError> {
        let mut writer = Writer::new();
        writer.value(self)?;
        Ok(writer.into_bytes())
    }
}

impl Writer {
    /// Recurses, and so leaves to others what needs room.
    fn value(&mut self, value: &Value) -> Result<(), WireError> {
        match value {
            Value::Array(elements) => self.array(elements),
            Value::Object(properties) => self.object(properties),
            Value::Map(entries) => self.map(entries),
            Value::Set(elements) => self.set(elements),
            Value::Error(error) => self.error(error),
            _ => self.leaf(value),
        }
    }

    /// A value that holds no others.
    fn leaf(&mut self, value: &Value) -> Result<(), WireError> {
        match value {
            Value::Null => self.tag(tag::NULL),
            Value::Bool(true) => self.tag(tag::TRUE),
            Value::Bool(false) => self.tag(tag::FALSE),
            Value::Number(number) => self.number(*number),
            Value::BigInt(number) => self.bigint(number.is_negative(), number.digits())?,
            Value::String(text) => {
                self.string(text)?;
            }
            Value::Date(time) => {
                self.tag(tag::DATE);
                self.raw_double(*time);
            }
            Value::RegExp(regexp) => self.regexp(regexp)?,
            Value::Bytes(bytes) => self.view(tag::UINT8_ARRAY, bytes)?,
            Value::TypedArray(array) => {
                if array.bytes.len() % array.kind.element_size() != 0 {
                    return Err(self.refuse("a typed array whose last element is cut short"));
                }
                self.view(array.kind.tag(), &array.bytes)?;
            }
            // The containers are not sent here.
            Value::Undefined
            | Value::Array(_)
            | Value::Object(_)
            | Value::Map(_)
            | Value::Set(_)
            | Value::Error(_) => self.tag(tag::UNDEFINED),
        }
        Ok(())
    }

    fn array(&mut self, elements: &[Value]) -> Result<(), WireError> {
        let start = self.open_array(Some(elements.len()))?;
        for element in elements {
            self.value(element)?;
        }
        self.close_array(&start, elements.len())
    }

    fn map(&mut self, entries: &[(Value, Value)]) -> Result<(), WireError> {
        self.open(tag::BEGIN_MAP)?;
        for (key, value) in entries {
            self.value(key)?;
            self.value(value)?;
        }
        // Keys and values are counted apart.
        self.close(tag::END_MAP, entries.len().saturating_mul(2))
    }

    fn set(&mut self, elements: &[Value]) -> Result<(), WireError> {
        self.open(tag::BEGIN_SET)?;
        for element in elements {
            self.value(element)?;
        }
        self.close(tag::END_SET, elements.len())
    }

    /// A number in the form that V8 gives it: whole ones of 32 bits short, but not the negative zero.
    fn number(&mut self, number: f64) {
        // Saturating, and 0 for NaN: the comparison tells.
        let short = number as i32;
        if f64::from(short).to_bits() == number.to_bits() {
            self.int32(short);
        } else {
            self.double(number);
        }
    }

    fn object(&mut self, properties: &[(String, Value)]) -> Result<(), WireError> {
        self.open(tag::BEGIN_OBJECT)?;
        let mut keys = Vec::with_capacity(properties.len());
        for (key, value) in properties {
            keys.push(self.string(key)?);
            self.value(value)?;
        }
        if self.any_twice(&mut keys) {
            return Err(self.refuse("an object with the same property twice"));
        }
        self.close(tag::END_OBJECT, properties.len())
    }

    fn regexp(&mut self, regexp: &RegExpValue) -> Result<(), WireError> {
        let Some(flags) = flag_bits(&regexp.flags) else {
            let what = format!("the regular expression flags {:?}", regexp.flags);
            return Err(WireError::unwritable(self.len(), what));
        };
        self.tag(tag::REGEXP);
        self.string(&regexp.source)?;
        self.varint(flags);
        Ok(())
    }

    /// Name, message, stack, cause: the only order that V8 15.2 reads.
    fn error(&mut self, error: &ErrorValue) -> Result<(), WireError> {
        self.open(tag::ERROR)?;
        if let Some((name, _)) = tag::ERROR_NAMES.iter().find(|known| known.1 == error.name) {
            self.tag(*name);
        }
        for (part, text) in [
            (tag::ERROR_MESSAGE, &error.message),
            (tag::ERROR_STACK, &error.stack),
        ] {
            if let Some(text) = text {
                self.tag(part);
                self.string(text)?;
            }
        }
        if let Some(cause) = &error.cause {
            self.tag(tag::ERROR_CAUSE);
            self.value(cause)?;
        }
        self.tag(tag::ERROR_END);
        self.shut();
        Ok(())
    }
}

/// The bits of `letters`. `None` for an unknown letter, one twice, or two that exclude each other.
fn flag_bits(letters: &str) -> Option<u32> {
    let mut flags = 0;
    for letter in letters.chars() {
        let (_, bit) = tag::REGEXP_FLAGS.iter().find(|flag| flag.0 == letter)?;
        if flags & bit != 0 {
            return None;
        }
        flags |= bit;
    }
    (flags & tag::EITHER_UNICODE != tag::EITHER_UNICODE).then_some(flags)
}
