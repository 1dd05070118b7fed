//! Errors of commits (sets of file changes that are applied as a whole).

use rustix::io::Errno;
use thiserror::Error;

use crate::access::{AccessKind, Kind};
use crate::fault::SystemError;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// A failed commit. If `aftermath` is empty, all its changes were reverted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path} {why}{}", after(.aftermath))]
pub struct CommitError {
    /// Path that caused the failure.
    pub path: WorkspacePath,
    /// Reason for the failure; its message is the rest of a sentence that starts with the path.
    pub why: CommitKind,
    /// Steps of the commit that could not be reverted, one sentence each.
    pub aftermath: Vec<String>,
}

/// Reasons for a failed commit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommitKind {
    /// The caller does not hold the lock on the path.
    #[error("is not locked; lock it first")]
    NotHeld,
    /// The path is in an external root (a read-only directory outside the workspace).
    #[error("is outside the workspace and read-only")]
    External,
    /// The path is a root itself.
    #[error("is a root of the workspace, which is never replaced, moved or deleted")]
    Root,
    /// Two drafts (requested changes) change the same path, or one draft changes a path inside an entry that another
    /// draft moves or deletes, or a draft that copies a directory is not the only draft of the commit.
    #[error("conflicts with another change of the same commit; make two commits")]
    Clash,
    /// A directory would be copied into itself.
    #[error("is inside the directory to copy; choose a target outside that directory")]
    IntoItself,
    /// The path to change, or the path to copy from, does not exist.
    #[error("does not exist")]
    Missing,
    /// Something exists at a path at which nothing may exist before the change.
    #[error("already exists")]
    Exists,
    /// The content differs from the content that the caller has seen, or it changed during the commit.
    #[error("has changed since it was read (the hash of its content is now {found})")]
    Changed {
        /// Hash of the current content.
        found: ContentHash,
    },
    /// The owner has no write permission for the file.
    #[error("is read-only; make it writable first if it should change")]
    ReadOnly,
    /// An entry that is not a regular file cannot be moved to another file system.
    #[error(
        "is on a different file system from {to}, so it cannot be moved in one step; copy it there, then delete it here"
    )]
    OtherDisk {
        /// Path to which the entry would be moved.
        to: String,
    },
    /// The directory to remove is not empty.
    #[error("is a directory that is not empty")]
    NotEmpty,
    /// The path is a directory, but the change needs a file.
    #[error("is a directory")]
    IsDirectory,
    /// A parent of the path is not a directory.
    #[error("has a parent that is not a directory")]
    NotADirectory,
    /// The change needs a regular file, or the source of a copy is not a file, link or directory.
    #[error("is {}, which this change does not support", .0.name())]
    NotRegular(Kind),
    /// The operating system denied permission.
    #[error("could not be changed: permission denied while {step} ({fault})")]
    Denied {
        /// The operation that failed, such as `creating the new file`.
        step: &'static str,
        /// The operating system's error.
        fault: SystemError,
    },
    /// Any other system error.
    #[error("could not be changed: {step} failed ({fault})")]
    Io {
        /// The operation that failed, such as `creating the new file`.
        step: &'static str,
        /// The operating system's error.
        fault: SystemError,
    },
    /// The path cannot be accessed.
    #[error("{0}")]
    Access(AccessKind),
}

impl CommitKind {
    pub(crate) fn at(self, path: &WorkspacePath) -> CommitError {
        CommitError { path: path.clone(), why: self, aftermath: Vec::new() }
    }
}

impl From<AccessKind> for CommitKind {
    fn from(kind: AccessKind) -> Self {
        match kind {
            AccessKind::Missing => Self::Missing,
            AccessKind::IsDirectory => Self::IsDirectory,
            AccessKind::NotADirectory => Self::NotADirectory,
            AccessKind::NotRegular(kind) => Self::NotRegular(kind),
            other => Self::Access(other),
        }
    }
}

/// A system error number, with the operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationError {
    pub(crate) errno: Errno,
    pub(crate) step: &'static str,
}

impl OperationError {
    /// Returns a function for `map_err` that adds the operation `step` to an error number.
    pub(crate) fn when(step: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| Self { errno, step }
    }
}

impl From<OperationError> for CommitKind {
    fn from(failed: OperationError) -> Self {
        let OperationError { errno, step } = failed;
        match errno {
            Errno::EXIST => Self::Exists,
            Errno::NOENT => Self::Missing,
            Errno::NOTDIR => Self::NotADirectory,
            Errno::NOTEMPTY => Self::NotEmpty,
            Errno::LOOP | Errno::STALE | Errno::AGAIN => Self::Access(AccessKind::Changed),
            Errno::ACCESS | Errno::PERM => Self::Denied { step, fault: errno.into() },
            other => Self::Io { step, fault: other.into() },
        }
    }
}

fn after(aftermath: &[String]) -> String {
    aftermath.iter().map(|sentence| format!(". {sentence}")).collect()
}
