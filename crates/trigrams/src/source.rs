//! Sources of candidate files: segments of the local index, and the files whose contents are in the shared
//! index.

use std::io;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::FileStat;

use crate::key::Key;
use crate::pattern::Pattern;
use crate::remote::Answer;

/// A source that selects, from the files in it, those that may match a pattern (candidates).
pub(crate) trait Answers: Send + Sync {
    /// Returns the files in the order of their keys.
    fn docs(&self) -> &[Doc];
    /// Returns the indexes, in `docs`, of the files that are candidates for every search.
    fn odd(&self) -> &[u32];
    /// Returns the files that may match a pattern, except those that are always candidates.
    fn find(&self, question: &Question<'_>) -> io::Result<Vec<CandidateDoc>>;
}

/// A pattern, with the answer of the shared index to it.
pub(crate) struct Question<'q> {
    pub(crate) pattern: &'q Pattern,
    /// The answer of the shared index; `None` if it was not queried or did not respond.
    pub(crate) answer: Option<&'q Answer>,
}

/// A file in a source of candidates.
#[derive(Debug, Clone)]
pub(crate) struct Doc {
    pub(crate) key: Key,
    pub(crate) stat: FileStat,
    pub(crate) form: Form,
}

/// The kind of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Text whose trigrams are known.
    Text,
    /// Content with NUL bytes, which is not searched.
    Binary,
    /// Any other content, such as UTF-16 or very long lines. Each search reads it.
    Odd,
}

/// A file that may match a pattern.
#[derive(Clone, Debug)]
pub(crate) struct CandidateDoc {
    /// The number of the file in its source.
    pub(crate) doc: u32,
    /// The parts in which a match is possible; empty if they are unknown.
    pub(crate) parts: Vec<Lines>,
}

/// Consecutive whole lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Byte range in the file.
    pub bytes: Range<u32>,
    /// The number of lines before this range. `None` if a match in the range requires a search of the whole file:
    /// the number is unknown, or the pattern refers to the start or end of the text.
    pub before: Option<u32>,
}
