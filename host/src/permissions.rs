//! What a worker may reach outside itself. Nothing is granted by default.

use std::path::{Path, PathBuf};

use crate::file::resolve::{Follow, resolve};

/// Which things of one kind a worker may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Grant<T> {
    /// None.
    #[default]
    Nothing,
    /// These, and for paths what lies below them.
    Only(Vec<T>),
    /// All.
    Everything,
}

/// What a worker may reach outside itself: files, and variables of the environment.
///
/// ```
/// use isolane::Permissions;
/// let permissions = Permissions::none().allow_read("/srv/data").allow_env("LANG");
/// # let _ = permissions;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    read: Grant<PathBuf>,
    write: Grant<PathBuf>,
    env: Grant<String>,
    import: Grant<PathBuf>,
    code_from_everywhere: bool,
    /// Set by [`Permissions::all`] alone.
    unlimited: bool,
}

/// A script asked for something that it was not granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{api}: requires {access} access to \"{target}\"; run again with {flag}={target}")]
pub(crate) struct Denied {
    /// The function that was called.
    pub(crate) api: String,
    /// `read`, `write` or `env`.
    pub(crate) access: &'static str,
    /// The path or variable.
    pub(crate) target: String,
    /// The command-line option that grants it.
    pub(crate) flag: &'static str,
}

impl Denied {
    pub(crate) fn path(access: Access, path: &Path, api: &str) -> Self {
        let (access, flag) = match access {
            Access::Read => ("read", "--allow-read"),
            Access::Write => ("write", "--allow-write"),
        };
        Self {
            api: api.to_owned(),
            access,
            target: path.display().to_string(),
            flag,
        }
    }
}

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Permissions {
    /// Nothing is allowed.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Everything is allowed.
    #[must_use]
    pub fn all() -> Self {
        Self {
            read: Grant::Everything,
            write: Grant::Everything,
            env: Grant::Everything,
            import: Grant::Everything,
            code_from_everywhere: true,
            unlimited: true,
        }
    }

    /// Allows reading `path` and what lies below it. Symbolic links are resolved here and at each use.
    #[must_use]
    pub fn allow_read(mut self, path: impl AsRef<Path>) -> Self {
        add(&mut self.read, granted(path.as_ref()));
        self
    }

    /// Allows writing `path` and what lies below it.
    #[must_use]
    pub fn allow_write(mut self, path: impl AsRef<Path>) -> Self {
        add(&mut self.write, granted(path.as_ref()));
        self
    }

    /// Allows reading the environment variable `name`.
    #[must_use]
    pub fn allow_env(mut self, name: impl Into<String>) -> Self {
        add(&mut self.env, name.into());
        self
    }

    /// Allows reading every file, but for those of `/proc` that show processes (their environment, their memory, what they have open).
    #[must_use]
    pub fn allow_read_all(mut self) -> Self {
        self.read = Grant::Everything;
        self
    }

    /// Allows writing every file, but for those of `/proc` that change processes.
    #[must_use]
    pub fn allow_write_all(mut self) -> Self {
        self.write = Grant::Everything;
        self
    }

    /// Allows reading every environment variable.
    #[must_use]
    pub fn allow_env_all(mut self) -> Self {
        self.env = Grant::Everything;
        self
    }

    /// Allows loading modules from `path` and what lies below it. The folder of a worker's first module is always allowed.
    #[must_use]
    pub fn allow_import(mut self, path: impl AsRef<Path>) -> Self {
        add(&mut self.import, granted(path.as_ref()));
        self
    }

    /// Allows loading JavaScript modules (`.js`, `.mjs` and `.cjs`) from everywhere. Other files show a script what is in them, as JSON, as a guest, or in the
    /// error that comes of running them, and are still only those that [`Permissions::allow_import`] or [`Permissions::allow_read`] grant.
    #[must_use]
    pub fn allow_code_import_all(mut self) -> Self {
        self.code_from_everywhere = true;
        self
    }

    /// Whether a module of JavaScript may be loaded.
    ///
    /// A file that is no JavaScript shows a script parts of it all the same, in the error that comes of running it. So what may be loaded from everywhere
    /// has to be called JavaScript.
    pub(crate) fn check_import_code(&self, path: &Path, api: &str) -> Result<PathBuf, Denied> {
        if self.code_from_everywhere
            && let Some(resolved) = resolve(path)
            && is_code(&resolved)
        {
            return Ok(resolved);
        }
        self.check_import(path, api)
    }

    /// Whether a file may be loaded as a module of any kind: what may be read may be imported as well.
    pub(crate) fn check_import(&self, path: &Path, api: &str) -> Result<PathBuf, Denied> {
        let resolved = resolve(path);
        let granted =
            |resolved: &PathBuf| self.may(Access::Read, resolved) || self.import.covers(resolved);
        resolved
            .filter(granted)
            .ok_or_else(|| Denied::path(Access::Read, path, api))
    }

    /// The path that a call will act on, if it may.
    pub(crate) fn check_path(
        &self,
        access: Access,
        path: &Path,
        follow: Follow,
        api: &str,
    ) -> Result<PathBuf, Denied> {
        let resolved = follow.resolve(path);
        let allowed = resolved.filter(|resolved| self.may(access, resolved));
        // Of a path with too many links the system tells, if nothing else is against it.
        let given = || self.unlimited.then(|| path.to_owned());
        allowed
            .or_else(given)
            .ok_or_else(|| Denied::path(access, path, api))
    }

    /// Whether a path that was resolved before may be used so. It is not resolved again: what it leads to may have changed.
    pub(crate) fn may(&self, access: Access, resolved: &Path) -> bool {
        let grant = match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        };
        self.unlimited || grant.covers(resolved)
    }

    /// Whether what comes to be at the resolved path `to`, or below it, is shown to the worker by the name that it has there.
    pub(crate) fn reveals(&self, to: &Path) -> bool {
        self.read.touches(to)
            || self.import.touches(to)
            || (self.code_from_everywhere && is_code(to))
    }

    pub(crate) fn check_env(&self, name: &str, api: &str) -> Result<(), Denied> {
        let allowed = match &self.env {
            Grant::Everything => true,
            Grant::Nothing => false,
            Grant::Only(names) => names.iter().any(|allowed| allowed == name),
        };
        let denied = || Denied {
            api: api.to_owned(),
            access: "env",
            target: name.to_owned(),
            flag: "--allow-env",
        };
        allowed.then_some(()).ok_or_else(denied)
    }
}

