//! Files that scripts name: opened, read and written so that a worker can be ended meanwhile, and no further than memory allows. [`resolve`] tells where a
//! path leads, [`held`] keeps it from leading elsewhere.
//!
//! A path may lead to a pipe or a terminal, where the system waits for the other side. Nothing could end a worker that waits there, so files are opened
//! without blocking (open(2), `O_NONBLOCK`), and the waiting is done here, a slice at a time. For regular files that changes nothing.

pub(crate) mod held;
pub(crate) mod resolve;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use self::held::{hold, no_link};
use crate::worker::control::Control;

/// What one read may bring. Some files have no end.
pub(crate) const MAX_READ: u64 = 2 << 30;

/// How long a wait lasts before it looks whether the worker has ended.
const SLICE: Duration = Duration::from_millis(20);

/// A file, and the worker for which it is open.
pub(crate) struct WorkerFile {
    file: File,
    control: Arc<Control>,
}

impl WorkerFile {
    /// `flags` are further `O_…` bits.
    pub(crate) fn open(
        options: &mut OpenOptions,
        flags: i32,
        path: &Path,
        control: &Arc<Control>,
    ) -> io::Result<Self> {
        use std::os::unix::fs::OpenOptionsExt;
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        options.custom_flags(flags | nonblocking | no_link(path));
        let held = hold(path)?;
        loop {
            match options.open(held.path()) {
                // A pipe is opened for writing when somebody opens it for reading. Sockets, and terminals that are gone, fail so for good.
                Err(error)
                    if error.raw_os_error() == Some(Errno::NXIO.raw_os_error())
                        && is_pipe(held.path()) =>
                {
                    pause(SLICE, control)?;
                }
                opened => {
                    return opened.map(|file| Self {
                        file,
                        control: Arc::clone(control),
                    });
                }
            }
        }
    }

    pub(crate) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// All that there is, up to [`MAX_READ`] and one more byte, which says that there is more.
    pub(crate) fn read_all(&mut self) -> io::Result<Vec<u8>> {
        // The size is a guess to start from: files grow, and those of /proc have none.
        let size = self.size()?.min(MAX_READ);
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(usize::try_from(size).unwrap_or(0))
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        self.take(MAX_READ + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn wait_for(&self, readiness: PollFlags) -> io::Result<()> {
        wait_for(&self.file, readiness, &self.control)
    }
}

impl Read for WorkerFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Some files never make anyone wait, and have no end.
        ended(&self.control)?;
        loop {
            // A pipe that nobody has opened for writing yet reads as one at its end, unless it is asked first.
            self.wait_for(PollFlags::IN)?;
            match self.file.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

impl Write for WorkerFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait_for(PollFlags::OUT)?;
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The contents of a file that a module, or something like it, is made of.
pub(crate) fn read(path: &Path, control: &Arc<Control>) -> io::Result<Vec<u8>> {
    let mut file = WorkerFile::open(OpenOptions::new().read(true), 0, path, control)?;
    let bytes = file.read_all()?;
    if bytes.len() as u64 > MAX_READ {
        let reason = "it is larger than 2 GiB";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// Waits until a file can be read or written, or has failed, unless the worker ends.
pub(crate) fn wait_for(
    file: &impl AsFd,
    readiness: PollFlags,
    control: &Control,
) -> io::Result<()> {
    let slice = Timespec::try_from(SLICE).ok();
    loop {
        let mut files = [PollFd::new(file, readiness)];
        match poll(&mut files, slice.as_ref()) {
            Ok(0) | Err(Errno::INTR) => ended(control)?,
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// Sleeps, unless the worker ends.
pub(crate) fn pause(duration: Duration, control: &Control) -> io::Result<()> {
    let mut left = duration;
    while !left.is_zero() {
        ended(control)?;
        let slice = left.min(SLICE);
        std::thread::sleep(slice);
        left -= slice;
    }
    ended(control)
}

fn ended(control: &Control) -> io::Result<()> {
    if control.is_terminated() {
        return Err(io::Error::other("the worker has ended"));
    }
    Ok(())
}
