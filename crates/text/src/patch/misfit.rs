//! Why a hunk does not fit a text.

use crate::lines::LineRange;
use crate::matching::Closest;

/// A hunk that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Which hunk of the file, counted from 1.
    pub hunk: usize,
    /// Of how many.
    pub of: usize,
    /// The line of the patch text that it begins on.
    pub at: usize,
    /// What is wrong with it.
    pub trouble: Trouble,
}

/// What is wrong with a hunk; lines of the file are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The line behind `@@` does not stand in the file, or not behind the hunk before.
    Scope {
        /// The line.
        scope: String,
        /// Where it stands instead, before the place that the hunk before has reached.
        before: Option<usize>,
        /// What comes closest.
        closest: Option<Box<Closest>>,
    },
    /// The old lines do not stand in the file, or not behind the hunk before.
    Lines {
        /// The lines.
        old: String,
        /// Where they stand instead, before the place that the hunk before has reached.
        before: Option<usize>,
        /// Where the new lines stand already.
        already: Option<LineRange>,
        /// What comes closest.
        closest: Option<Box<Closest>>,
    },
    /// There are only new lines, and the numbers do not say where they belong.
    Place {
        /// The line that the numbers name.
        line: usize,
        /// How many old lines they promise.
        count: usize,
        /// How many lines the file has.
        lines: usize,
    },
    /// The file is so long and repetitive that so many hunks cannot be placed in it.
    TooMuch,
}
