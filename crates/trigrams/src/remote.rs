//! The interface of a shared index of contents on another machine.

use std::collections::HashMap;
use std::ops::Range;

use toolpost_workspace::ContentHash;

use crate::pattern::Pattern;

/// An index of contents that many machines query.
///
/// Only negative answers are trusted. Contents that the shared index reports as matching are still searched on disk.
pub trait SharedIndex: Send + Sync {
    /// Returns, for each of the given contents, whether the shared index has it.
    ///
    /// # Errors
    /// If the shared index does not respond.
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost>;

    /// Returns the contents that may match a pattern; `None` if the query would take too long.
    ///
    /// # Errors
    /// If the shared index does not respond.
    fn find(&self, pattern: &Pattern) -> Result<Option<Answer>, Lost>;
}

/// The version of a shared index at the time of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The number of removals. After a removal, contents that were found before may be missing.
    pub forgotten: u64,
    /// The number of additions of contents to the shared index.
    pub learnt: u64,
}

impl State {
    /// Returns whether everything that the index had in another state is also present in this one.
    pub(crate) fn holds(self, other: Self) -> bool {
        self.forgotten == other.forgotten && self.learnt >= other.learnt
    }
}

/// The result of looking up contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knows {
    /// The version of the shared index when it gave the answer.
    pub state: State,
    /// For each queried content, whether the shared index has it.
    pub known: Vec<bool>,
}

/// The contents that may match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The version of the shared index when it gave the answer; it may be later than that of the lookup of contents.
    pub state: State,
    /// Each content, with the byte ranges of whole lines in which a match is possible.
    pub contents: HashMap<ContentHash, Vec<Range<u32>>>,
}

/// The reason why the shared index did not respond.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);
