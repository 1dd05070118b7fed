//! Sources of candidate files: a segment of the index, or the files whose contents a shared index knows.

use std::io;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::FileStat;

use crate::key::Key;
use crate::pattern::Pattern;
use crate::remote::Answer;

/// A source of candidates: a segment, or a shared index that knows the contents.
pub(crate) trait Answers: Send + Sync {
    /// Returns the files in the order of their keys.
    fn docs(&self) -> &[Doc];
    /// Returns the numbers of the files that are always candidates.
    fn odd(&self) -> &[u32];
    /// Returns the files that may match a pattern, except those that are always candidates.
    fn find(&self, question: &Question<'_>) -> io::Result<Vec<Found>>;
}

/// A pattern, with the answer of the shared index.
pub(crate) struct Question<'q> {
    pub(crate) pattern: &'q Pattern,
    /// None where it was not asked, or could not say.
    pub(crate) answer: Option<&'q Answer>,
}

/// A file of a segment.
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
    /// It holds NUL bytes, and is not searched.
    Binary,
    /// Anything that a search reads by rules of its own: it has to be looked at each time.
    Odd,
}

/// A file that may hold a match.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its number.
    pub(crate) doc: u32,
    /// The possibly matching parts; empty if they are unknown.
    pub(crate) parts: Vec<Lines>,
}

/// Consecutive whole lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Their byte range.
    pub bytes: Range<u32>,
    /// The number of lines before them; `None` if it is unknown, or if the first or last line of the file matters to
    /// the pattern.
    pub before: Option<u32>,
}