/// A path that is granted. One that cannot be resolved covers itself, which no resolved path is.
fn granted(path: &Path) -> PathBuf {
    resolve(path).unwrap_or_else(|| path.to_owned())
}

fn add<T>(grant: &mut Grant<T>, item: T) {
    match grant {
        Grant::Everything => {}
        Grant::Only(items) => items.push(item),
        Grant::Nothing => *grant = Grant::Only(vec![item]),
    }
}

impl Grant<PathBuf> {
    /// Of a process itself, only what was granted by its own path is covered: else all files would be all variables of the environment as well, and all
    /// memory.
    fn covers(&self, path: &Path) -> bool {
        let guarded = is_of_process(path);
        match self {
            Self::Everything => !guarded,
            Self::Nothing => false,
            Self::Only(roots) => roots
                .iter()
                .any(|root| path.starts_with(root) && (!guarded || root.starts_with("/proc"))),
        }
    }

    /// Whether the path or anything that may lie below it is covered.
    fn touches(&self, path: &Path) -> bool {
        let within = |roots: &[PathBuf]| roots.iter().any(|root| root.starts_with(path));
        self.covers(path) || matches!(self, Self::Only(roots) if within(roots))
    }
}

/// Whether a file's name says that it is JavaScript.
fn is_code(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("js" | "mjs" | "cjs"))
}

