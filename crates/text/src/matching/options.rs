//! Options of a search for an old text.

use serde::Serialize;

use crate::lines::LineRange;

/// Tolerance of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Character by character.
    Exact,
    /// Apart from white space at the ends of lines, Unicode punctuation, and a break at either end of the file.
    Folded,
    /// Whole lines, apart from their indentation, if that is shifted consistently.
    Reindented,
    /// After the removal of escapes or line numbers.
    Unescaped,
    /// Like the first three, apart from the amount of white space between words.
    Spaced,
}

/// Number of hits that a search asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Want {
    /// One and only one.
    One,
    /// The first, regardless of others.
    First,
    /// All of them; at the steps after [`Step::Folded`] there must be one and only one all the same.
    Every,
}

/// Options of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// The last step that is tried.
    pub upto: Step,
    /// Number of hits that are wanted.
    pub want: Want,
    /// Of several hits, the one in these lines is meant, else the nearest of the 40 lines around; not for [`Want::Every`].
    pub near: Option<LineRange>,
    /// Only hits from this offset on count.
    pub start: Option<usize>,
}

impl How {
    /// Asks for one hit and goes up to a step.
    #[must_use]
    pub fn one(upto: Step) -> Self {
        Self { upto, want: Want::One, near: None, start: None }
    }

    /// Asks for every hit and goes up to a step.
    #[must_use]
    pub fn every(upto: Step) -> Self {
        Self { want: Want::Every, ..Self::one(upto) }
    }
}
