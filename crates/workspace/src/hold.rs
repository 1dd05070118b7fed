//! Holds: exclusive access to paths for commits.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::commit::{CommitError, ReadOnly};
use crate::draft::{Cause, CommitReport, Draft, Note};
use crate::fault::Fault;
use crate::locks::{Key, LockError, Locks};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// Exclusive access to paths, against this process and all others with the same state directory.
#[derive(Debug)]
pub struct Hold {
    workspace: Workspace,
    paths: Vec<WorkspacePath>,
    notes: Vec<Note>,
    _locks: Locks,
}

/// Errors of acquiring a hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HoldError {
    /// Another call or process held one of the paths during the whole wait.
    #[error("{path} is being changed by another call or process (waited {} ms): try again", .waited.as_millis())]
    Busy {
        /// The path.
        path: WorkspacePath,
        /// Duration of the wait.
        waited: Duration,
    },
    /// Each lock needs a descriptor, and the limit is reached.
    #[error(
        "{count} files cannot be changed at once: too many open files ({fault}). Change fewer at a time, or raise the limit on open files"
    )]
    TooMany {
        /// Number of requested paths.
        count: usize,
        /// The operating system's error.
        fault: Fault,
    },
}

impl Workspace {
    /// Locks all paths, waiting at most `wait` for other holders.
    pub fn hold(&self, paths: &[WorkspacePath], wait: Duration) -> Result<Hold, HoldError> {
        let started = Instant::now();
        let keys: Vec<Key> = paths.iter().map(Key::of).collect();
        let locks = Locks::take(&keys, self.state(), started + wait).map_err(|why| match why {
            LockError::Held(position) => {
                HoldError::Busy { path: paths[position].clone(), waited: started.elapsed() }
            }
            LockError::TooMany(fault) => HoldError::TooMany { count: paths.len(), fault },
        })?;
        let mut notes = Vec::new();
        if self.state().is_none() {
            notes.push(Note::NoState);
        }
        if let Some(fault) = locks.without {
            notes.push(Note::NoLocks { why: fault.to_string() });
        }
        Ok(Hold { workspace: self.clone(), paths: paths.to_vec(), notes, _locks: locks })
    }
}

impl Hold {
    /// Returns remarks about the locks.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the held paths.
    pub fn paths(&self) -> &[WorkspacePath] {
        &self.paths
    }

    /// Applies all drafts, or none, and records `cause` in the history.
    pub fn commit(&self, drafts: Vec<Draft>, cause: &Cause) -> Result<CommitReport, CommitError> {
        self.commit_with(drafts, cause, ReadOnly::Stays)
    }

    pub(crate) fn commit_with(
        &self,
        drafts: Vec<Draft>,
        cause: &Cause,
        read_only: ReadOnly,
    ) -> Result<CommitReport, CommitError> {
        crate::commit::run(&self.workspace, &self.paths, drafts, cause, read_only)
    }
}
