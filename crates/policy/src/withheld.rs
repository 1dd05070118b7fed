//! The finder of withheld files (those that the rules deny or ask about) in a searched directory, with a
//! cache of its last answer.

use crate::{decision::Decision, git_index::TrackedFile, rule::Origin};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use toolpost_shell::Search;
use toolpost_workspace::Workspace;

/// The age up to which a cached answer is reused: one approval prompt judges the same command several times, and
/// would otherwise search each time.
pub(crate) const FRESH: Duration = Duration::from_secs(2);

/// Finds withheld files (those that the rules deny or ask about) in a workspace.
#[derive(Clone)]
pub(crate) struct WithheldFinder {
    pub(crate) workspace: Workspace,
    pub(crate) last: Arc<Mutex<Option<WithheldCache>>>,
    /// The withheld files that git tracks, for each repository that was examined.
    pub(crate) tracked: Arc<Mutex<HashMap<PathBuf, TrackedAnswer>>>,
}

/// The withheld files that git tracks in a repository, as long as its index is the same.
#[derive(Clone)]
pub(crate) struct TrackedAnswer {
    /// The time of the last change to the index, and its length.
    pub(crate) stamp: (i128, u64),
    pub(crate) withheld: Arc<Vec<(TrackedFile, WithheldFile)>>,
}

/// The withheld files that the last search found, reused if the next search is the same.
pub(crate) struct WithheldCache {
    pub(crate) at: Instant,
    pub(crate) directory: PathBuf,
    pub(crate) search: Search,
    pub(crate) withheld: Vec<WithheldFile>,
}

/// A file that a command's search would read and that the rules deny or ask about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WithheldFile {
    /// The path of the file; `None` if it is not UTF-8, or if the search stopped because there were too many
    /// entries to examine.
    pub(crate) path: Option<String>,
    pub(crate) decision: Decision,
    pub(crate) why: String,
    pub(crate) rule: Option<Origin>,
}

impl WithheldFinder {
    /// Returns the finder with an empty cache, for a policy with other rules.
    pub(crate) fn renewed(self) -> Self {
        Self { last: Arc::default(), tracked: Arc::default(), ..self }
    }
}

impl std::fmt::Debug for WithheldFinder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("WithheldFinder")
    }
}
