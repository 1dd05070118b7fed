//! State of the background requests to language servers.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};
use toolpost_symbols::UnresolvedNames;
use toolpost_workspace::ContentHash;

/// Maximum number of file versions that are remembered as sent to a language server. When it is reached, all are
/// forgotten.
const REMEMBERED: usize = 50_000;

/// The language servers that are answering requests in the background, and the files whose ambiguous
/// function calls were sent to them.
#[derive(Debug, Default)]
pub(crate) struct Upgrades {
    running: Mutex<HashSet<usize>>,
    /// The path and the content hash of each file whose ambiguous calls were sent, or are being sent.
    asked: Mutex<HashSet<(String, ContentHash)>>,
}

impl Upgrades {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that all ambiguous calls in a version of a file are being sent. Returns false if they were
    /// sent before.
    pub(super) fn ask(&self, doubt: &UnresolvedNames) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= REMEMBERED {
            asked.clear();
        }
        asked.insert((doubt.path.clone(), doubt.hash))
    }
}
