//! Files that nobody else changes for a while.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::commit::{CommitError, ReadOnly};
use crate::draft::{Cause, Committed, Draft, Note};
use crate::fault::Fault;
use crate::locks::{Key, Locks, NotLocked};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// The right to change some paths, against this process and all others that share the state directory.
#[derive(Debug)]
pub struct Hold {
    workspace: Workspace,
    paths: Vec<WorkspacePath>,
    notes: Vec<Note>,
    _locks: Locks,
}

/// Why paths could not be held.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HoldError {
    /// Another call or process held one of them all the time.
    #[error("{path} is being changed by another call or process: waited {} ms, try again", .waited.as_millis())]
    Busy {
        /// The path.
        path: WorkspacePath,
        /// How long was waited.
        waited: Duration,
    },
    /// Each lock takes a descriptor, and the system gives no more.
    #[error(
        "{count} files cannot be changed at once, because too many files are open ({fault}): change fewer at a time, or raise the limit of open files"
    )]
    TooMany {
        /// How many were to be held.
        count: usize,
        /// What the system said.
        fault: Fault,
    },
}

impl Workspace {
    /// Takes the locks of all these paths, waiting at most `wait` for others to let go.
    pub fn hold(&self, paths: &[WorkspacePath], wait: Duration) -> Result<Hold, HoldError> {
        let started = Instant::now();
        let keys: Vec<Key> = paths.iter().map(Key::of).collect();
        let locks = Locks::take(&keys, self.state(), started + wait).map_err(|why| match why {
            NotLocked::Held(position) => {
                HoldError::Busy { path: paths[position].clone(), waited: started.elapsed() }
            }
            NotLocked::TooMany(fault) => HoldError::TooMany { count: paths.len(), fault },
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
    /// Returns what should be told about the locks themselves.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns what is held.
    pub fn paths(&self) -> &[WorkspacePath] {
        &self.paths
    }

    /// Makes all changes, or none; the history knows who made them.
    pub fn commit(&self, drafts: Vec<Draft>, cause: &Cause) -> Result<Committed, CommitError> {
        self.commit_with(drafts, cause, ReadOnly::Stays)
    }

    pub(crate) fn commit_with(
        &self,
        drafts: Vec<Draft>,
        cause: &Cause,
        read_only: ReadOnly,
    ) -> Result<Committed, CommitError> {
        crate::commit::run(&self.workspace, &self.paths, drafts, cause, read_only)
    }
}
