//! Withheld files that searches have found, and the last answer.

use crate::{decision::Decision, rule::Origin};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use toolpost_shell::Search;
use toolpost_workspace::Workspace;

/// The lifetime of a cached answer: one question judges a command several times.
pub(crate) const FRESH: Duration = Duration::from_secs(2);

/// Finds withheld files in a workspace.
#[derive(Clone)]
pub(crate) struct WithheldFinder {
    pub(crate) workspace: Workspace,
    pub(crate) last: Arc<Mutex<Option<Answer>>>,
}

/// The result of the last search, for the same question again.
pub(crate) struct Answer {
    pub(crate) at: Instant,
    pub(crate) directory: PathBuf,
    pub(crate) search: Search,
    pub(crate) withheld: Vec<Withheld>,
}

/// A file that a search would read and that the rules withhold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Withheld {
    /// The file; `None` if it is unknown, because there were too many names to examine.
    pub(crate) path: Option<String>,
    pub(crate) decision: Decision,
    pub(crate) why: String,
    pub(crate) rule: Option<Origin>,
}

impl WithheldFinder {
    /// Returns a copy for other rules, with an empty cache.
    pub(crate) fn renewed(self) -> Self {
        Self { last: Arc::default(), ..self }
    }
}

impl std::fmt::Debug for WithheldFinder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("WithheldFinder")
    }
}
