//! What is known about a file, or why it cannot be had.

use rustix::fs::{FileType, Stat as RawStat};
use rustix::io::Errno;
use thiserror::Error;

use crate::fault::Fault;
use crate::path::WorkspacePath;
use crate::root::identity;

/// What sort of thing a name stands for.
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

/// What the system says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Its length in bytes.
    pub len: u64,
    /// Its permission bits, with set-id and sticky bits.
    pub mode: u32,
    /// When its content was last modified, in nanoseconds since 1970.
    pub modified: i128,
    /// How many names it has.
    pub links: u64,
    /// The device that it lies on.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
    /// Whether its owner may write it; a file without that bit is not changed.
    pub owner_writable: OwnerWritable,
}

/// Whether a file's owner may write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerWritable {
    /// The bit is set.
    Yes,
    /// The bit is missing: the file is read-only.
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

/// Why a file could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {why}")]
pub struct AccessError {
    /// The file, as shown.
    pub path: WorkspacePath,
    /// The reason.
    pub why: AccessKind,
}

/// The reason why a file could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AccessKind {
    /// There is nothing of that name.
    #[error("does not exist: check the name, or list its directory")]
    Missing,
    /// It is a directory.
    #[error("is a directory, not a file: list it instead")]
    IsDirectory,
    /// It, or something on the way to it, is not a directory.
    #[error("is not a directory, or lies below something that is none")]
    NotADirectory,
    /// It is a pipe, a socket, a device.
    #[error("is {}, not a regular file: it is not opened", .0.name())]
    NotRegular(Kind),
    /// The system does not permit it.
    #[error("permission denied: its owner has to permit it first")]
    Denied,
    /// It is larger than the caller can take.
    #[error("has {len} bytes, more than the limit of {limit}: read a part of it")]
    TooLarge {
        /// Its length.
        len: u64,
        /// The most that was asked for.
        limit: u64,
    },
    /// Something on the way was exchanged between resolving and opening.
    #[error("changed while it was being opened: try again")]
    Changed,
    /// Anything else.
    #[error("{0}")]
    Io(Fault),
}

impl AccessKind {
    pub(crate) fn at(self, path: &WorkspacePath) -> AccessError {
        AccessError { path: path.clone(), why: self }
    }

    /// Returns the number that stands for it.
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
