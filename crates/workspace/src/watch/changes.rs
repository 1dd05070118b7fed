//! Changes that a watch on the roots reports: the paths that may have changed, or the reason why they are
//! unknown.

use std::collections::BTreeSet;

use crate::fault::SystemError;
use crate::path::WorkspacePath;

/// Changes to files since the last query of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// No path has changed.
    Nothing,
    /// Sorted paths that may have changed or been removed. A directory includes everything below it.
    Paths(Vec<WorkspacePath>),
    /// Any path may have changed; the caller must scan everything again after this query.
    Unknown(WatchError),
}

/// Reasons why a watch does not know which paths have changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The kernel's queue of inotify events overflowed, or a query found too many paths.
    #[error("too many file system events occurred, so some were lost")]
    Overflow,
    /// The ignore rules changed, so other directories may have to be watched.
    #[error("the ignore rules changed at {0}")]
    Rules(String),
    /// A root, or a mount below it, was moved, removed or added.
    #[error("a root was moved or removed, or a mount in it changed")]
    Moved,
    /// There are more directories than can be watched.
    #[error("there are more directories than can be watched (see fs.inotify.max_user_watches)")]
    TooMany,
    /// A root, or a mount below one, is on a network or FUSE file system, where changes by other machines cause no
    /// events.
    #[error("{0} is on a file system ({1}) that does not report changes by other machines")]
    Elsewhere(String, String),
    /// Watching is not supported on this system.
    #[error("watching is not supported on this system")]
    NoWatching,
    /// A system error prevented watching.
    #[error("directories cannot be watched: {0}")]
    Refused(SystemError),
}

impl WatchError {
    /// Returns whether later queries will return the same error. If not, the watch has been restarted, if possible.
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
