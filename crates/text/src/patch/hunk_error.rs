//! Errors for a hunk that does not fit a text.

use crate::lines::LineRange;
use crate::matching::Closest;

/// A hunk that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkError {
    /// Number of the hunk in the file, counted from 1.
    pub hunk: usize,
    /// Of how many.
    pub of: usize,
    /// The line of the patch text that it begins on.
    pub at: usize,
    /// The problem.
    pub trouble: HunkProblem,
}

/// A problem with a hunk; lines of the file are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkProblem {
    /// The line behind `@@` is not in the file, or not behind the previous hunk.
    Scope {
        /// The line.
        scope: String,
        /// Its actual line, before the end of the previous hunk.
        before: Option<usize>,
        /// The most similar lines.
        closest: Option<Box<Closest>>,
    },
    /// The old lines are not in the file, or not behind the previous hunk.
    Lines {
        /// The lines.
        old: String,
        /// Their actual line, before the end of the previous hunk.
        before: Option<usize>,
        /// The line at which the new lines already are.
        already: Option<LineRange>,
        /// The most similar lines.
        closest: Option<Box<Closest>>,
    },
    /// There are only new lines, and the line numbers do not determine their place.
    Place {
        /// The line that the numbers name.
        line: usize,
        /// Number of old lines in the header.
        count: usize,
        /// Number of lines of the file.
        lines: usize,
    },
    /// The file is too long and repetitive for the number of hunks.
    TooMuch,
}
