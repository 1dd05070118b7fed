//! Options of a search for an old text.

use serde::Serialize;

use crate::lines::LineRange;

/// A step of a search for an old text. Each step accepts certain differences between the old text and the
/// file; later steps accept larger ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// No differences: the texts are equal character by character.
    Exact,
    /// White space at the ends of lines, look-alike Unicode punctuation, and a line break at either end of
    /// the file may differ.
    Folded,
    /// The indentation of whole lines may differ, if it differs consistently.
    Reindented,
    /// The old text may have escapes or line numbers that the file does not have.
    Unescaped,
    /// Like [`Step::Reindented`], but the amount of white space between words may differ too.
    Spaced,
}

/// The number of matches that an edit requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchCount {
    /// Exactly one match.
    One,
    /// The first match, even if there are others.
    First,
    /// All matches; the steps after [`Step::Folded`] still require exactly one.
    Every,
}

/// Options of a search for an old text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchOptions {
    /// The last step that the search tries.
    pub upto: Step,
    /// The number of matches that the edit requests.
    pub want: MatchCount,
    /// The lines near which a single match is expected. Of several matches, the nearest one within 40 lines is used,
    /// unless two are equally near.
    pub near: Option<LineRange>,
    /// Offset in the searched text at which the search starts; earlier matches are ignored. `None` for its beginning.
    pub start: Option<usize>,
}

impl MatchOptions {
    /// Requests exactly one match, and tries the steps up to `upto`.
    #[must_use]
    pub fn one(upto: Step) -> Self {
        Self { upto, want: MatchCount::One, near: None, start: None }
    }

    /// Requests all matches, and tries the steps up to `upto`.
    #[must_use]
    pub fn every(upto: Step) -> Self {
        Self { want: MatchCount::Every, ..Self::one(upto) }
    }
}