/// Whether a file shows or changes a process itself: its environment, its memory, what it has open. The streams that every process has are no secret.
fn is_of_process(path: &Path) -> bool {
    let Ok(rest) = path.strip_prefix("/proc") else {
        return false;
    };
    let mut parts = rest
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let of_process = parts.next().is_some_and(|first| {
        first == "self" || first == "thread-self" || first.bytes().all(|byte| byte.is_ascii_digit())
    });
    let (second, third) = (parts.next(), parts.next());
    let is_stream =
        second.as_deref() == Some("fd") && matches!(third.as_deref(), Some("0" | "1" | "2"));
    of_process && !is_stream
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_covers_what_lies_below_it_and_nothing_beside() {
        let folder = std::env::temp_dir();
        let permissions = Permissions::none().allow_read(folder.join("a"));
        // Only what exists has something above it.
        let all = Permissions::none().allow_read(&folder);
        let above = folder.join("../b");
        assert!(
            all.check_path(Access::Read, &above, Follow::Target, "fs.readFile()")
                .is_err()
        );
        assert!(
            permissions
                .check_path(
                    Access::Read,
                    &folder.join("a/b"),
                    Follow::Target,
                    "fs.readFile()"
                )
                .is_ok()
        );
        assert!(
            permissions
                .check_path(
                    Access::Read,
                    &folder.join("../b"),
                    Follow::Target,
                    "fs.readFile()"
                )
                .is_err()
        );
        assert!(
            permissions
                .check_path(
                    Access::Read,
                    &folder.join("ab"),
                    Follow::Target,
                    "fs.readFile()"
                )
                .is_err()
        );
        assert!(
            permissions
                .check_path(
                    Access::Write,
                    &folder.join("a"),
                    Follow::Target,
                    "fs.writeFile()"
                )
                .is_err()
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_granted_folder_is_refused() -> std::io::Result<()> {
        let folder =
            std::env::temp_dir().join(format!("isolane-permissions-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::os::unix::fs::symlink("/etc", folder.join("out"))?;
        let permissions = Permissions::none().allow_read(&folder);
        let denied = permissions.check_path(
            Access::Read,
            &folder.join("out/passwd"),
            Follow::Target,
            "fs.readFile()",
        );
        assert!(denied.is_err());
        std::fs::remove_dir_all(&folder)
    }

    #[cfg(unix)]
    #[test]
    fn links_are_checked_where_they_are_acted_on() -> std::io::Result<()> {
        use std::os::unix::fs::symlink;
        let folder = std::env::temp_dir().join(format!("isolane-links-{}", std::process::id()));
        let (granted, outside) = (folder.join("granted"), folder.join("outside"));
        std::fs::create_dir_all(&granted)?;
        std::fs::create_dir_all(&outside)?;
        symlink(outside.join("new"), granted.join("dangling"))?;
        symlink("hop", granted.join("relative"))?;
        symlink("../outside/new", granted.join("hop"))?;
        symlink(granted.join("x"), outside.join("in"))?;
        symlink("loop", granted.join("loop"))?;
        let permissions = Permissions::none().allow_write(&granted);
        let writes = |path: PathBuf, follow| {
            permissions.check_path(Access::Write, &path, follow, "fs.writeFile()")
        };
        for name in [
            "dangling",
            "relative",
            "hop",
            "loop",
            "loop/x",
            "dangling/../x",
        ] {
            let denied = writes(granted.join(name), Follow::Target);
            assert!(denied.is_err(), "{name}: {denied:?}");
        }
        for name in ["dangling", "relative", "hop", "loop"] {
            let own = writes(granted.join(name), Follow::LinkItself);
            assert_eq!(own.ok(), Some(granted.canonicalize()?.join(name)));
        }
        assert!(writes(outside.join("in"), Follow::LinkItself).is_err());
        let target = granted.canonicalize()?.join("x");
        assert_eq!(
            writes(outside.join("in"), Follow::Target).ok(),
            Some(target)
        );
        std::fs::remove_dir_all(&folder)
    }

    #[test]
    fn what_a_new_name_reveals() {
        let folder = granted(&std::env::temp_dir());
        let permissions = Permissions::none()
            .allow_read(folder.join("a/b"))
            .allow_import(folder.join("c"));
        for (name, revealed) in [
            ("a", true),
            ("a/b", true),
            ("a/b/x", true),
            ("c/x", true),
            ("d", false),
            ("a/x.js", false),
        ] {
            assert_eq!(permissions.reveals(&folder.join(name)), revealed, "{name}");
        }
        let everywhere = permissions.allow_code_import_all();
        assert!(everywhere.reveals(&folder.join("a/x.js")));
        assert!(!everywhere.reveals(&folder.join("a/x.json")));
        assert!(
            everywhere
                .check_import_code(&folder.join("a/x.js"), "import")
                .is_ok()
        );
        assert!(
            everywhere
                .check_import_code(&folder.join("a/x.env"), "import")
                .is_err()
        );
    }

    #[test]
    fn everything_reaches_what_all_files_do_not() {
        let of_process = Path::new("/proc/self/maps");
        let files = Permissions::none().allow_read_all();
        for (permissions, allowed) in [(Permissions::all(), true), (files, false)] {
            let read =
                permissions.check_path(Access::Read, of_process, Follow::Target, "fs.readFile()");
            assert_eq!(read.is_ok(), allowed, "{permissions:?}");
            assert_eq!(
                permissions.check_import(of_process, "import").is_ok(),
                allowed,
                "{permissions:?}"
            );
        }
    }

    #[test]
    fn a_denial_names_the_flag() {
        let denied = Permissions::none()
            .check_env("HOME", "process.env")
            .unwrap_err();
        assert_eq!(
            denied.to_string(),
            "process.env: requires env access to \"HOME\"; run again with --allow-env=HOME"
        );
    }
}
