//! What `std::fs` does not offer on every platform: the fields of `struct stat`, file types, modes, `access(2)`.

use std::fs::{DirBuilder, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

use rustix::fs::Access;

pub(super) const EPERM: i32 = 1;
pub(super) const EBUSY: i32 = 16;
pub(super) const ENOTDIR: i32 = 20;
pub(super) const EISDIR: i32 = 21;
pub(super) const ENFILE: i32 = 23;
pub(super) const EMFILE: i32 = 24;
pub(super) const EEXIST: i32 = 17;
pub(super) const ENOTEMPTY: i32 = if cfg!(target_os = "linux") { 39 } else { 66 };
pub(super) const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };
pub(super) const ENOTSUP: i32 = if cfg!(target_os = "linux") { 95 } else { 45 };

/// `O_SYNC` as this platform has it.
const O_SYNC: i32 = if cfg!(target_os = "linux") {
    0o4_010_000
} else {
    0x80
};

/// Whether the process may use the file in the ways of `mode`.
pub(super) fn access_path(path: &Path, mode: u32) -> io::Result<()> {
    let mode = Access::from_bits(mode).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(rustix::fs::access(path, mode)?)
}

/// The fields in the order that `fs_stats.js` reads, 64 bits each. The ones that are unsigned keep their bits.
pub(super) fn pack(metadata: &Metadata) -> Vec<u8> {
    // Not every file system records when a file was made; Node then shows the time of the last change, too.
    let (born, born_nanos) = metadata
        .created()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or((metadata.ctime(), metadata.ctime_nsec()), |time| {
            (time.as_secs().cast_signed(), i64::from(time.subsec_nanos()))
        });
    let fields: [i64; 18] = [
        metadata.dev().cast_signed(),
        i64::from(metadata.mode()),
        metadata.nlink().cast_signed(),
        i64::from(metadata.uid()),
        i64::from(metadata.gid()),
        metadata.rdev().cast_signed(),
        metadata.blksize().cast_signed(),
        metadata.ino().cast_signed(),
        metadata.size().cast_signed(),
        metadata.blocks().cast_signed(),
        metadata.atime(),
        metadata.atime_nsec(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
        born,
        born_nanos,
    ];
    fields
        .iter()
        .flat_map(|field| field.to_ne_bytes())
        .collect()
}

/// The `S_IF…` value of a type.
pub(super) fn type_bits(kind: FileType) -> u32 {
    if kind.is_file() {
        0o100_000
    } else if kind.is_dir() {
        0o040_000
    } else if kind.is_symlink() {
        0o120_000
    } else if kind.is_char_device() {
        0o020_000
    } else if kind.is_block_device() {
        0o060_000
    } else if kind.is_fifo() {
        0o010_000
    } else if kind.is_socket() {
        0o140_000
    } else {
        0
    }
}

pub(super) fn create_directory(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)
}

/// The mode of a file that opening makes. The answer: further `O_…` bits.
pub(super) fn extend(options: &mut OpenOptions, mode: u32, synchronous: bool) -> i32 {
    options.mode(mode);
    if synchronous { O_SYNC } else { 0 }
}

/// Further `O_…` bits.
pub(super) fn extend_flags(options: &mut OpenOptions, flags: i32) {
    options.custom_flags(flags);
}

pub(super) fn same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}
