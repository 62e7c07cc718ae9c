//! Values out of the bytes: the `Read…` functions of V8's `ValueDeserializer`, building a tree instead of a graph.

use std::collections::HashMap;
use std::rc::Rc;

use super::buffer::is_buffer;
use super::error::WireError;
use super::input::Input;
use super::reference::{Kind, Object};
use super::tag;
use super::value::{RegExpValue, Value};

pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) input: Input<'a>,
    pub(super) transferred: &'a dyn Fn(u32) -> Option<Vec<u8>>,
    /// Buffers that `transferred` gave, by number; `None` for one that was not kept.
    pub(super) moved: HashMap<u32, Option<Rc<Vec<u8>>>>,
    /// Where the last byte is that may be a reference's tag.
    pub(super) last_reference: Option<usize>,
    /// Every object that has begun, by number.
    pub(super) objects: Vec<Object>,
    /// The number of the next object. Behind `objects` while a reference is being read.
    pub(super) next_id: u32,
    /// Containers that are open.
    pub(super) depth: usize,
    /// References that are being read.
    pub(super) replays: usize,
    /// Bytes that references may still expand to.
    pub(super) allowance: usize,
    /// Holes that arrays had so far.
    pub(super) holes: usize,
}

/// Reads what follows a container's tag.
pub(super) type ReadContainer<'a> = fn(&mut Reader<'a>) -> Result<Value, WireError>;

/// What the next bytes are.
pub(super) enum Next<'a> {
    Value(Value),
    /// Its tag was read, at `start`.
    Container {
        read: ReadContainer<'a>,
        start: usize,
    },
    /// An object that came before, to be read again.
    Again(Object),
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], transferred: &'a dyn Fn(u32) -> Option<Vec<u8>>) -> Self {
        let mut reader = Reader {
            bytes,
            input: Input::new(bytes),
            transferred,
            moved: HashMap::new(),
            last_reference: None,
            objects: Vec::new(),
            next_id: 0,
            depth: 0,
            replays: 0,
            allowance: tag::EXPANSION_BASE,
            holes: 0,
        };
        reader.allow_expansion(bytes.len());
        reader
    }

    pub(super) fn read_message(mut self) -> Result<Value, WireError> {
        if self.input.byte()? != tag::VERSION {
            return Err(WireError::malformed(0, "no header"));
        }
        let version = self.input.varint()?;
        if !(tag::OLDEST_VERSION..=tag::NEWEST_VERSION).contains(&version) {
            let what = format!("version {version} of the format, which is not read");
            return Err(WireError::malformed(1, what));
        }
        let value = self.value()?;
        match self.input.peek() {
            None => Ok(value),
            Some(_) => self.input.malformed("bytes after the value"),
        }
    }

    /// The next value; V8's `ReadObject`.
    ///
    /// This, [`Reader::container`] and the functions that it calls are what recurses. They hold little, as each level of nesting pays for it.
    pub(super) fn value(&mut self) -> Result<Value, WireError> {
        match self.next()? {
            Next::Value(value) => Ok(value),
            Next::Container { read, start } => self.container(read, start),
            Next::Again(object) => self.again(object),
        }
    }

    /// The next value, where it does not hold others.
    pub(super) fn next(&mut self) -> Result<Next<'a>, WireError> {
        while self.input.eat(tag::VERIFY_OBJECT_COUNT) {
            self.input.varint()?;
        }
        let start = self.input.position();
        let tag = self.input.tag()?;
        if let Some(text) = self.input.text(tag)? {
            return Ok(Next::Value(Value::String(text)));
        }
        Ok(Next::Value(match tag {
            tag::UNDEFINED => Value::Undefined,
            tag::NULL => Value::Null,
            tag::TRUE => Value::Bool(true),
            tag::FALSE => Value::Bool(false),
            tag::INT32 => Value::Number(self.input.zigzag()?.into()),
            tag::UINT32 => Value::Number(self.input.varint()?.into()),
            tag::DOUBLE => Value::Number(self.input.double()?),
            tag::BIGINT => Value::BigInt(self.input.bigint()?),
            tag::OBJECT_REFERENCE => return self.reference(start),
            _ => match Self::container_of(tag) {
                Some(read) => return Ok(Next::Container { read, start }),
                None => self.object(tag, start)?,
            },
        }))
    }

    /// What JavaScript compares by identity, and so has a number, but holds no other values.
    fn object(&mut self, tag: u8, start: usize) -> Result<Value, WireError> {
        let first_id = self.next_id;
        if is_buffer(tag) {
            let id = self.begin(Object::new(Kind::Buffer, start, first_id));
            let buffer = self.buffer(tag)?;
            self.finish(id);
            let repeats = self.replays > 0;
            return self.view_or_bytes(buffer, start, first_id, repeats);
        }
        let id = self.begin(Object::new(Kind::Plain, start, first_id));
        let value = match tag {
            tag::TRUE_OBJECT => Value::Bool(true),
            tag::FALSE_OBJECT => Value::Bool(false),
            tag::NUMBER_OBJECT => Value::Number(self.input.double()?),
            tag::BIGINT_OBJECT => Value::BigInt(self.input.bigint()?),
            tag::STRING_OBJECT => Value::String(self.input.string()?),
            tag::DATE => Value::Date(self.input.double()?),
            tag::REGEXP => self.regexp()?,
            _ => return Err(refusal(tag, start)),
        };
        self.finish(id);
        Ok(value)
    }

    fn regexp(&mut self) -> Result<Value, WireError> {
        let source = self.input.string()?;
        let bits = self.input.varint()?;
        let known = tag::REGEXP_FLAGS.iter().fold(0, |all, flag| all | flag.1);
        if bits & !known != 0 || bits & tag::EITHER_UNICODE == tag::EITHER_UNICODE {
            return self.input.malformed("bad flags of a regular expression");
        }
        let set = tag::REGEXP_FLAGS.iter().filter(|flag| bits & flag.1 != 0);
        let flags = set.map(|flag| flag.0).collect();
        Ok(Value::RegExp(Box::new(RegExpValue { source, flags })))
    }
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
