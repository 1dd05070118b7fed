//! Cached outlines, by the path and the content of their files.

use super::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use toolpost_workspace::ContentHash;

/// Maximum number of cached outlines, and of their entries together.
const OUTLINES: usize = 64;
const ENTRIES: usize = 20_000;

/// The outline of a content of a file.
pub(crate) struct Cached {
    pub(super) language: &'static str,
    pub(super) entries: Vec<Entry>,
    /// Number of places that the parser did not understand.
    pub(super) errors: usize,
}

/// The most recently used outlines, the latest last.
#[derive(Default)]
pub(crate) struct OutlineCache(Mutex<Vec<(String, ContentHash, Arc<Cached>)>>);

impl OutlineCache {
    /// Returns the outline of a file with a content, if it is cached.
    pub(super) fn get(&self, path: &str, hash: ContentHash) -> Option<Arc<Cached>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(known, content, _)| known == path && *content == hash)?;
        let found = all.remove(at);
        let outline = found.2.clone();
        all.push(found);
        Some(outline)
    }

    /// Adds the outline of a file in place of the one of its previous content, and drops the least recently used
    /// ones.
    pub(super) fn put(&self, path: &str, hash: ContentHash, outline: Arc<Cached>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, ..)| known != path);
        all.push((path.to_owned(), hash, outline));
        let mut entries: usize = all.iter().map(|(.., outline)| outline.entries.len()).sum();
        while all.len() > OUTLINES || entries > ENTRIES && all.len() > 1 {
            entries -= all.remove(0).2.entries.len();
        }
    }

    /// Returns the number of cached outlines.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
