//! A message that is one string: the most common of the large ones, and the one for which V8's serialiser costs many times what the copy does.

use std::mem::MaybeUninit;

use super::error::WireError;
use super::input::Input;
use super::tag;
use super::writer::Writer;

/// The units of a string, one byte (Latin-1) or two bytes each.
pub(crate) enum Units<'a> {
    OneByte(&'a [u8]),
    TwoByte(&'a [u16]),
}

/// What stands before the units at most: padding, a tag and a length.
const HEAD: usize = 7;

/// The message of a string of so many Latin-1 units, which `fill` writes, all of them.
///
/// # Safety
/// `fill` must have initialised the whole slice when it returns.
pub(crate) unsafe fn one_byte(
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]),
) -> Result<Vec<u8>, WireError> {
    let mut writer = Writer::with_room(length.saturating_add(HEAD));
    writer.one_byte_head(length)?;
    let mut message = writer.into_bytes();
    message.reserve(length);
    let start = message.len();
    fill(&mut message.spare_capacity_mut()[..length]);
    // SAFETY: as many were reserved, and `fill` has initialised them, by this function's contract.
    unsafe { message.set_len(start + length) };
    Ok(message)
}

/// The message of a string of two-byte units.
pub(crate) fn two_byte(units: &[u16]) -> Result<Vec<u8>, WireError> {
    let mut writer = Writer::with_room((units.len() * 2).saturating_add(HEAD));
    writer.two_byte_units(units)?;
    Ok(writer.into_bytes())
}

/// The units, if the message is one string and nothing else, laid out as a sender here writes it.
pub(crate) fn units(message: &[u8]) -> Option<Units<'_>> {
    let mut input = match message {
        [tag::VERSION, version, ..]
            if (tag::OLDEST_VERSION..=tag::NEWEST_VERSION).contains(&u32::from(*version)) =>
        {
            let mut input = Input::new(message);
            input.seek(2);
            input
        }
        _ => return None,
    };
    let kind = input.tag().ok()?;
    if kind != tag::ONE_BYTE_STRING && kind != tag::TWO_BYTE_STRING {
        return None;
    }
    let length = input.length().ok()?;
    let bytes = input.take(length).ok()?;
    if input.left() > 0 {
        return None;
    }
    if kind == tag::ONE_BYTE_STRING {
        return Some(Units::OneByte(bytes));
    }
    bytemuck::try_cast_slice(bytes).ok().map(Units::TwoByte)
}
