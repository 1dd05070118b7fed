//! Results of a search for an edit's old text in a file.

use std::ops::Range;

use serde::Serialize;

use super::Step;
use crate::lines::LineRange;

/// A match (hit) of an old text in a file, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The matching range, in byte offsets of the file's text with LF line breaks.
    pub range: Range<usize>,
    /// The new text, adapted to this location in the file.
    pub new: String,
}

/// A difference between the old text and the text that it matches in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// White space at the ends of lines.
    TrailingSpace,
    /// Quotes, dashes or spaces that look alike.
    Punctuation,
    /// A line break at the beginning of the old text that the file does not have.
    LeadingBreak,
    /// A line break at the end of the old text that the file does not have.
    TrailingBreak,
    /// The indentation of the lines.
    Indentation,
    /// Escaped characters in the old text, such as `\"`.
    Escapes,
    /// Line numbers in front of the lines of the old text.
    LineNumbers,
    /// Line numbers in front of the lines of the old and of the new text.
    AllLineNumbers,
    /// The amount of white space between the words of a line.
    InnerSpace,
}

impl Difference {
    /// Names the difference for a reply.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TrailingSpace => "white space at line ends",
            Self::Punctuation => "look-alike quotes, dashes or spaces",
            Self::LeadingBreak => "a leading line break",
            Self::TrailingBreak => "a trailing line break",
            Self::Indentation => "indentation",
            Self::Escapes => "escaped characters",
            Self::LineNumbers | Self::AllLineNumbers => "line numbers",
            Self::InnerSpace => "white space inside lines",
        }
    }
}

/// The matches of an old text in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    /// The matches, in the order of the file and without overlaps; at least one.
    pub hits: Vec<Hit>,
    /// The step of the search that found the matches.
    pub step: Step,
    /// The differences between the old text and the file; empty for [`Step::Exact`].
    pub differences: Vec<Difference>,
    /// The choice of the match, if the edit does not determine it.
    pub choice: Option<Choice>,
}

/// The choice of a match outside the lines that an edit gives (the only match, or the nearest of several), or of the
/// first of several matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The first line of the chosen match, counted from 1.
    pub line: usize,
    /// The lines that the edit gives; `None` if the first match was requested.
    pub near: Option<LineRange>,
    /// The first lines of the other matches, at most five.
    pub others: Vec<usize>,
    /// Number of all matches.
    pub count: usize,
}
