//! Entries of outlines, and cached outlines by the path and the content of their files.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use toolpost_workspace::ContentHash;

/// Maximum number of cached outlines, and of their entries together.
const OUTLINES: usize = 64;
const ENTRIES: usize = 20_000;

/// A symbol that a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Entry {
    /// Its stable id: `language:path#Outer.inner(kind)`.
    pub id: String,
    /// Its unqualified name.
    pub name: String,
    /// Its name, qualified by the names of the enclosing symbols.
    pub qualified: String,
    /// Its kind.
    pub kind: String,
    /// Its signature, up to its body.
    pub signature: String,
    /// The first line of its documentation, without comment markers.
    pub documentation: Option<String>,
    /// The line of its name, counted from 1.
    pub line: u64,
    /// Its first line, counted from 1, with preceding lines that belong to it.
    pub first_line: u64,
    /// Its last line.
    pub last_line: u64,
    /// The index of the enclosing symbol in the list.
    pub parent: Option<usize>,
    /// Number of its members that were left out.
    pub more: usize,
    /// True if another symbol of the file has the same qualified name, so that only the id distinguishes
    /// them.
    pub shares_name: bool,
}

/// The outline of a content of a file.
pub(crate) struct Cached {
    pub(crate) language: &'static str,
    pub(crate) entries: Vec<Entry>,
    /// Number of places that the parser did not understand.
    pub(crate) errors: usize,
}

/// The most recently used outlines, the latest last.
#[derive(Default)]
pub(crate) struct OutlineCache(Mutex<Vec<(String, ContentHash, Arc<Cached>)>>);

impl OutlineCache {
    /// Returns the outline of a file with a content, if it is cached.
    pub(crate) fn get(&self, path: &str, hash: ContentHash) -> Option<Arc<Cached>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(known, content, _)| known == path && *content == hash)?;
        let found = all.remove(at);
        let outline = found.2.clone();
        all.push(found);
        Some(outline)
    }

    /// Adds the outline of a file in place of the one of its previous content, and drops the least recently used
    /// ones.
    pub(crate) fn put(&self, path: &str, hash: ContentHash, outline: Arc<Cached>) {
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
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
