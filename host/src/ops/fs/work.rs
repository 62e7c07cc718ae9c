//! The calls themselves: no isolate, no permission, any thread.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::super::prelude::*;
use super::unix;
use crate::file::held::{hold, is_in_proc, no_link};
use crate::file::resolve::Follow;
use crate::file::{MAX_READ, WorkerFile, pause};
use crate::worker::control::Control;

const COPYFILE_EXCL: u32 = 1;
const COPYFILE_FICLONE_FORCE: u32 = 4;

/// Open flags, by the values of `js-glue/src/node/fs_constants.js`.
#[derive(Clone, Copy)]
pub(super) struct Flags(pub(super) u32);

impl Flags {
    const ACCESS: u32 = 0b11;
    const WRITE_ONLY: u32 = 1;
    const READ_WRITE: u32 = 2;
    const CREATE: u32 = 0o100;
    const EXCLUSIVE: u32 = 0o200;
    const TRUNCATE: u32 = 0o1000;
    const APPEND: u32 = 0o2000;
    const SYNCHRONOUS: u32 = 0o4_010_000;

    fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }

    pub(super) fn writes(self) -> bool {
        self.0 & (Self::ACCESS | Self::CREATE | Self::TRUNCATE | Self::APPEND) != 0
    }

    /// A file that has to be new is not made where a link leads (open(2), `O_EXCL`).
    pub(super) fn follow(self) -> Follow {
        if self.has(Self::CREATE | Self::EXCLUSIVE) {
            Follow::LinkItself
        } else {
            Follow::Target
        }
    }

    fn open(self, path: &Path, mode: u32, control: &Arc<Control>) -> io::Result<WorkerFile> {
        let access = self.0 & Self::ACCESS;
        let create = self.has(Self::CREATE);
        let mut options = OpenOptions::new();
        options
            .read(access != Self::WRITE_ONLY)
            .write(access == Self::WRITE_ONLY || access == Self::READ_WRITE)
            .append(self.has(Self::APPEND))
            .truncate(self.has(Self::TRUNCATE))
            .create(create)
            .create_new(create && self.has(Self::EXCLUSIVE));
        let further = unix::extend(&mut options, mode, self.has(Self::SYNCHRONOUS));
        WorkerFile::open(&mut options, further, path, control)
    }
}

/// Makes a system call's error the script's.
pub(super) fn failure<'a>(
    syscall: &'static str,
    path: &'a str,
) -> impl Fn(io::Error) -> Failure + 'a {
    move |error| Failure::Io {
        error,
        syscall,
        path: path.to_owned(),
    }
}

/// Two paths in the place of one: the message puts quotes around the whole. The glue sets `path` and `dest` afterwards.
pub(super) fn two_paths(from: &str, to: &str) -> String {
    format!("{from}' -> '{to}")
}

pub(super) fn read_file(
    path: &Path,
    given: &str,
    flags: Flags,
    as_text: bool,
    control: &Arc<Control>,
) -> Result<Reply, Failure> {
    let mut file = flags
        .open(path, 0o666, control)
        .map_err(failure("open", given))?;
    let size = file.size().map_err(failure("fstat", given))?;
    if size > MAX_READ {
        return Err(too_large(size));
    }
    let bytes = file.read_all().map_err(failure("read", given))?;
    if bytes.len() as u64 > MAX_READ {
        return Err(too_large(bytes.len() as u64));
    }
    if !as_text {
        return Ok(Reply::Bytes(bytes));
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Reply::Text(text))
}

fn too_large(size: u64) -> Failure {
    Failure::Range(format!("File size ({size}) is greater than 2 GiB"))
}

pub(super) fn write_file(
    path: &Path,
    given: &str,
    contents: &[u8],
    flags: Flags,
    mode: u32,
    control: &Arc<Control>,
) -> Result<Reply, Failure> {
    let mut file = flags
        .open(path, mode, control)
        .map_err(failure("open", given))?;
    file.write_all(contents).map_err(failure("write", given))?;
    Ok(Reply::Undefined)
}

