//! Tags, versions and limits of the format: `SerializationTag`, `ArrayBufferViewTag` and `ErrorTag` of V8's `value-serializer.cc`.

/// How deep containers may nest, in both directions.
///
/// An optimised build reads and writes a level in less than 1 KiB of stack, any other in 2 KiB. What a type's own `Serialize` and `Deserialize`
/// need comes on top.
pub const MAX_DEPTH: usize = 512;

/// What is written. Version 16 differs only in lengths beyond 32 bits, and none of those is written here.
pub(super) const WRITTEN_VERSION: u8 = 15;
/// The first version with flags after an array buffer view.
pub(super) const OLDEST_VERSION: u32 = 14;
/// The version of V8 15.2. Its lengths are 64-bit.
pub(super) const NEWEST_VERSION: u32 = 16;

/// Bytes that references may expand to, whatever the size of the message.
pub(super) const EXPANSION_BASE: usize = 4 << 20;
/// Bytes that references may expand to per byte of the message and of what was moved with it.
pub(super) const EXPANSION_FACTOR: usize = 4;
/// Holes that the sparse arrays of one message may have: their length takes five bytes, whatever it is.
pub(super) const MAX_HOLES: usize = 1 << 20;

/// Code units that a string of V8 may have.
pub(super) const MAX_STRING: usize = (1 << 29) - 24;
/// Elements that a dense array of V8 may have.
pub(super) const MAX_ELEMENTS: usize = 128 << 20;
/// 64-bit digits that a bigint of V8 may have.
pub(super) const MAX_DIGITS: usize = ((1 << 30) - 1) / 64;

pub(super) const VERSION: u8 = 0xFF;
/// Skipped before any tag.
pub(super) const PADDING: u8 = 0;
/// A varint follows that nothing needs any more, then the value.
pub(super) const VERIFY_OBJECT_COUNT: u8 = b'?';

pub(super) const THE_HOLE: u8 = b'-';
pub(super) const UNDEFINED: u8 = b'_';
pub(super) const NULL: u8 = b'0';
pub(super) const TRUE: u8 = b'T';
pub(super) const FALSE: u8 = b'F';
/// Zigzag varint.
pub(super) const INT32: u8 = b'I';
/// Varint.
pub(super) const UINT32: u8 = b'U';
/// Eight bytes in the host's order.
pub(super) const DOUBLE: u8 = b'N';
/// Varint of sign (bit 0) and byte length (the rest), then the digits, least significant first.
pub(super) const BIGINT: u8 = b'Z';
/// Byte length, then UTF-8. Read only.
pub(super) const UTF8_STRING: u8 = b'S';
/// Length, then Latin-1.
pub(super) const ONE_BYTE_STRING: u8 = b'"';
/// Byte length, then UTF-16 in the host's order.
pub(super) const TWO_BYTE_STRING: u8 = b'c';

/// Number of an object that came before.
pub(super) const OBJECT_REFERENCE: u8 = b'^';
/// Keys and values up to the end tag, then their count.
pub(super) const BEGIN_OBJECT: u8 = b'o';
pub(super) const END_OBJECT: u8 = b'{';
/// Length, keys and values up to the end tag, their count, length.
pub(super) const BEGIN_SPARSE_ARRAY: u8 = b'a';
pub(super) const END_SPARSE_ARRAY: u8 = b'@';
/// Length, elements, keys and values up to the end tag, their count, length.
pub(super) const BEGIN_DENSE_ARRAY: u8 = b'A';
pub(super) const END_DENSE_ARRAY: u8 = b'$';
/// Keys and values up to the end tag, then twice the number of entries.
pub(super) const BEGIN_MAP: u8 = b';';
pub(super) const END_MAP: u8 = b':';
pub(super) const BEGIN_SET: u8 = b'\'';
pub(super) const END_SET: u8 = b',';
pub(super) const DATE: u8 = b'D';
/// Source, then flags.
pub(super) const REGEXP: u8 = b'R';
pub(super) const TRUE_OBJECT: u8 = b'y';
pub(super) const FALSE_OBJECT: u8 = b'x';
pub(super) const NUMBER_OBJECT: u8 = b'n';
pub(super) const BIGINT_OBJECT: u8 = b'z';
pub(super) const STRING_OBJECT: u8 = b's';
/// Parts, each with a tag of its own, up to [`ERROR_END`].
pub(super) const ERROR: u8 = b'r';

/// Length, then the bytes.
pub(super) const ARRAY_BUFFER: u8 = b'B';
pub(super) const IMMUTABLE_ARRAY_BUFFER: u8 = b'C';
/// Length, greatest length, then the bytes.
pub(super) const RESIZABLE_ARRAY_BUFFER: u8 = b'~';
/// Number in the transfer list.
pub(super) const ARRAY_BUFFER_TRANSFER: u8 = b't';
/// Directly after a buffer, or a reference to one, which it takes the place of: kind, offset, length, flags.
pub(super) const ARRAY_BUFFER_VIEW: u8 = b'V';
pub(super) const UINT8_ARRAY: u8 = b'B';
pub(super) const UINT8_CLAMPED_ARRAY: u8 = b'C';
pub(super) const DATA_VIEW: u8 = b'?';

pub(super) const SHARED_ARRAY_BUFFER: u8 = b'u';
pub(super) const SHARED_OBJECT: u8 = b'p';
pub(super) const WASM_MODULE_TRANSFER: u8 = b'w';
pub(super) const WASM_MEMORY_TRANSFER: u8 = b'm';
pub(super) const HOST_OBJECT: u8 = b'\\';

pub(super) const ERROR_MESSAGE: u8 = b'm';
pub(super) const ERROR_STACK: u8 = b's';
pub(super) const ERROR_CAUSE: u8 = b'c';
pub(super) const ERROR_END: u8 = b'.';

/// The errors that keep their prototype. Every other one arrives as a plain `Error`.
pub(super) const ERROR_NAMES: [(u8, &str); 6] = [
    (b'E', "EvalError"),
    (b'R', "RangeError"),
    (b'F', "ReferenceError"),
    (b'S', "SyntaxError"),
    (b'T', "TypeError"),
    (b'U', "URIError"),
];

/// Letters of the flags of a regular expression and the bit of each, in the order of `RegExp.prototype.flags`.
pub(super) const REGEXP_FLAGS: [(char, u32); 9] = [
    ('d', 1 << 7),
    ('g', 1 << 0),
    ('i', 1 << 1),
    ('l', 1 << 6),
    ('m', 1 << 2),
    ('s', 1 << 5),
    ('u', 1 << 4),
    ('v', 1 << 8),
    ('y', 1 << 3),
];

/// The flags `u` and `v`, of which a regular expression may have one.
pub(super) const EITHER_UNICODE: u32 = 1 << 4 | 1 << 8;
