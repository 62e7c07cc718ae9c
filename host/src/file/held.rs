//! A path is checked before it is used, and a script may move folders in between. So the folder that holds the file is opened first, by a call that follows
//! no link, and what is then named in it is what was checked.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::resolve::trailing;

/// A path in a folder that is held open: no part of it can be exchanged for a link any more, but for the last.
pub(crate) struct Held {
    /// The folder, or what the path leads to itself.
    _folder: Option<OwnedFd>,
    path: PathBuf,
}

impl Held {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Holds a path whose links have been resolved.
///
/// # Errors
/// If its folder cannot be opened, or has a link in its path by now.
pub(crate) fn hold(path: &Path) -> io::Result<Held> {
    let plain = || Held {
        _folder: None,
        path: path.to_owned(),
    };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(plain());
    };
    if is_in_proc(path) {
        return Ok(plain());
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let no_links = ResolveFlags::NO_SYMLINKS;
    let folder = match openat2(CWD, parent, flags, Mode::empty(), no_links) {
        Ok(folder) => folder,
        // A kernel before 5.6, or a filter of system calls: the path is used as it was checked.
        Err(Errno::NOSYS | Errno::PERM) => return Ok(plain()),
        Err(error) => return Err(error.into()),
    };
    let mut held = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    if !held.is_dir() {
        return Ok(plain());
    }
    held.push(name);
    let mut held = held.into_os_string();
    held.push(trailing(path));
    Ok(Held {
        _folder: Some(folder),
        path: held.into(),
    })
}

/// Holds what a path that was resolved leads to, whatever it is.
///
/// # Errors
/// If there is nothing, or a link by now.
pub(crate) fn pin(path: &Path) -> io::Result<Held> {
    if is_in_proc(path) {
        std::fs::metadata(path)?;
        return hold(path);
    }
    let held = hold(path)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let target = rustix::fs::open(held.path(), flags, Mode::empty())?;
    let pinned = PathBuf::from(format!("/proc/self/fd/{}", target.as_raw_fd()));
    let is_link = rustix::fs::fstat(&target)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
    if is_link {
        return Err(Errno::LOOP.into());
    }
    if !pinned.exists() {
        return Ok(held);
    }
    Ok(Held {
        _folder: Some(target),
        path: pinned,
    })
}

/// The bit that makes opening a link fail, which there is none where `path` was resolved to.
pub(crate) fn no_link(path: &Path) -> i32 {
    if is_in_proc(path) {
        0
    } else {
        OFlags::NOFOLLOW.bits().cast_signed()
    }
}

/// What is open in `/proc` is reached by links that have no path, so that links there are followed.
pub(crate) fn is_in_proc(path: &Path) -> bool {
    path.starts_with("/proc")
}
