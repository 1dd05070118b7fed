//! File metadata, and errors of file access.

use rustix::fs::{FileType, Stat as RawStat};
use rustix::io::Errno;
use thiserror::Error;

use crate::fault::Fault;
use crate::path::WorkspacePath;
use crate::root::identity;

/// Type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, not followed.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Anything else.
    Other,
}

impl Kind {
    /// Returns the kind with its article, for a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "not a regular file",
        }
    }

    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            FileType::Unknown => Self::Other,
        }
    }
}

/// Metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// File type.
    pub kind: Kind,
    /// Length in bytes.
    pub len: u64,
    /// Permission bits, with set-id and sticky bits.
    pub mode: u32,
    /// Modification time of the content, in nanoseconds since 1970.
    pub modified: i128,
    /// Number of hard links.
    pub links: u64,
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Owner's write permission; commits do not change a file without it.
    pub owner_writable: OwnerWritable,
}

/// Owner's write permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerWritable {
    /// The bit is set.
    Yes,
    /// The bit is missing; the file is read-only.
    No,
}

impl Stat {
    #[expect(clippy::allow_attributes, reason = "the casts below are needed on some systems only")]
    #[allow(clippy::unnecessary_cast, reason = "the width of these fields differs between systems")]
    pub(crate) fn of(raw: &RawStat) -> Self {
        let (device, inode) = identity(raw);
        let seconds = i128::from(raw.st_mtime as i64);
        Self {
            kind: Kind::of(FileType::from_raw_mode(raw.st_mode)),
            len: raw.st_size as u64,
            mode: raw.st_mode as u32 & 0o7777,
            modified: seconds * 1_000_000_000 + raw.st_mtime_nsec as i128,
            links: raw.st_nlink as u64,
            device,
            inode,
            owner_writable: if raw.st_mode & 0o200 == 0 { OwnerWritable::No } else { OwnerWritable::Yes },
        }
    }
}

/// Failed access to a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {why}")]
pub struct AccessError {
    /// The file.
    pub path: WorkspacePath,
    /// The reason.
    pub why: AccessKind,
}

/// Reasons for a failed access.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AccessKind {
    /// The file does not exist.
    #[error("does not exist: check the name, or list its directory")]
    Missing,
    /// The path is a directory.
    #[error("is a directory, not a file: list it instead")]
    IsDirectory,
    /// The path, or a parent of it, is not a directory.
    #[error("is not a directory, or is below a file")]
    NotADirectory,
    /// The path is a pipe, a socket or a device.
    #[error("is {}, not a regular file: only regular files can be opened", .0.name())]
    NotRegular(Kind),
    /// Permission denied.
    #[error("permission denied: change its permissions first")]
    Denied,
    /// The file is larger than the caller's limit.
    #[error("has {len} bytes, more than the limit of {limit}: read a part of it")]
    TooLarge {
        /// Length in bytes.
        len: u64,
        /// The caller's limit in bytes.
        limit: u64,
    },
    /// A path component was replaced between resolving and opening.
    #[error("changed while it was being opened: try again")]
    Changed,
    /// Any other error.
    #[error("{0}")]
    Io(Fault),
}

impl AccessKind {
    pub(crate) fn at(self, path: &WorkspacePath) -> AccessError {
        AccessError { path: path.clone(), why: self }
    }

    /// Returns the corresponding error number.
    pub(crate) fn errno(&self) -> Errno {
        match self {
            Self::Missing => Errno::NOENT,
            Self::IsDirectory => Errno::ISDIR,
            Self::NotADirectory => Errno::NOTDIR,
            Self::Denied => Errno::ACCESS,
            Self::Io(fault) => fault.errno(),
            Self::NotRegular(_) | Self::TooLarge { .. } | Self::Changed => Errno::STALE,
        }
    }
}

impl From<Errno> for AccessKind {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Missing,
            Errno::NOTDIR => Self::NotADirectory,
            Errno::ISDIR => Self::IsDirectory,
            Errno::ACCESS | Errno::PERM => Self::Denied,
            Errno::LOOP | Errno::AGAIN | Errno::XDEV => Self::Changed,
            other => Self::Io(other.into()),
        }
    }
}

impl From<Fault> for AccessKind {
    fn from(fault: Fault) -> Self {
        fault.errno().into()
    }
}
