//! The interface of a shared index of contents, kept by another machine.

use std::collections::HashMap;
use std::ops::Range;

use toolpost_workspace::ContentHash;

use crate::pattern::Pattern;

/// An index of contents that others keep, asked by many machines.
///
/// It is believed only in what a content that it knows does *not* hold; what it names is searched on the disk.
pub trait Shared: Send + Sync {
    /// Says of each of some contents whether it is known.
    ///
    /// # Errors
    /// When nobody answers.
    fn knows(&self, contents: &[ContentHash]) -> Result<Knows, Lost>;

    /// Finds the contents in which a pattern may match, among all that are known; none if it cannot say that quickly.
    ///
    /// # Errors
    /// When nobody answers.
    fn find(&self, pattern: &Pattern) -> Result<Option<Answer>, Lost>;
}

/// In which state a shared index was when it said something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// How often contents were forgotten: what was known before need not be any more.
    pub forgotten: u64,
    /// How often contents were learnt.
    pub learnt: u64,
}

impl State {
    /// Says whether everything that was known in another state was so in this one, too.
    pub(crate) fn holds(self, other: Self) -> bool {
        self.forgotten == other.forgotten && self.learnt >= other.learnt
    }
}

/// Which of some contents are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knows {
    /// The state in which this was so.
    pub state: State,
    /// One for each content that was asked about.
    pub known: Vec<bool>,
}

/// The contents in which a pattern may match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The state in which this was so; it may be later than that in which contents were said to be known.
    pub state: State,
    /// Each content, with where in it a match may be, as whole lines.
    pub contents: HashMap<ContentHash, Vec<Range<u32>>>,
}

/// Unavailable nobody answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);
