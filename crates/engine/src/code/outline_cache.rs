//! Entries of an outline, and a cache of outlines by the path and the content of the file.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use toolpost_syntax::Kind;
use toolpost_workspace::ContentHash;

/// Maximum number of cached outlines.
const OUTLINES: usize = 64;
/// Maximum total number of entries in the cached outlines.
const ENTRIES: usize = 20_000;

/// A symbol that a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Entry {
    /// The stable id: `language:path#Outer.inner(kind)`.
    pub id: String,
    /// The unqualified name.
    pub name: String,
    /// The name, qualified by the names of the enclosing symbols.
    pub qualified: String,
    /// The kind, such as `function`.
    #[schemars(with = "String")]
    pub kind: Kind,
    /// The signature, up to the body.
    pub signature: String,
    /// The first line of the documentation, without comment markers.
    pub documentation: Option<String>,
    /// The line of the name, counted from 1.
    pub line: u64,
    /// The first line of the definition, counted from 1; comments and decorators before it are included.
    pub first_line: u64,
    /// The last line of the definition, counted from 1.
    pub last_line: u64,
    /// The index of the enclosing symbol in the list of entries; `None` at the top level, or if the enclosing symbol
    /// is not in the list.
    pub parent: Option<usize>,
    /// Number of members, at all levels, that were left out.
    pub more: usize,
    /// True if another symbol of the file has the same qualified name, so that only the id distinguishes
    /// them.
    pub shares_name: bool,
}

/// The outline of one version of a file.
pub(crate) struct Cached {
    pub(crate) language: &'static str,
    pub(crate) entries: Vec<Entry>,
    /// Number of parse errors.
    pub(crate) errors: usize,
}

/// The most recently used outlines, the latest last.
#[derive(Default)]
pub(crate) struct OutlineCache(Mutex<Vec<(String, ContentHash, Arc<Cached>)>>);

impl OutlineCache {
    /// Returns the cached outline for a path and a content hash.
    pub(crate) fn get(&self, path: &str, hash: ContentHash) -> Option<Arc<Cached>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(known, content, _)| known == path && *content == hash)?;
        let found = all.remove(at);
        let outline = found.2.clone();
        all.push(found);
        Some(outline)
    }

    /// Adds the outline of a file, and replaces the outline of the file's previous content. Drops the least
    /// recently used outlines if a limit is exceeded.
    pub(crate) fn put(&self, path: &str, hash: ContentHash, outline: Arc<Cached>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, ..)| known != path);
        all.push((path.to_owned(), hash, outline));
        let mut entries: usize = all.iter().map(|(.., outline)| outline.entries.len()).sum();
        while all.len() > OUTLINES || entries > ENTRIES && all.len() > 1 {
            entries -= all.remove(0).2.entries.len();
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
