//! File metadata, and errors of file access.

use rustix::fs::{FileType, Stat as RawStat};
use rustix::io::Errno;
use thiserror::Error;

use crate::fault::SystemError;
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
    /// An entry of a type that has no variant here.
    Other,
}

impl Kind {
    /// Returns the kind as a noun phrase for messages, such as `a file`.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "a special file",
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
    /// Type of the file: regular file, directory, link and so on.
    pub kind: Kind,
    /// Length of the file in bytes.
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
    /// Owner's write permission. A commit (a set of file changes) neither writes to nor deletes a file without this
    /// permission, unless the commit is an undo or deletes a whole directory.
    pub owner_writable: OwnerWritable,
}

/// Owner's write permission for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerWritable {
    /// The owner may write: the permission bit `0200` is set.
    Yes,
    /// The permission bit `0200` is not set: the file is read-only.
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
#[error("{path} {why}")]
pub struct AccessError {
    /// The file or directory that could not be accessed.
    pub path: WorkspacePath,
    /// Reason for the failure; its message is the rest of a sentence that starts with the path.
    pub why: AccessKind,
}

/// Reasons for a failed access.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AccessKind {
    /// The file does not exist.
    #[error("does not exist; check the name, or list its directory")]
    Missing,
    /// The path is a directory.
    #[error("is a directory, not a file; list it instead")]
    IsDirectory,
    /// The path or one of its parents is not a directory.
    #[error("is not a directory, or one of its parents is not a directory")]
    NotADirectory,
    /// The path is a symbolic link, which is not followed: either the path was not resolved, because it comes from a
    /// directory listing, or a link replaced the file after the path was resolved.
    #[error(
        "is a symbolic link, which was not followed; if its target is in the workspace, pass the path of the target"
    )]
    Link,
    /// The path is not a regular file, for example a pipe, a socket or a device.
    #[error("is {}; only regular files can be opened", .0.name())]
    NotRegular(Kind),
    /// The operating system denied permission.
    #[error("cannot be accessed: permission denied; change its permissions first")]
    Denied,
    /// The file is larger than the caller's limit.
    #[error("has {len} bytes, more than the limit of {limit}; read a part of it")]
    TooLarge {
        /// Length of the file in bytes.
        len: u64,
        /// The caller's limit for the length, in bytes.
        limit: u64,
    },
    /// An entry on the path was replaced after the path was resolved, or after the commit was planned.
    #[error("changed while it was being opened; try again")]
    Changed,
    /// Any other system error.
    #[error("cannot be accessed ({0})")]
    Io(SystemError),
}

impl AccessKind {
    pub(crate) fn at(self, path: &WorkspacePath) -> AccessError {
        AccessError { path: path.clone(), why: self }
    }

    /// Returns an error number for this reason; `ESTALE` for reasons without a matching number, such as a link.
    pub(crate) fn errno(&self) -> Errno {
        match self {
            Self::Missing => Errno::NOENT,
            Self::IsDirectory => Errno::ISDIR,
            Self::NotADirectory => Errno::NOTDIR,
            Self::Denied => Errno::ACCESS,
            Self::Io(fault) => fault.errno(),
            Self::Link | Self::NotRegular(_) | Self::TooLarge { .. } | Self::Changed => Errno::STALE,
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

impl From<SystemError> for AccessKind {
    fn from(fault: SystemError) -> Self {
        fault.errno().into()
    }
}
