//! A URL record, its serialisation and the setters of the API (URL §4.1, §4.5, §6.1), free of V8.

use super::escape::{USERINFO, push_escaped};
use super::parser::{self, default_port, is_special};

/// The components that the API can set, as `url.js` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    Protocol,
    Username,
    Password,
    Host,
    Hostname,
    Port,
    Pathname,
    Search,
    Hash,
}

impl Component {
    const ALL: [Self; 9] = [
        Self::Protocol,
        Self::Username,
        Self::Password,
        Self::Host,
        Self::Hostname,
        Self::Port,
        Self::Pathname,
        Self::Search,
        Self::Hash,
    ];

    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// A URL record (§4.1). Components are kept as they are serialised, so all of it is ASCII.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UrlRecord {
    pub(super) scheme: String,
    pub(super) username: String,
    pub(super) password: String,
    /// `None` is the standard's null, `""` its empty host.
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    /// An opaque path; or the segments of a list, each with a slash before it (no segment holds one).
    pub(super) path: String,
    pub(super) opaque: bool,
    pub(super) query: Option<String>,
    pub(super) fragment: Option<String>,
}

/// A serialised URL and where its components are, in the order that `url.js` has: the ends of scheme and colon, the start and end of the user
/// name, the start and end of the host, the ends of the port, the starts of path, query and fragment (their `?` and `#` included).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Serialized {
    pub(crate) href: String,
    pub(crate) offsets: [u32; 9],
}

/// Parses `input` against `base`; `None` if either is not valid.
pub(crate) fn parse(input: &str, base: Option<&str>) -> Option<UrlRecord> {
    let base = match base {
        Some(base) => Some(parser::parse(base, None)?),
        None => None,
    };
    parser::parse(input, base.as_ref())
}

impl UrlRecord {
    /// The URL serialiser (§4.5).
    pub(crate) fn serialize(&self) -> Serialized {
        let mut href = String::with_capacity(
            self.scheme.len() + self.path.len() + self.host.as_ref().map_or(0, String::len) + 16,
        );
        // A serialisation of 4 GiB or more does not fit a script's string: no offset saturates.
        let at = |href: &String| u32::try_from(href.len()).unwrap_or(u32::MAX);
        href.push_str(&self.scheme);
        href.push(':');
        let protocol_end = at(&href);
        if self.host.is_some() {
            href.push_str("//");
        }
        let username_start = at(&href);
        href.push_str(&self.username);
        let username_end = at(&href);
        if !self.password.is_empty() {
            href.push(':');
            href.push_str(&self.password);
        }
        if self.includes_credentials() {
            href.push('@');
        }
        let host_start = at(&href);
        href.push_str(self.host.as_deref().unwrap_or_default());
        let host_end = at(&href);
        if let Some(port) = self.port {
            href.push(':');
            href.push_str(&port.to_string());
        }
        let port_end = at(&href);
        if self.host.is_none() && !self.opaque && self.path.starts_with("//") {
            // Keeps the path from being read as a host.
            href.push_str("/.");
        }
        let path_start = at(&href);
        href.push_str(&self.path);
        let query_start = at(&href);
        if let Some(query) = &self.query {
            href.push('?');
            href.push_str(query);
        }
        let fragment_start = at(&href);
        if let Some(fragment) = &self.fragment {
            href.push('#');
            href.push_str(fragment);
        }
        let offsets = [
            protocol_end,
            username_start,
            username_end,
            host_start,
            host_end,
            port_end,
            path_start,
            query_start,
            fragment_start,
        ];
        Serialized { href, offsets }
    }

    /// A setter of the API (§6.1). Invalid values leave the URL as it is.
    pub(crate) fn set(&mut self, component: Component, value: &str) {
        match component {
            Component::Protocol => parser::set_scheme(self, value),
            Component::Username if self.takes_credentials() => {
                self.username.clear();
                push_escaped(&mut self.username, value, USERINFO);
            }
            Component::Password if self.takes_credentials() => {
                self.password.clear();
                push_escaped(&mut self.password, value, USERINFO);
            }
            Component::Host if !self.opaque => parser::set_host(self, value, true),
            Component::Hostname if !self.opaque => parser::set_host(self, value, false),
            Component::Port if self.takes_credentials() => {
                if value.is_empty() {
                    self.port = None;
                } else {
                    parser::set_port(self, value);
                }
            }
            Component::Pathname if !self.opaque => {
                self.path.clear();
                parser::set_path(self, value);
            }
            Component::Search if value.is_empty() => self.query = None,
            Component::Search => parser::set_query(self, value.strip_prefix('?').unwrap_or(value)),
            Component::Hash if value.is_empty() => self.fragment = None,
            Component::Hash => parser::set_fragment(self, value.strip_prefix('#').unwrap_or(value)),
            Component::Username
            | Component::Password
            | Component::Host
            | Component::Hostname
            | Component::Port
            | Component::Pathname => {}
        }
    }

    pub(super) fn is_special(&self) -> bool {
        is_special(&self.scheme)
    }

