//! The lines of a file that a snippet is merged into, and the parts of the snippet.

use super::Line;

/// Some lines of a file into which a snippet goes.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The lines.
    pub old: &'a [&'a str],
    /// How many lines of the file are before them.
    pub base: usize,
    /// How the ends of the snippet lie to those of the lines.
    pub ends: Ends,
}

/// How the ends of a snippet lie to those of the lines that it goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// It may begin and end anywhere.
    Open,
    /// Where it has no marker at an end, the ends are the same.
    Fixed,
}

/// A part of a snippet between two markers.
pub(super) struct Segment<'a> {
    pub(super) lines: &'a [Line],
    /// The number of lines of the snippet before it.
    pub(super) at: usize,
    /// The marker before it.
    pub(super) before: Option<&'a Line>,
    /// The marker after it.
    pub(super) after: Option<&'a Line>,
}
