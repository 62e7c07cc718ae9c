//! The basic URL parser (URL §4.4).
//!
//! The standard's states are the functions here, named alike; its pointer is `rest`, what is left of the input. A run with a "state override"
//! is a `set_…` function. `None` is the standard's failure.
//!
//! Hosts are left to the `url` crate (domain to ASCII, IPv4, IPv6). Its parser is not used: it drops hosts and empty segments of `file` URLs,
//! and lets a path that begins with `//` become a host.

use std::borrow::Cow;

use super::escape::{C0_CONTROL, FRAGMENT, QUERY, SPECIAL_QUERY, USERINFO, push_escaped};
use super::path;
use super::record::UrlRecord;

/// The default port of a scheme (§4.2).
pub(super) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "ftp" => Some(21),
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        _ => None,
    }
}

/// Whether the scheme is special (§4.2).
pub(super) fn is_special(scheme: &str) -> bool {
    scheme == "file" || default_port(scheme).is_some()
}

/// Parses a whole URL.
pub(super) fn parse(input: &str, base: Option<&UrlRecord>) -> Option<UrlRecord> {
    let input = without_tabs_and_newlines(input.trim_matches(|c| c <= ' '));
    let mut url = UrlRecord::default();
    match split_scheme(&input) {
        Some((scheme, rest)) => {
            url.scheme = scheme;
            after_scheme(&mut url, rest, base)?;
        }
        None => no_scheme(&mut url, &input, base?)?,
    }
    Some(url)
}

/// §4.4, step 3: these are ignored wherever they are.
fn without_tabs_and_newlines(input: &str) -> Cow<'_, str> {
    let ignored = ['\t', '\n', '\r'];
    if input.contains(ignored) {
        Cow::Owned(input.replace(ignored, ""))
    } else {
        Cow::Borrowed(input)
    }
}

/// Scheme start and scheme state: the scheme in lower case, and what is after its colon.
fn split_scheme(input: &str) -> Option<(String, &str)> {
    let (scheme, rest) = input.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    valid.then(|| (scheme.to_ascii_lowercase(), rest))
}

fn after_scheme(url: &mut UrlRecord, rest: &str, base: Option<&UrlRecord>) -> Option<()> {
    let same_base = base.filter(|base| base.scheme == url.scheme);
    if url.scheme == "file" {
        file(url, rest, same_base)
    } else if url.is_special() {
        match same_base {
            // Special relative or authority state.
            Some(base) if !rest.starts_with("//") => relative(url, rest, base),
            _ => authority(url, without_slashes(rest)),
        }
    } else if let Some(rest) = rest.strip_prefix("//") {
        authority(url, rest)
    } else if rest.starts_with('/') {
        // Path or authority state.
        path::parse(url, rest.get(1..).unwrap_or_default());
        Some(())
    } else {
        opaque_path(url, rest);
        Some(())
    }
}

/// Special authority slashes and special authority ignore slashes state.
fn without_slashes(rest: &str) -> &str {
    rest.trim_start_matches(['/', '\\'])
}

fn no_scheme(url: &mut UrlRecord, rest: &str, base: &UrlRecord) -> Option<()> {
    if base.opaque {
        let rest = rest.strip_prefix('#')?;
        url.clone_from(base);
        fragment(url, rest);
        return Some(());
    }
    url.scheme.clone_from(&base.scheme);
    if base.scheme == "file" {
        file(url, rest, Some(base))
    } else {
        relative(url, rest, base)
    }
}

/// Relative and relative slash state.
fn relative(url: &mut UrlRecord, rest: &str, base: &UrlRecord) -> Option<()> {
    let after_slash = strip_slash(url, rest);
    if let Some(after_slash) = after_slash {
        if url.is_special() && after_slash.starts_with(['/', '\\']) {
            return authority(url, without_slashes(after_slash));
        }
        if let Some(rest) = after_slash.strip_prefix('/') {
            return authority(url, rest);
        }
    }
    url.username.clone_from(&base.username);
    url.password.clone_from(&base.password);
    url.host.clone_from(&base.host);
    url.port = base.port;
    if let Some(after_slash) = after_slash {
        path::parse(url, after_slash);
        return Some(());
    }
    url.path.clone_from(&base.path);
    url.query.clone_from(&base.query);
    if let Some(rest) = rest.strip_prefix('?') {
        query(url, rest);
    } else if let Some(rest) = rest.strip_prefix('#') {
        fragment(url, rest);
    } else if !rest.is_empty() {
        url.query = None;
        path::shorten(url);
        path::parse(url, rest);
    }
    Some(())
}

