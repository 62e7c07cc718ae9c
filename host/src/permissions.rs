//! What a worker may reach outside itself. Nothing is granted by default.

use std::path::{Component, Path, PathBuf};

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
}

/// A script asked for something that it was not granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{api}: requires {access} access to \"{target}\"; run again with {flag}={target}")]
pub struct Denied {
    /// The function that was called.
    pub api: String,
    /// `read`, `write` or `env`.
    pub access: &'static str,
    /// The path or variable.
    pub target: String,
    /// The command-line option that grants it.
    pub flag: &'static str,
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
        }
    }

    /// Allows reading `path` and what lies below it. Symbolic links are resolved here and at each use.
    #[must_use]
    pub fn allow_read(mut self, path: impl AsRef<Path>) -> Self {
        add(&mut self.read, resolve(path.as_ref()));
        self
    }

    /// Allows writing `path` and what lies below it.
    #[must_use]
    pub fn allow_write(mut self, path: impl AsRef<Path>) -> Self {
        add(&mut self.write, resolve(path.as_ref()));
        self
    }

    /// Allows reading the environment variable `name`.
    #[must_use]
    pub fn allow_env(mut self, name: impl Into<String>) -> Self {
        add(&mut self.env, name.into());
        self
    }

    /// Allows reading every file.
    #[must_use]
    pub fn allow_read_all(mut self) -> Self {
        self.read = Grant::Everything;
        self
    }

    /// Allows writing every file.
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
        add(&mut self.import, resolve(path.as_ref()));
        self
    }

    /// Allows loading JavaScript modules from every file. Other files that an import or a guest can name (JSON, WebAssembly) show a script what is
    /// in them, and are still only those that [`Permissions::allow_import`] or [`Permissions::allow_read`] grant.
    #[must_use]
    pub fn allow_code_import_all(mut self) -> Self {
        self.code_from_everywhere = true;
        self
    }

    /// Whether a module of JavaScript may be loaded.
    pub(crate) fn check_import_code(&self, path: &Path, api: &str) -> Result<PathBuf, Denied> {
        if self.code_from_everywhere {
            return Ok(resolve(path));
        }
        self.check_import(path, api)
    }

    /// Whether a file may be loaded as a module of any kind: what may be read may be imported as well.
    pub(crate) fn check_import(&self, path: &Path, api: &str) -> Result<PathBuf, Denied> {
        let imported = check_path(&self.import, path, api, "read", "--allow-read");
        imported.or_else(|denied| {
            check_path(&self.read, path, api, "read", "--allow-read").map_err(|_| denied)
        })
    }

    pub(crate) fn check_read(&self, path: &Path, api: &str) -> Result<PathBuf, Denied> {
        check_path(&self.read, path, api, "read", "--allow-read")
    }

    pub(crate) fn check_write(&self, path: &Path, api: &str) -> Result<PathBuf, Denied> {
        check_path(&self.write, path, api, "write", "--allow-write")
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

fn add<T>(grant: &mut Grant<T>, item: T) {
    match grant {
        Grant::Everything => {}
        Grant::Only(items) => items.push(item),
        Grant::Nothing => *grant = Grant::Only(vec![item]),
    }
}

fn check_path(
    grant: &Grant<PathBuf>,
    path: &Path,
    api: &str,
    access: &'static str,
    flag: &'static str,
) -> Result<PathBuf, Denied> {
    // What the system will open is checked, not what the script wrote: links and `..` are resolved first.
    let resolved = resolve(path);
    let allowed = match grant {
        Grant::Everything => true,
        Grant::Nothing => false,
        Grant::Only(roots) => roots.iter().any(|root| resolved.starts_with(root)),
    };
    if !allowed {
        return Err(Denied {
            api: api.to_owned(),
            access,
            target: path.display().to_string(),
            flag,
        });
    }
    // Calls that act on a link itself get the link, in its resolved folder.
    let own_name = path.file_name().and_then(|name| {
        resolve(path.parent().unwrap_or(Path::new("")))
            .join(name)
            .into()
    });
    Ok(if acts_on_link(api) {
        own_name.unwrap_or(resolved)
    } else {
        resolved
    })
}

fn acts_on_link(api: &str) -> bool {
    ["lstat", "unlink", "rm", "rmdir", "rename"]
        .iter()
        .any(|name| api.contains(&format!(".{name}")))
}

/// The absolute path with every link resolved. Of a path that does not exist, as much as exists is resolved.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    })
    .unwrap_or_else(|_| path.to_owned());
    let mut existing = absolute.as_path();
    let mut rest = Vec::new();
    loop {
        if let Ok(canonical) = existing.canonicalize() {
            return normalize(
                rest.iter()
                    .rev()
                    .fold(canonical, |path, part| path.join(part)),
            );
        }
        let Some(parent) = existing.parent() else {
            return normalize(absolute.clone());
        };
        rest.push(
            existing
                .components()
                .next_back()
                .map(|part| part.as_os_str().to_owned())
                .unwrap_or_default(),
        );
        existing = parent;
    }
}

/// Takes out `.` and `..` by the text alone: what follows a part that does not exist cannot be a link.
fn normalize(path: PathBuf) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_covers_what_lies_below_it_and_nothing_beside() {
        let folder = std::env::temp_dir();
        let permissions = Permissions::none().allow_read(folder.join("a"));
        assert!(
            permissions
                .check_read(&folder.join("a/b"), "fs.readFile()")
                .is_ok()
        );
        assert!(
            permissions
                .check_read(&folder.join("a/../b"), "fs.readFile()")
                .is_err()
        );
        assert!(
            permissions
                .check_read(&folder.join("ab"), "fs.readFile()")
                .is_err()
        );
        assert!(
            permissions
                .check_write(&folder.join("a"), "fs.writeFile()")
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
        let denied = permissions.check_read(&folder.join("out/passwd"), "fs.readFile()");
        assert!(denied.is_err());
        std::fs::remove_dir_all(&folder)
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
