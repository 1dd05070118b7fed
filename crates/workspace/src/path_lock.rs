//! Path locks: exclusive access to paths while a commit (a set of file changes) is prepared and applied.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::commit::{CommitError, ReadOnly};
use crate::draft::{Cause, CommitReport, Draft, Note};
use crate::fault::SystemError;
use crate::locks::{Key, LockError, Locks};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// Exclusive access to paths, released on drop. Until then, other calls of this process, and other processes with the
/// same state directory, cannot lock the same paths.
#[derive(Debug)]
pub struct PathLock {
    workspace: Workspace,
    paths: Vec<WorkspacePath>,
    notes: Vec<Note>,
    _locks: Locks,
}

/// Errors of acquiring a path lock.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathLockError {
    /// Another call or process held one of the paths during the whole wait.
    #[error("{path} is being changed by another call or process (waited {} ms); try again", .waited.as_millis())]
    Busy {
        /// Path that the other call or process held.
        path: WorkspacePath,
        /// Duration of the wait.
        waited: Duration,
    },
    /// The limit on open files is reached, because each lock needs a file descriptor.
    #[error(
        "{count} files cannot be changed in one call: too many files are open ({fault}). Change fewer at a time, or raise \
         the limit on open files"
    )]
    TooMany {
        /// Number of paths that should have been locked.
        count: usize,
        /// The operating system's error.
        fault: SystemError,
    },
}

impl Workspace {
    /// Locks all paths, waiting at most `wait` for other holders.
    pub fn hold(&self, paths: &[WorkspacePath], wait: Duration) -> Result<PathLock, PathLockError> {
        let started = Instant::now();
        let keys: Vec<Key> = paths.iter().map(Key::of).collect();
        let locks = Locks::take(&keys, self.state(), started + wait).map_err(|why| match why {
            LockError::Held(position) => {
                PathLockError::Busy { path: paths[position].clone(), waited: started.elapsed() }
            }
            LockError::TooMany(fault) => PathLockError::TooMany { count: paths.len(), fault },
        })?;
        let mut notes = Vec::new();
        if self.state().is_none() {
            notes.push(Note::NoState);
        }
        if let Some(fault) = locks.without {
            notes.push(Note::NoLocks { why: fault.to_string() });
        }
        Ok(PathLock { workspace: self.clone(), paths: paths.to_vec(), notes, _locks: locks })
    }
}

impl PathLock {
    /// Returns remarks for the caller, for example that locks between processes are not available.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the locked paths.
    pub fn paths(&self) -> &[WorkspacePath] {
        &self.paths
    }

    /// Applies all drafts (requested file changes), or none of them, and records the change with `cause` in the
    /// history, if there is one.
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
