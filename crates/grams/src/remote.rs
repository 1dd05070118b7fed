//! The interface of a shared index of contents on another machine.

use std::collections::HashMap;
use std::ops::Range;

use toolpost_workspace::ContentHash;

use crate::pattern::Pattern;

/// An index of contents that many machines query.
///
/// Only its negative answers are trusted; the contents that it reports are searched on disk.
pub trait Shared: Send + Sync {
    /// Returns, for each of some contents, whether it is known.
    ///
    /// # Errors
    /// If there is no answer.
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost>;

    /// Returns the known contents that may match a pattern; `None` if that would take too long.
    ///
    /// # Errors
    /// If there is no answer.
    fn find(&self, pattern: &Pattern) -> Result<Option<Answer>, Lost>;
}

/// The version of a shared index at the time of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The number of removals; after each, previously known contents may be unknown.
    pub forgotten: u64,
    /// The number of additions.
    pub learnt: u64,
}

impl State {
    /// Returns whether everything that was known in another state is known in this one.
    pub(crate) fn holds(self, other: Self) -> bool {
        self.forgotten == other.forgotten && self.learnt >= other.learnt
    }
}

/// The known ones among some contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knows {
    /// The version at the time of the answer.
    pub state: State,
    /// One for each content that was asked about.
    pub known: Vec<bool>,
}

/// The contents that may match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The version at the time of the answer; it may be later than that of the lookup.
    pub state: State,
    /// Each content, with where in it a match may be, as whole lines.
    pub contents: HashMap<ContentHash, Vec<Range<u32>>>,
}

/// The reason for a missing answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);
