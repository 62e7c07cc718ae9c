//! Strings that are messages by themselves, copied in one piece each way.

use std::mem::MaybeUninit;

use super::wire::{Units, one_byte_message, two_byte_message, units_of};

/// The string as V8 serialises it. None: it is longer than any that V8 makes.
pub(crate) fn write(scope: &v8::Isolate, text: v8::Local<v8::String>) -> Option<Vec<u8>> {
    let length = text.length();
    let flags = v8::WriteFlags::empty();
    if text.is_onebyte() {
        let fill = |units: &mut [MaybeUninit<u8>]| {
            text.write_one_byte_uninit_v2(scope, 0, units, flags);
        };
        // SAFETY: V8 writes as many units as there is room for, and the string has just as many.
        unsafe { one_byte_message(length, fill) }.ok()
    } else {
        let mut units = vec![0; length];
        text.write_v2(scope, 0, &mut units, flags);
        two_byte_message(&units).ok()
    }
}

/// The string that the message is, if it is one and nothing else.
pub(crate) fn read<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    message: &[u8],
) -> Option<v8::Local<'s, v8::String>> {
    let kind = v8::NewStringType::Normal;
    match units_of(message)? {
        Units::OneByte(units) => v8::String::new_from_one_byte(scope, units, kind),
        Units::TwoByte(units) => v8::String::new_from_two_byte(scope, units, kind),
    }
}
