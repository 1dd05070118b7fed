//! Errors for a hunk of a patch that does not fit the file.

use crate::lines::LineRange;
use crate::matching::{ClosestLines, MatchLocation};

/// A hunk of a patch that does not fit the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkError {
    /// Number of the hunk among the hunks for this file, counted from 1.
    pub hunk: usize,
    /// Number of hunks for this file.
    pub of: usize,
    /// Line number in the patch text at which the hunk begins, counted from 1.
    pub at: usize,
    /// The reason why the hunk does not fit.
    pub trouble: HunkProblem,
}

/// A reason why a hunk does not fit a file. Lines of the file are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkProblem {
    /// The line after `@@` is not in the file, or not after the previous hunk.
    Scope {
        /// The line after `@@`.
        scope: String,
        /// If the file has this line before the end of the previous hunk: its number.
        before: Option<usize>,
        /// The lines of the file that are most similar to the line after `@@`.
        closest: Option<Box<ClosestLines>>,
    },
    /// The old lines of the hunk are not in the file, or not after the previous hunk. Or they have other indentations
    /// in the file, to which the new lines cannot be adapted.
    Lines {
        /// The old lines of the hunk: context and removed lines.
        old: String,
        /// If the file has these lines before the end of the previous hunk: the number of the first.
        before: Option<usize>,
        /// The location of the new lines, if the file already contains them.
        already: Option<LineRange>,
        /// The lines of the file that are most similar to the old lines.
        closest: Option<Box<ClosestLines>>,
    },
    /// The old lines of the hunk match at several locations, and the patch does not determine which one it means.
    Ambiguous {
        /// Number of locations.
        count: usize,
        /// The first few locations.
        places: Vec<MatchLocation>,
        /// The line number in the hunk's header, counted from 1; `None` if the header has none, or it does not matter
        /// for this refusal.
        header: Option<usize>,
    },
    /// The hunk has only new lines, and the line numbers in its header do not determine their location.
    Place {
        /// First old line, according to the header.
        line: usize,
        /// Number of old lines, according to the header.
        count: usize,
        /// Number of lines that the file has.
        lines: usize,
    },
    /// The file is too long and too repetitive to search it for the lines of all hunks.
    TooMuch,
}
