//! "Resolve a module specifier" (HTML §8.1.6.2), with Node's names for its own modules.

use ::url::Url;

/// Modules of Node's that exist here; their bare names work as well.
pub(crate) const NODE_MODULES: &[&str] = &[
    "events",
    "fs",
    "fs/promises",
    "path",
    "path/posix",
    "process",
    "timers",
    "url",
    "worker_threads",
];
/// Modules of Isolane's own.
pub(crate) const OWN_MODULES: &[&str] = &["wasm"];

/// Why a specifier names nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error(
        "'{0}' is not a URL, and a relative specifier begins with './', '../' or '/'; packages have to be bundled into the program"
    )]
    Bare(String),
    #[error("'{specifier}' cannot be resolved against {base}")]
    Base { specifier: String, base: String },
    #[error("there is no module '{0}'; there are: {list}", list = names())]
    Builtin(String),
    #[error("modules cannot be loaded from '{0}:' URLs")]
    Scheme(String),
}

fn names() -> String {
    let node = NODE_MODULES.iter().map(|name| format!("node:{name}"));
    node.chain(OWN_MODULES.iter().map(|name| format!("isolane:{name}")))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The URL that `specifier` names in a module at `base`.
pub(crate) fn resolve(specifier: &str, base: &Url) -> Result<Url, ResolveError> {
    if specifier.starts_with("./") || specifier.starts_with("../") || specifier.starts_with('/') {
        let failed = |_| ResolveError::Base {
            specifier: specifier.to_owned(),
            base: shortened(base),
        };
        return base.join(specifier).map_err(failed);
    }
    if NODE_MODULES.contains(&specifier) {
        return Url::parse(&format!("node:{specifier}"))
            .map_err(|_| ResolveError::Bare(specifier.to_owned()));
    }
    let url = Url::parse(specifier).map_err(|_| ResolveError::Bare(specifier.to_owned()))?;
    match url.scheme() {
        "file" | "data" => Ok(url),
        // The whole of it is the name: a query or fragment would make another module of it.
        "node" if is_one_of(&url, NODE_MODULES) => Ok(url),
        "isolane" if is_one_of(&url, OWN_MODULES) => Ok(url),
        "node" | "isolane" => Err(ResolveError::Builtin(specifier.to_owned())),
        scheme => Err(ResolveError::Scheme(scheme.to_owned())),
    }
}

fn is_one_of(url: &Url, names: &[&str]) -> bool {
    let name = url.as_str().split_once(':').map_or("", |(_, name)| name);
    names.contains(&name)
}

/// A URL as errors show it: `data:` URLs can be long.
pub(crate) fn shortened(url: &Url) -> String {
    const SHOWN: usize = 60;
    let text = url.as_str();
    if url.scheme() != "data" || text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(SHOWN).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_resolve_as_the_standard_and_node_have_them() {
        let base = Url::parse("file:///a/b/c.mjs").unwrap();
        let resolved = |specifier| resolve(specifier, &base).map(String::from);
        assert_eq!(resolved("./d.mjs"), Ok("file:///a/b/d.mjs".to_owned()));
        assert_eq!(
            resolved("../d.mjs?x#y"),
            Ok("file:///a/d.mjs?x#y".to_owned())
        );
        assert_eq!(resolved("/d.mjs"), Ok("file:///d.mjs".to_owned()));
        assert_eq!(resolved("node:path"), Ok("node:path".to_owned()));
        assert_eq!(
            resolved("worker_threads"),
            Ok("node:worker_threads".to_owned())
        );
        assert!(matches!(resolved("lodash"), Err(ResolveError::Bare(_))));
        assert!(matches!(
            resolved("node:nothing"),
            Err(ResolveError::Builtin(_))
        ));
        assert!(matches!(
            resolved("https://example.org/x.mjs"),
            Err(ResolveError::Scheme(_))
        ));
        let data = Url::parse("data:text/javascript,1").unwrap();
        assert!(matches!(
            resolve("./d.mjs", &data),
            Err(ResolveError::Base { .. })
        ));
    }
}