/// The rest after a slash, for a special URL also after a backslash.
pub(super) fn strip_slash<'a>(url: &UrlRecord, rest: &'a str) -> Option<&'a str> {
    rest.strip_prefix('/').or_else(|| {
        if url.is_special() {
            rest.strip_prefix('\\')
        } else {
            None
        }
    })
}

/// Splits before the first character that ends an authority.
fn split_authority<'a>(url: &UrlRecord, rest: &'a str) -> (&'a str, &'a str) {
    let special = url.is_special();
    let end = rest
        .find(|c| matches!(c, '/' | '?' | '#') || (special && c == '\\'))
        .unwrap_or(rest.len());
    rest.split_at(end)
}

/// Authority, host and port state.
fn authority(url: &mut UrlRecord, rest: &str) -> Option<()> {
    let (authority, rest) = split_authority(url, rest);
    let mut host_and_port = authority;
    if let Some((credentials, after)) = authority.rsplit_once('@') {
        let (username, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        push_escaped(&mut url.username, username, USERINFO);
        push_escaped(&mut url.password, password, USERINFO);
        if after.is_empty() {
            return None;
        }
        host_and_port = after;
    }
    let (host, port) = split_port(host_and_port);
    if host.is_empty() && (port.is_some() || url.is_special()) {
        return None;
    }
    url.host = Some(parse_host(url, host)?);
    if let Some(port) = port.filter(|port| !port.is_empty()) {
        url.assign_port(parse_port(port)?);
    }
    path::start(url, rest);
    Some(())
}

/// Splits at the first colon outside of brackets.
fn split_port(text: &str) -> (&str, Option<&str>) {
    let mut inside_brackets = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => inside_brackets = true,
            b']' => inside_brackets = false,
            b':' if !inside_brackets => {
                return (text.get(..index).unwrap_or_default(), text.get(index + 1..));
            }
            _ => {}
        }
    }
    (text, None)
}

/// The host parser (§3.5) and serialiser.
fn parse_host(url: &UrlRecord, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let host = if url.is_special() {
        ::url::Host::parse(text)
    } else {
        ::url::Host::parse_opaque(text)
    };
    host.ok().map(|host| host.to_string())
}

/// All digits and within range, or `None`.
fn parse_port(text: &str) -> Option<u16> {
    // `u16::from_str` takes a plus sign.
    if text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// File and file slash state. `base` is one with scheme "file".
fn file(url: &mut UrlRecord, rest: &str, base: Option<&UrlRecord>) -> Option<()> {
    url.host = Some(String::new());
    if let Some(after_slash) = strip_slash(url, rest) {
        if let Some(rest) = strip_slash(url, after_slash) {
            return file_host(url, rest);
        }
        if let Some(base) = base {
            url.host.clone_from(&base.host);
            if !path::starts_with_drive_letter(after_slash)
                && let Some(drive) = path::leading_drive(&base.path)
            {
                url.path.push_str(drive);
            }
        }
        path::parse(url, after_slash);
        return Some(());
    }
    let Some(base) = base else {
        path::parse(url, rest);
        return Some(());
    };
    url.host.clone_from(&base.host);
    url.path.clone_from(&base.path);
    url.query.clone_from(&base.query);
    if let Some(rest) = rest.strip_prefix('?') {
        query(url, rest);
    } else if let Some(rest) = rest.strip_prefix('#') {
        fragment(url, rest);
    } else if !rest.is_empty() {
        url.query = None;
        if path::starts_with_drive_letter(rest) {
            url.path.clear();
        } else {
            path::shorten(url);
        }
        path::parse(url, rest);
    }
    Some(())
}

fn file_host(url: &mut UrlRecord, rest: &str) -> Option<()> {
    let (host, after) = split_authority(url, rest);
    if path::is_drive_letter(host) {
        // Not a host but the first segment.
        path::parse(url, rest);
        return Some(());
    }
    url.host = Some(parse_file_host(url, host)?);
    path::start(url, after);
    Some(())
}

fn parse_file_host(url: &UrlRecord, text: &str) -> Option<String> {
    parse_host(url, text).map(|host| {
        if host == "localhost" {
            String::new()
        } else {
            host
        }
    })
}

fn opaque_path(url: &mut UrlRecord, rest: &str) {
    url.opaque = true;
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, after) = rest.split_at(end);
    // A space in front of a query or fragment would be lost when they are removed and the URL is parsed again.
    match path.strip_suffix(' ').filter(|_| !after.is_empty()) {
        Some(path) => {
            push_escaped(&mut url.path, path, C0_CONTROL);
            url.path.push_str("%20");
        }
        None => push_escaped(&mut url.path, path, C0_CONTROL),
    }
    after_path(url, after);
}

