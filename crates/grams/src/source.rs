//! Sources of candidate files: a segment of the index, or the files whose contents a shared index knows.

use std::io;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::FileStat;

use crate::key::Key;
use crate::pattern::Pattern;
use crate::remote::Answer;

/// What answers for some files: a segment of the index, or a server that knows their contents.
pub(crate) trait Answers: Send + Sync {
    /// Gives the files, in the order of their keys.
    fn docs(&self) -> &[Doc];
    /// Gives the numbers of the files that are candidates whatever is looked for.
    fn odd(&self) -> &[u32];
    /// Finds the files in which a pattern may match; what is odd is not among them.
    fn find(&self, question: &Question<'_>) -> io::Result<Vec<Found>>;
}

/// What is looked for, and what the server said of it.
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

/// What kind of content a file has.
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
    /// Where in it a match may be; empty if that is not known.
    pub(crate) parts: Vec<Lines>,
}

/// Some whole lines of a file, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Where they are.
    pub bytes: Range<u32>,
    /// How many lines of the file come before them; none if that is not known, or where it matters which lines are the first
    /// or the last of the file.
    pub before: Option<u32>,
}
