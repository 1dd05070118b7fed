//! Errors of commits.

use rustix::io::Errno;
use thiserror::Error;

use crate::access::{AccessKind, Kind};
use crate::fault::Fault;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// A failed commit. Nothing has changed unless `aftermath` says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {why}{}", after(.aftermath))]
pub struct CommitError {
    /// Path that caused the failure.
    pub path: WorkspacePath,
    /// The reason.
    pub why: CommitKind,
    /// Steps that could not be reverted, one sentence each.
    pub aftermath: Vec<String>,
}

/// Reasons for a failed commit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommitKind {
    /// The path is not held.
    #[error("is not held: hold it first")]
    NotHeld,
    /// The path is in an external root.
    #[error("is outside the workspace and read-only")]
    External,
    /// The path is a root itself.
    #[error("is a root of the workspace, which is never replaced, moved or deleted")]
    Root,
    /// Two drafts change the same path, or one is inside an entry that another moves away.
    #[error("is changed twice in one commit: use two commits")]
    Clash,
    /// A directory would be copied into itself.
    #[error("is inside the directory to copy: choose a target outside it")]
    IntoItself,
    /// The file does not exist.
    #[error("does not exist")]
    Missing,
    /// The path exists already.
    #[error("exists already")]
    Exists,
    /// The content is not the one that the caller has seen.
    #[error("has changed since it was read (now {found}): read it again")]
    Changed {
        /// Hash of the current content.
        found: ContentHash,
    },
    /// The owner has no write permission.
    #[error("is read-only: make it writable first if it should change")]
    ReadOnly,
    /// A directory or link cannot be moved to another file system.
    #[error(
        "is on another file system than {to}, so it cannot be moved in one step: copy it there, then delete it here"
    )]
    OtherDisk {
        /// Target path.
        to: String,
    },
    /// The directory is not empty.
    #[error("is a directory that is not empty")]
    NotEmpty,
    /// The path is a directory.
    #[error("is a directory")]
    IsDirectory,
    /// A parent of the path is not a directory.
    #[error("is below a file")]
    NotADirectory,
    /// The path is a pipe, a socket, a device or a link.
    #[error("is {}, which cannot be replaced", .0.name())]
    NotRegular(Kind),
    /// Permission denied.
    #[error("permission denied ({fault}) {step}")]
    Denied {
        /// Operation in progress.
        step: &'static str,
        /// The operating system's error.
        fault: Fault,
    },
    /// Any other system error.
    #[error("{fault} {step}")]
    Io {
        /// Operation in progress.
        step: &'static str,
        /// The operating system's error.
        fault: Fault,
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

/// An error number with the operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationError {
    pub(crate) errno: Errno,
    pub(crate) step: &'static str,
}

impl OperationError {
    /// Returns a conversion for `map_err`.
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