/// What follows a path: nothing, a query or a fragment.
pub(super) fn after_path(url: &mut UrlRecord, rest: &str) {
    if let Some(rest) = rest.strip_prefix('?') {
        query(url, rest);
    } else if let Some(rest) = rest.strip_prefix('#') {
        fragment(url, rest);
    }
}

fn query(url: &mut UrlRecord, rest: &str) {
    let (text, after) = match rest.split_once('#') {
        Some((text, after)) => (text, Some(after)),
        None => (rest, None),
    };
    escape_query(url, text);
    if let Some(after) = after {
        fragment(url, after);
    }
}

fn escape_query(url: &mut UrlRecord, text: &str) {
    let mut query = String::new();
    push_escaped(
        &mut query,
        text,
        if url.is_special() {
            SPECIAL_QUERY
        } else {
            QUERY
        },
    );
    url.query = Some(query);
}

fn fragment(url: &mut UrlRecord, text: &str) {
    let mut fragment = String::new();
    push_escaped(&mut fragment, text, FRAGMENT);
    url.fragment = Some(fragment);
}

/// Scheme start state as override; the value needs no colon, and what follows one is ignored.
pub(super) fn set_scheme(url: &mut UrlRecord, value: &str) {
    let input = format!("{}:", without_tabs_and_newlines(value));
    let Some((scheme, _)) = split_scheme(&input) else {
        return;
    };
    if url.is_special() != is_special(&scheme)
        || (scheme == "file" && (url.includes_credentials() || url.port.is_some()))
        || (url.scheme == "file" && url.host.as_ref().is_some_and(String::is_empty))
    {
        return;
    }
    url.scheme = scheme;
    if let Some(port) = url.port {
        url.assign_port(port);
    }
}

/// Host state as override, or with `with_port` false hostname state.
pub(super) fn set_host(url: &mut UrlRecord, value: &str, with_port: bool) {
    let input = without_tabs_and_newlines(value);
    let (authority, _) = split_authority(url, &input);
    if url.scheme == "file" {
        if let Some(host) = parse_file_host(url, authority) {
            url.host = Some(host);
        }
        return;
    }
    let (host, port) = split_port(authority);
    let refused = if port.is_some() {
        host.is_empty() || !with_port
    } else {
        host.is_empty() && (url.is_special() || url.includes_credentials() || url.port.is_some())
    };
    if refused {
        return;
    }
    let Some(host) = parse_host(url, host) else {
        return;
    };
    url.host = Some(host);
    if let Some(port) = port {
        leading_port(url, port);
    }
}

/// Port state as override.
pub(super) fn set_port(url: &mut UrlRecord, value: &str) {
    leading_port(url, &without_tabs_and_newlines(value));
}

/// With an override the digits at the front count, and the rest is ignored.
fn leading_port(url: &mut UrlRecord, text: &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    if let Ok(port) = text.get(..end).unwrap_or_default().parse() {
        url.assign_port(port);
    }
}

/// Path start state as override.
pub(super) fn set_path(url: &mut UrlRecord, value: &str) {
    path::set(url, &without_tabs_and_newlines(value));
}

/// Query state as override: `#` is no end.
pub(super) fn set_query(url: &mut UrlRecord, value: &str) {
    escape_query(url, &without_tabs_and_newlines(value));
}

/// Fragment state as override.
pub(super) fn set_fragment(url: &mut UrlRecord, value: &str) {
    fragment(url, &without_tabs_and_newlines(value));
}
