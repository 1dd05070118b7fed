//! Scope of a merge (the lines of a file that a snippet is merged into), and the parts of the snippet.

use super::Line;

/// Scope of a merge: the lines of a file into which a snippet (partial code) is merged.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The lines into which the snippet is merged.
    pub old: &'a [&'a str],
    /// Number of lines of the file before these lines.
    pub base: usize,
    /// Required position of the snippet's first and last line in the scope.
    pub ends: ScopeAnchors,
    /// All lines of the file.
    pub file: &'a [&'a str],
}

/// Required position of a snippet's first and last line in the lines to merge into (the scope).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeAnchors {
    /// The snippet may begin and end anywhere in the scope.
    Open,
    /// If the snippet begins without a marker, its beginning is that of the scope; the same applies to the end.
    Fixed,
}

/// A part of a snippet: the lines between two markers.
pub(super) struct Segment<'a> {
    pub(super) lines: &'a [Line],
    /// Number of lines of the snippet before the part.
    pub(super) at: usize,
    /// The marker before the part; `None` if the snippet begins with the part.
    pub(super) before: Option<&'a Line>,
    /// The marker after the part; `None` if the snippet ends with the part.
    pub(super) after: Option<&'a Line>,
}
