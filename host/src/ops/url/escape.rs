//! Percent-encode sets (URL §1.3). Code points above U+007E are in every one of them.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

pub(super) const C0_CONTROL: &AsciiSet = CONTROLS;
pub(super) const FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
pub(super) const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');
pub(super) const SPECIAL_QUERY: &AsciiSet = &QUERY.add(b'\'');
pub(super) const PATH: &AsciiSet = &QUERY.add(b'?').add(b'^').add(b'`').add(b'{').add(b'}');
pub(super) const USERINFO: &AsciiSet = &PATH
    .add(b'/')
    .add(b':')
    .add(b';')
    .add(b'=')
    .add(b'@')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'|');

/// "UTF-8 percent-encode" onto the end of `output`.
pub(super) fn push_escaped(output: &mut String, text: &str, set: &'static AsciiSet) {
    output.extend(utf8_percent_encode(text, set));
}
