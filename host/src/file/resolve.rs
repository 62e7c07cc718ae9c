//! Where a path leads: its links resolved as the system would, before anything is opened by it.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// What a call does with a link that its path names: the system follows it, or takes the link itself. What will be acted on is what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    Target,
    LinkItself,
}

impl Follow {
    /// The path that the call will act on. None: it has more links than the system would follow.
    pub(crate) fn resolve(self, path: &Path) -> Option<PathBuf> {
        // No path is no file, and not the current folder.
        if path.as_os_str().is_empty() {
            return Some(PathBuf::new());
        }
        // What ends in a slash is a folder, by way of a link too; the system says so if it is none.
        match trailing(path) {
            "" => {}
            trailing => {
                let mut resolved = resolve(path)?.into_os_string();
                resolved.push(trailing);
                return Some(resolved.into());
            }
        }
        match (self, path.file_name()) {
            (Self::LinkItself, Some(name)) => {
                Some(resolve(path.parent().unwrap_or(Path::new("")))?.join(name))
            }
            _ => resolve(path),
        }
    }
}

/// What a path ends in after its last name, as the system takes it: a slash or a dot asks for a folder.
pub(crate) fn trailing(path: &Path) -> &'static str {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.ends_with(b"/") {
        "/"
    } else if bytes == b"." || bytes == b".." || bytes.ends_with(b"/.") || bytes.ends_with(b"/..") {
        "/."
    } else {
        ""
    }
}

/// As many links as Linux follows in one path (`MAXSYMLINKS`).
const MOST_LINKS: u32 = 40;

/// The absolute path with every link resolved, as the system does it: part by part, those that lead to nothing too, since a file that is made by the name
/// of a dangling link is made where that leads. Parts that do not exist stay as they are. None: there are too many links.
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut resolved = PathBuf::new();
    let mut left: Vec<OsString> = parts(&absolute);
    let mut links = 0;
    while let Some(part) = left.pop() {
        match Path::new(&part).components().next() {
            None | Some(Component::CurDir) => {}
            // Above what is no folder is nothing: without this part the path leads nowhere either, as the system will tell.
            Some(Component::ParentDir) => {
                if resolved.is_dir() {
                    resolved.pop();
                }
            }
            Some(_) => {
                let next = resolved.join(&part);
                let target = next
                    .read_link()
                    .ok()
                    .filter(|target| !is_opaque(&next, target));
                let Some(target) = target else {
                    resolved = next;
                    continue;
                };
                links += 1;
                if links > MOST_LINKS {
                    return None;
                }
                // An absolute target begins anew when its root is joined.
                left.extend(parts(&target));
            }
        }
    }
    Some(resolved)
}

/// Whether a link stands for something that has no path, as those of open files do in `/proc` (proc(5), `/proc/pid/fd`).
fn is_opaque(link: &Path, target: &Path) -> bool {
    // Of a file that was removed the link has the old path, and a remark.
    link.starts_with("/proc") && !link.with_file_name(target).exists()
}

/// The parts of a path, last first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev();
    parts.map(|part| part.as_os_str().to_owned()).collect()
}
