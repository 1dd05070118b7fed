//! Answers of a watch: the paths that may have changed, or the reason why they are not known.

use std::collections::BTreeSet;

use crate::fault::Fault;
use crate::path::WorkspacePath;

/// What may have changed since it was last asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing has.
    Nothing,
    /// These have, in order; of a directory that is named, all that lies below may have, and may be gone.
    Paths(Vec<WorkspacePath>),
    /// Anything may have: everything has to be looked at again, after this was said.
    Unknown(Unsure),
}

/// Why it is not known what changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsure {
    /// More happened than the system keeps.
    #[error("more happened at once than the system keeps")]
    Overflow,
    /// What a walk enters is no longer what it was.
    #[error("the ignore rules changed at {0}")]
    Rules(String),
    /// A root, or what is mounted below it, is no longer what it was.
    #[error("a root, or what is mounted in it, was moved or removed")]
    Moved,
    /// There are too many directories.
    #[error(
        "there are more directories than can be watched (fs.inotify.max_user_watches limits them for all programs)"
    )]
    TooMany,
    /// What lies on another machine changes unseen.
    #[error("{0} lies on a file system ({1}) that does not tell of changes by others")]
    Elsewhere(String, String),
    /// The system has nothing to watch with.
    #[error("this system has no watching that is known here")]
    NoWatching,
    /// The system refused.
    #[error("directories cannot be watched: {0}")]
    Refused(Fault),
}

impl Unsure {
    /// Says whether it stays so, however often it is asked; otherwise the watching began anew.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Self::Overflow | Self::Rules(_) | Self::Moved)
    }
}

/// Leaves out what lies below another path that is named.
pub(super) fn without_inner(paths: BTreeSet<WorkspacePath>) -> Vec<WorkspacePath> {
    let mut kept: Vec<WorkspacePath> = Vec::with_capacity(paths.len());
    for path in paths {
        if !kept.last().is_some_and(|last| last.contains(&path)) {
            kept.push(path);
        }
    }
    kept
}
