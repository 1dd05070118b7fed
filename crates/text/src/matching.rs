//! Where an old text stands in a file, and what exactly the new one is.

mod blocks;
mod closest;
mod differ;
mod find;
mod fold;
mod keep;
mod miss;
mod near;
mod part;
mod reindent;
mod show;
mod unescape;

use std::ops::Range;

use serde::Serialize;

use crate::lines::LineRange;

pub(crate) use blocks::runs;
pub(crate) use closest::closest;
pub(crate) use fold::plain;
pub(crate) use keep::characters;

pub use find::find;
pub use miss::{Closest, Miss, Place};
pub(crate) use reindent::Shift;

/// How far the search may go from the letter.
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
    /// Like the first three, apart from how much white space stands inside of lines.
    Spaced,
}

/// How many hits are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Want {
    /// One and only one.
    One,
    /// The first, whatever follows.
    First,
    /// All of them; at the steps after [`Step::Folded`] there must be one and only one all the same.
    Every,
}

/// What counts as a hit, and which one is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// The last step that is tried.
    pub upto: Step,
    /// How many hits are wanted.
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

/// A part of the view and what to put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Where, in offsets of the view.
    pub range: Range<usize>,
    /// The new text, fitted to the place.
    pub new: String,
}

/// In what the old text differed from the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// In white space at the ends of lines.
    TrailingSpace,
    /// In quotes, dashes or spaces that look alike.
    Punctuation,
    /// In a line break in front.
    LeadingBreak,
    /// In a line break behind.
    TrailingBreak,
    /// In the indentation.
    Indentation,
    /// It was escaped.
    Escapes,
    /// It carried line numbers.
    LineNumbers,
    /// In the amount of white space inside of lines.
    InnerSpace,
}

impl Difference {
    /// Names the difference for a reply.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TrailingSpace => "white space at line ends",
            Self::Punctuation => "look-alike quotes, dashes or spaces",
            Self::LeadingBreak => "a line break in front",
            Self::TrailingBreak => "a line break behind",
            Self::Indentation => "indentation",
            Self::Escapes => "escaped characters",
            Self::LineNumbers => "line numbers",
            Self::InnerSpace => "white space inside of lines",
        }
    }
}

/// The hits of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The hits, in order and apart from one another; at least one.
    pub hits: Vec<Hit>,
    /// The step that found them.
    pub step: Step,
    /// In what the old text differed; empty for [`Step::Exact`].
    pub differences: Vec<Difference>,
}

/// Names in what an old text and the place where it was found differ, apart from indentation.
pub(crate) fn differences(view: &str, old: &str, range: Range<usize>) -> Vec<Difference> {
    differ::all(view, old, &[range])
}
