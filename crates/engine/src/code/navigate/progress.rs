//! Progress of the background requests to language servers.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};
use toolpost_index::Doubts;
use toolpost_workspace::ContentHash;

/// How many contents of files are remembered whose calls were asked about.
const REMEMBERED: usize = 50_000;

/// Which servers are being asked beside all else.
#[derive(Debug, Default)]
pub(crate) struct Upgrades {
    running: Mutex<HashSet<usize>>,
    /// Of which contents of files every call was asked about.
    asked: Mutex<HashSet<(String, ContentHash)>>,
}

impl Upgrades {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that all calls of a content are asked about; tells whether that is new.
    pub(super) fn ask(&self, doubt: &Doubts) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= REMEMBERED {
            asked.clear();
        }
        asked.insert((doubt.path.clone(), doubt.hash))
    }
}
