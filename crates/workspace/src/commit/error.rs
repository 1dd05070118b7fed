//! Why a commit did not happen.

use rustix::io::Errno;
use thiserror::Error;

use crate::access::{AccessKind, Kind};
use crate::fault::Fault;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// Why a commit did not happen; nothing has changed unless `aftermath` says so.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {why}{}", after(.aftermath))]
pub struct CommitError {
    /// The path that stood in the way.
    pub path: WorkspacePath,
    /// The reason.
    pub why: CommitKind,
    /// What could not be taken back, a sentence each; empty if all is as it was.
    pub aftermath: Vec<String>,
}

/// The reason why a commit did not happen.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommitKind {
    /// The path is not among those held.
    #[error("is not held: hold it first")]
    NotHeld,
    /// It lies aside of the roots.
    #[error("is not of the workspace, and is only read")]
    Aside,
    /// The path is a root itself.
    #[error("is a root of the workspace, which is never replaced, moved or deleted")]
    Root,
    /// Two drafts want the same path, or one lies inside what the other moves away.
    #[error("is changed twice in one commit: make it two commits")]
    Clash,
    /// A directory would be copied to a place inside of itself.
    #[error("lies inside the directory that is to be copied there: choose a place outside of it")]
    IntoItself,
    /// There is nothing where something must be.
    #[error("does not exist")]
    Missing,
    /// There is something where nothing may be.
    #[error("exists already")]
    Exists,
    /// The content is not what the caller has seen.
    #[error("has changed since it was read (now {found}): read it again")]
    Changed {
        /// The content now.
        found: ContentHash,
    },
    /// Its owner may not write it.
    #[error("is read-only: make it writable first, if it is meant to change")]
    ReadOnly,
    /// A directory or a link would have to be moved to another disk.
    #[error(
        "lies on another disk than {to}, where it cannot be moved in one step: copy it there, then delete it here"
    )]
    OtherDisk {
        /// The new place.
        to: String,
    },
    /// The directory holds something.
    #[error("is a directory that is not empty")]
    NotEmpty,
    /// It is a directory.
    #[error("is a directory")]
    IsDirectory,
    /// Something on the way is not a directory.
    #[error("lies below something that is not a directory")]
    NotADirectory,
    /// It is a pipe, a socket, a device, a link.
    #[error("is {}, which is not replaced", .0.name())]
    NotRegular(Kind),
    /// The system does not permit it.
    #[error("permission denied ({fault}) {step}")]
    Denied {
        /// What was being done.
        step: &'static str,
        /// What the system said.
        fault: Fault,
    },
    /// The system failed.
    #[error("{fault} {step}")]
    Io {
        /// What was being done.
        step: &'static str,
        /// What the system said.
        fault: Fault,
    },
    /// It could not be looked at.
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

/// What the system said, while what was being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) errno: Errno,
    pub(crate) step: &'static str,
}

impl Failed {
    /// Makes the mapping of an error of the system, for `map_err`.
    pub(crate) fn when(step: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| Self { errno, step }
    }
}

impl From<Failed> for CommitKind {
    fn from(failed: Failed) -> Self {
        let Failed { errno, step } = failed;
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