pub(super) fn make_directory(
    path: &Path,
    given: &str,
    recursive: bool,
    mode: u32,
) -> Result<Reply, Failure> {
    if !recursive {
        let make = || unix::create_directory(hold(path)?.path(), mode);
        make().map_err(failure("mkdir", given))?;
        return Ok(Reply::Undefined);
    }
    let made = make_directories(path, mode).map_err(failure("mkdir", given))?;
    let Some(above) = made.checked_sub(1) else {
        return Ok(Reply::Undefined);
    };
    // The topmost, as the script would name it.
    let first = Path::new(given).ancestors().nth(above);
    Ok(first.map_or(Reply::Undefined, |path| {
        Reply::Text(path.to_string_lossy().into_owned())
    }))
}

/// Makes the directory and the parents that are missing; answers how many it made.
fn make_directories(path: &Path, mode: u32) -> io::Result<usize> {
    let mut missing = Vec::new();
    for directory in path.ancestors() {
        match hold(directory).and_then(|held| fs::symlink_metadata(held.path())) {
            Ok(metadata) if metadata.is_dir() => break,
            Ok(_) => {
                return Err(io::Error::from_raw_os_error(if directory == path {
                    unix::EEXIST
                } else {
                    unix::ENOTDIR
                }));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(directory),
            Err(error) => return Err(error),
        }
    }
    let mut made = 0;
    for directory in missing.into_iter().rev() {
        match hold(directory).and_then(|held| unix::create_directory(held.path(), mode)) {
            Ok(()) => made += 1,
            // Somebody else made it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(made)
}

/// `mkdtemp(3)`: six characters after the prefix, for the owner only.
pub(super) fn make_temporary_directory(
    parent: &Path,
    name: &str,
    prefix: &str,
) -> Result<Reply, Failure> {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const ATTEMPTS: usize = 64;
    let template = format!("{prefix}XXXXXX");
    let fail = failure("mkdtemp", &template);
    for _ in 0..ATTEMPTS {
        let mut random = [0; 6];
        getrandom::fill(&mut random).map_err(|error| fail(io::Error::other(error.to_string())))?;
        let suffix: String = random
            .iter()
            .filter_map(|byte| ALPHABET.get(usize::from(*byte) % ALPHABET.len()))
            .map(|c| char::from(*c))
            .collect();
        let path = parent.join(format!("{name}{suffix}"));
        match hold(&path).and_then(|held| unix::create_directory(held.path(), 0o700)) {
            Ok(()) => return Ok(Reply::Text(format!("{prefix}{suffix}"))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(fail(error)),
        }
    }
    Err(fail(io::Error::from_raw_os_error(unix::EEXIST)))
}

/// Level by level, so that the parents of an entry stand before it.
/// `may_enter` is asked for each folder on the way.
pub(super) fn read_directory(
    path: &Path,
    given: &str,
    recursive: bool,
    may_enter: &dyn Fn(&Path) -> bool,
) -> Result<Reply, Failure> {
    let mut replies = Vec::new();
    let mut pending = VecDeque::from([(path.to_owned(), String::new())]);
    while let Some((directory, prefix)) = pending.pop_front() {
        let shown = if prefix.is_empty() {
            given.to_owned()
        } else {
            format!("{given}/{prefix}")
        };
        let fail = failure("scandir", &shown);
        let mut entries = entries_of(&directory).map_err(&fail)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let relative = if prefix.is_empty() {
                name.into_owned()
            } else {
                format!("{prefix}/{name}")
            };
            // An entry that is gone by now has no type to learn; it was there when the directory was read.
            let kind = entry.file_type().ok();
            replies.push(Reply::Text(relative.clone()));
            replies.push(Reply::Number(f64::from(kind.map_or(0, unix::type_bits))));
            let inner = directory.join(entry.file_name());
            if recursive && kind.is_some_and(|kind| kind.is_dir()) && may_enter(&inner) {
                pending.push_back((inner, relative));
            }
        }
    }
    Ok(Reply::List(replies))
}

fn entries_of(directory: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let held = hold(directory)?;
    let mut options = OpenOptions::new();
    options.read(true);
    unix::extend_flags(&mut options, no_link(directory));
    let folder = options.open(held.path())?;
    // The folder that is open now, and no other that might come to have its name.
    let open = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string());
    let entries = fs::read_dir(if open.exists() { &open } else { held.path() })?;
    entries.collect()
}

pub(super) fn stat(path: &Path, given: &str, follow_links: bool) -> Result<Reply, Failure> {
    let syscall = if follow_links { "stat" } else { "lstat" };
    // What is left of links in a path that was resolved stands for what has no path.
    let of_last = |held: &Path| {
        if follow_links && is_in_proc(path) {
            fs::metadata(held)
        } else {
            fs::symlink_metadata(held)
        }
    };
    let metadata = hold(path).and_then(|held| of_last(held.path()));
    let metadata = metadata.map_err(failure(syscall, given))?;
    if follow_links && metadata.is_symlink() {
        // The links were resolved, as far as the system would follow them.
        return Err(failure(syscall, given)(io::Error::from_raw_os_error(
            unix::ELOOP,
        )));
    }
    Ok(Reply::Bytes(unix::pack(&metadata)))
}

/// Tries again, after a rest that grows by `delay` milliseconds each time, while the file system says it is busy.
pub(super) fn remove(
    path: &Path,
    given: &str,
    recursive: bool,
    force: bool,
    retries: u32,
    delay: u32,
    control: &Control,
) -> Result<Reply, Failure> {
    let mut attempt = 0;
    loop {
        match remove_once(path, recursive) {
            Ok(()) => return Ok(Reply::Undefined),
            Err(error) if force && error.kind() == io::ErrorKind::NotFound => {
                return Ok(Reply::Undefined);
            }
            Err(error) if recursive && attempt < retries && is_busy(&error) => {
                attempt += 1;
                let rest = Duration::from_millis(u64::from(delay) * u64::from(attempt));
                pause(rest, control).map_err(failure("rm", given))?;
            }
            Err(error) => return Err(failure("rm", given)(error)),
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(unix::EBUSY | unix::EMFILE | unix::ENFILE | unix::ENOTEMPTY | unix::EPERM)
    )
}

fn remove_once(path: &Path, recursive: bool) -> io::Result<()> {
    let held = hold(path)?;
    let path = held.path();
    if !fs::symlink_metadata(path)?.is_dir() {
        fs::remove_file(path)
    } else if recursive {
        fs::remove_dir_all(path)
    } else {
        Err(io::Error::from_raw_os_error(unix::EISDIR))
    }
}

pub(super) fn copy_file(
    from: &Path,
    to: &Path,
    mode: u32,
    control: &Arc<Control>,
) -> io::Result<()> {
    if mode & COPYFILE_FICLONE_FORCE != 0 {
        return Err(io::Error::from_raw_os_error(unix::ENOTSUP));
    }
    let (held_from, held_to) = (hold(from)?, hold(to)?);
    let nofollow = [no_link(from), no_link(to)];
    let (checked_from, checked_to) = (from, to);
    let (from, to) = (held_from.path(), held_to.path());
    let source = fs::symlink_metadata(from)?;
    if source.is_dir() {
        return Err(io::Error::from_raw_os_error(unix::EISDIR));
    }
    let exclusive = mode & COPYFILE_EXCL != 0;
    let target = fs::symlink_metadata(to).ok();
    if exclusive && target.is_some() {
        return Err(io::Error::from_raw_os_error(unix::EEXIST));
    }
    let is_special = |metadata: &fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    if is_special(&source) || target.as_ref().is_some_and(is_special) {
        // Pipes and devices may make the copy wait.
        let mut options = OpenOptions::new();
        let mut reader = WorkerFile::open(options.read(true), 0, checked_from, control)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut writer = WorkerFile::open(&mut options, 0, checked_to, control)?;
        return io::copy(&mut reader, &mut writer).map(|_| ());
    }
    // A file copied onto itself would be emptied first.
    if target.is_some_and(|target| unix::same_file(&source, &target)) {
        return Ok(());
    }
    let mut reading = OpenOptions::new();
    let mut writing = OpenOptions::new();
    reading.read(true);
    writing
        .write(true)
        .create(true)
        .truncate(!exclusive)
        .create_new(exclusive);
    for (options, flags) in [&mut reading, &mut writing].into_iter().zip(nofollow) {
        unix::extend_flags(options, flags);
    }
    let mut reader = reading.open(from)?;
    let mut writer = writing.open(to)?;
    io::copy(&mut reader, &mut writer)?;
    writer.set_permissions(source.permissions())
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(hold(from)?.path(), hold(to)?.path())
}