    pub(super) fn includes_credentials(&self) -> bool {
        !self.username.is_empty() || !self.password.is_empty()
    }

    /// The negation of §4.2's "cannot have a username/password/port".
    fn takes_credentials(&self) -> bool {
        self.host.as_ref().is_some_and(|host| !host.is_empty()) && self.scheme != "file"
    }

    /// Sets the port, a default one to null.
    pub(super) fn assign_port(&mut self, port: u16) {
        self.port = Some(port).filter(|_| default_port(&self.scheme) != Some(port));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn href(input: &str, base: Option<&str>) -> Option<String> {
        parse(input, base).map(|url| url.serialize().href)
    }

    fn set(input: &str, component: Component, value: &str) -> String {
        let mut url = parse(input, None).unwrap();
        url.set(component, value);
        url.serialize().href
    }

    #[test]
    fn offsets_cut_out_the_components() {
        let Serialized { href, offsets } = parse("HTTPS://me:pw@Example.com:8080/a/../b?q#f", None)
            .unwrap()
            .serialize();
        assert_eq!(href, "https://me:pw@example.com:8080/b?q#f");
        let cut = |from: usize, to: usize| &href[offsets[from] as usize..offsets[to] as usize];
        assert_eq!(&href[..offsets[0] as usize], "https:");
        assert_eq!(
            (cut(1, 2), cut(3, 4), cut(3, 5), cut(6, 7), cut(7, 8)),
            ("me", "example.com", "example.com:8080", "/b", "?q")
        );
        assert_eq!(
            &href[offsets[2] as usize + 1..offsets[3] as usize - 1],
            "pw"
        );
        assert_eq!(&href[offsets[8] as usize..], "#f");
    }

    #[test]
    fn relative_references() {
        let base = Some("http://a/b/c/d;p?q");
        for (reference, expected) in [
            ("g", "http://a/b/c/g"),
            ("./g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("", "http://a/b/c/d;p?q"),
            ("../../../g", "http://a/g"),
            ("%2e%2E/g", "http://a/b/g"),
            ("\\g", "http://a/g"),
            ("http:g", "http://a/b/c/g"),
        ] {
            assert_eq!(
                href(reference, base).as_deref(),
                Some(expected),
                "{reference}"
            );
        }
        assert_eq!(href("g", Some("mailto:x")), None);
        assert_eq!(href("#g", Some("mailto:x")).as_deref(), Some("mailto:x#g"));
        assert_eq!(href("g", None), None);
    }

    #[test]
    fn file_urls_keep_hosts_and_empty_segments() {
        assert_eq!(
            href("file://example.net/C:/", None).as_deref(),
            Some("file://example.net/C:/")
        );
        assert_eq!(href("file:////foo", None).as_deref(), Some("file:////foo"));
        assert_eq!(
            href("C|/x", Some("file:///D:/y")).as_deref(),
            Some("file:///C:/x")
        );
        assert_eq!(
            href("/x", Some("file:///D:/y/z")).as_deref(),
            Some("file:///D:/x")
        );
        assert_eq!(
            href("..", Some("file:///D:/")).as_deref(),
            Some("file:///D:/")
        );
        assert_eq!(
            href("file://localhost/a", None).as_deref(),
            Some("file:///a")
        );
    }

    #[test]
    fn a_path_never_turns_into_a_host() {
        assert_eq!(
            set("non-spec:/", Component::Pathname, "//p"),
            "non-spec:/.//p"
        );
        assert_eq!(
            set("non-spec:/.//p", Component::Hostname, "h"),
            "non-spec://h//p"
        );
        assert_eq!(
            href("non-spec:/.//p", None).as_deref(),
            Some("non-spec:/.//p")
        );
    }

    #[test]
    fn opaque_paths_round_trip() {
        assert_eq!(href("data:a  ?q", None).as_deref(), Some("data:a %20?q"));
        assert_eq!(set("data:a  ?q", Component::Search, ""), "data:a %20");
    }

    #[test]
    fn setters_refuse_what_does_not_fit() {
        assert_eq!(set("http://a/", Component::Protocol, "foo"), "http://a/");
        assert_eq!(
            set("http://a:443/", Component::Protocol, "https:x"),
            "https://a/"
        );
        assert_eq!(set("http://a/", Component::Host, "b:90x"), "http://b:90/");
        assert_eq!(set("http://a/", Component::Hostname, "b:90"), "http://a/");
        assert_eq!(set("http://a/", Component::Host, ""), "http://a/");
        assert_eq!(set("http://a:1/", Component::Port, "65536"), "http://a:1/");
        assert_eq!(set("http://a:1/", Component::Port, "80"), "http://a/");
        assert_eq!(set("file:///x", Component::Username, "me"), "file:///x");
        assert_eq!(set("mailto:x", Component::Pathname, "y"), "mailto:x");
        assert_eq!(
            set("http://a/", Component::Pathname, "x?y#z"),
            "http://a/x%3Fy%23z"
        );
    }
}
