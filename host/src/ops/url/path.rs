//! Path states of the basic URL parser (URL §4.4), and Windows drive letters (§4.2).

use super::escape::{PATH, push_escaped};
use super::parser::{after_path, strip_slash};
use super::record::UrlRecord;

/// Path start state, without an override.
pub(super) fn start(url: &mut UrlRecord, rest: &str) {
    match strip_slash(url, rest) {
        Some(rest) => parse(url, rest),
        None if url.is_special() => parse(url, rest),
        // A URL that is not special may have a host and an empty path.
        None => after_path(url, rest),
    }
}

/// Path state: adds segments to the path, then goes on with query and fragment.
pub(super) fn parse(url: &mut UrlRecord, rest: &str) {
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, after) = rest.split_at(end);
    segments(url, path);
    after_path(url, after);
}

/// Path start state as override: `?` and `#` are escaped, not ends.
pub(super) fn set(url: &mut UrlRecord, value: &str) {
    match strip_slash(url, value) {
        Some(rest) => segments(url, rest),
        None if url.is_special() || !value.is_empty() => segments(url, value),
        // An empty path, which only a host makes unambiguous.
        None if url.host.is_none() => url.path.push('/'),
        None => {}
    }
}

fn segments(url: &mut UrlRecord, text: &str) {
    let special = url.is_special();
    let mut rest = text;
    loop {
        let end = rest
            .find(|c| c == '/' || (special && c == '\\'))
            .unwrap_or(rest.len());
        let (segment, after) = rest.split_at(end);
        let last = after.is_empty();
        push_segment(url, segment, last);
        if last {
            return;
        }
        rest = after.get(1..).unwrap_or_default();
    }
}

fn push_segment(url: &mut UrlRecord, segment: &str, last: bool) {
    match dots(segment) {
        Some(count) => {
            if count == 2 {
                shorten(url);
            }
            // A trailing dot segment names a folder.
            if last {
                url.path.push('/');
            }
        }
        None => {
            let drive = url.scheme == "file" && url.path.is_empty() && is_drive_letter(segment);
            url.path.push('/');
            if drive {
                url.path.push_str(segment.get(..1).unwrap_or_default());
                url.path.push(':');
            } else {
                push_escaped(&mut url.path, segment, PATH);
            }
        }
    }
}

/// 1 for a single-dot URL path segment, 2 for a double-dot one.
fn dots(segment: &str) -> Option<usize> {
    let mut rest = segment;
    let mut count = 0;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').or_else(|| match rest.as_bytes() {
            [b'%', b'2', b'e' | b'E', ..] => rest.get(3..),
            _ => None,
        })?;
        count += 1;
    }
    Some(count).filter(|count| matches!(count, 1 | 2))
}

/// "Shorten a URL's path": the drive of a `file` URL stays.
pub(super) fn shorten(url: &mut UrlRecord) {
    if url.scheme == "file"
        && leading_drive(&url.path).is_some_and(|drive| drive.len() == url.path.len())
    {
        return;
    }
    if let Some(slash) = url.path.rfind('/') {
        url.path.truncate(slash);
    }
}

/// Whether the text is a Windows drive letter: `C:` or `C|`.
pub(super) fn is_drive_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// "Starts with a Windows drive letter".
pub(super) fn starts_with_drive_letter(text: &str) -> bool {
    match text.as_bytes() {
        [letter, b':' | b'|', rest @ ..] => {
            letter.is_ascii_alphabetic()
                && matches!(rest.first(), None | Some(b'/' | b'\\' | b'?' | b'#'))
        }
        _ => false,
    }
}

/// The first segment with its slash, if it is a normalised Windows drive letter (`/C:`).
pub(super) fn leading_drive(path: &str) -> Option<&str> {
    match path.as_bytes() {
        [b'/', letter, b':', rest @ ..]
            if letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'/')) =>
        {
            path.get(..3)
        }
        _ => None,
    }
}
