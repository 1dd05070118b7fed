//! Results of a search for an old text.

use std::ops::Range;

use serde::Serialize;

use super::Step;

/// A part of the view and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The range, in offsets of the view.
    pub range: Range<usize>,
    /// The new text, fitted to the place.
    pub new: String,
}

/// A difference between the old text and the file.
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
    /// In the amount of white space between words.
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
pub struct Matches {
    /// The hits, in order and apart from one another; at least one.
    pub hits: Vec<Hit>,
    /// The step that found them.
    pub step: Step,
    /// The differences between the old text and the file; empty for [`Step::Exact`].
    pub differences: Vec<Difference>,
}
