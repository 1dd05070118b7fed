//! Results of a query: the paths that may have changed, or the reason why they are unknown.

use std::collections::BTreeSet;

use crate::fault::Fault;
use crate::path::WorkspacePath;

/// Changes since the last query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// No change.
    Nothing,
    /// Sorted paths that may have changed or be gone. A directory stands for everything below it.
    Paths(Vec<WorkspacePath>),
    /// Anything may have changed; the caller must scan everything again after this query.
    Unknown(WatchError),
}

/// Reasons for not knowing the changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The event queue overflowed.
    #[error("more events occurred than the system can queue")]
    Overflow,
    /// The ignore rules changed.
    #[error("the ignore rules changed at {0}")]
    Rules(String),
    /// A root, or a mount below it, changed.
    #[error("a root, or a mount in it, was moved or removed")]
    Moved,
    /// Too many directories.
    #[error("there are more directories than can be watched (see fs.inotify.max_user_watches)")]
    TooMany,
    /// A network file system, whose changes by other machines cause no events.
    #[error("{0} is on a file system ({1}) that does not report changes by other machines")]
    Elsewhere(String, String),
    /// Watching is not supported on this system.
    #[error("watching is not supported on this system")]
    NoWatching,
    /// The operating system's error.
    #[error("directories cannot be watched: {0}")]
    Refused(Fault),
}

impl WatchError {
    /// Returns whether later queries give the same answer; otherwise the watch has been restarted.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Self::Overflow | Self::Rules(_) | Self::Moved)
    }
}

/// Removes paths that are below another path in the set.
pub(super) fn without_inner(paths: BTreeSet<WorkspacePath>) -> Vec<WorkspacePath> {
    let mut kept: Vec<WorkspacePath> = Vec::with_capacity(paths.len());
    for path in paths {
        if !kept.last().is_some_and(|last| last.contains(&path)) {
            kept.push(path);
        }
    }
    kept
}
