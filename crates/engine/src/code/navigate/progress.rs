//! Progress of the background requests to language servers.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};
use toolpost_index::Doubts;
use toolpost_workspace::ContentHash;

/// Maximum number of remembered file contents whose calls were sent to a server.
const REMEMBERED: usize = 50_000;

/// The servers that are answering requests in the background.
#[derive(Debug, Default)]
pub(crate) struct Upgrades {
    running: Mutex<HashSet<usize>>,
    /// The file contents whose calls were all sent.
    asked: Mutex<HashSet<(String, ContentHash)>>,
}

impl Upgrades {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that all calls of a content are being sent; returns whether that is new.
    pub(super) fn ask(&self, doubt: &Doubts) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= REMEMBERED {
            asked.clear();
        }
        asked.insert((doubt.path.clone(), doubt.hash))
    }
}
