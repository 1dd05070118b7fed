//! The lines of a file that a snippet is merged into, and the parts of the snippet.

use super::Line;

/// Some lines of a file into which a snippet goes.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The lines.
    pub old: &'a [&'a str],
    /// Number of lines of the file before them.
    pub base: usize,
    /// Position of the snippet's ends relative to those of the lines.
    pub ends: Ends,
}

/// Position of a snippet's ends relative to those of the lines that it is merged into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// It may begin and end anywhere.
    Open,
    /// An end without a marker is an end of the lines, too.
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
