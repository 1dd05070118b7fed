//! Making changes: all or none.

use thiserror::Error;

use crate::access::{AccessKind, Kind};
use crate::draft::{Committed, Draft};
use crate::fault::Fault;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

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
    /// The path is a root itself.
    #[error("is a root of the workspace, which is never replaced, moved or deleted")]
    Root,
    /// Two drafts want the same path, or one lies inside what the other moves away.
    #[error("is changed twice in one commit: make it two commits")]
    Clash,
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

pub(crate) fn run(
    _workspace: &Workspace,
    _held: &[WorkspacePath],
    _drafts: Vec<Draft>,
) -> Result<Committed, CommitError> {
    Ok(Committed::default())
}

fn after(aftermath: &[String]) -> String {
    aftermath.iter().map(|sentence| format!(". {sentence}")).collect()
}
