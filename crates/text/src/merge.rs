//! Merging of partial code: in a snippet, markers such as `// ... existing code ...` replace the unchanged lines.

mod anchor;
mod edge;
mod entry;
mod heading;
mod indent;
mod line;
mod loss;
mod pieces;
mod refusal;
mod repeat;
mod scope;
mod sequence;
mod whole;

pub use crate::omission::{Marker, marker};

use crate::encoding::{Indent, Splice};
use crate::lines::{bare, lf};

pub use anchor::place;
pub use indent::{adapted, fit};
pub use line::{Line, literal_dots, snippet};
pub use pieces::{LineReplacement, apply, splices};
pub use refusal::{Refusal, RefusalReason, no_marker};
pub use scope::{Scope, ScopeAnchors};
pub use whole::{replace_all, resembles};

/// Number of lines at which a file becomes too long to merge a snippet (partial code) into it.
pub const LIMIT: usize = 1000;

/// The result of merging a snippet (partial code) into a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeResult {
    /// The changes to the text, in order.
    pub splices: Vec<Splice>,
    /// Extent of the text that the snippet represents: all of it, or only parts.
    pub taken: SnippetExtent,
    /// Notes about the merge for the reply.
    pub notes: Vec<String>,
}

/// Extent of a text that a snippet (partial code) represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetExtent {
    /// The snippet represents all of the text.
    Whole,
    /// The snippet represents only parts of the text.
    Parts,
}

/// Merges a snippet (partial code) into a text by comparing lines.
///
/// If the snippet has markers for unchanged code, the lines around each marker must determine one location in
/// the text. A snippet without markers must resemble the whole text and replaces it. The resulting changes
/// leave every other line unchanged.
///
/// # Errors
///
/// If a part of the snippet has no certain location (the error names the first such part), if a snippet without
/// markers does not resemble the text, if a marker would remain, or if nothing would change although the snippet
/// differs from the text.
pub fn merge(original: &str, text: &str) -> Result<MergeResult, Refusal> {
    if lf(text) == original {
        return Ok(MergeResult { splices: Vec::new(), taken: SnippetExtent::Parts, notes: Vec::new() });
    }
    let old = bare(original);
    let snippet = literal_dots(&old, snippet(text));
    if !snippet.iter().any(|line| line.marker.is_some()) {
        let notes = resembles(&old, &snippet)?;
        let splices = replace_all(original, text);
        return Ok(MergeResult { splices, taken: SnippetExtent::Whole, notes });
    }
    let style = Indent::of(original);
    let snippet = indent::of_file(&old, adapted(&old, snippet, style), style);
    let scope = Scope { old: &old, base: 0, ends: ScopeAnchors::Open, file: &old };
    let pieces = place(&scope, &snippet)?;
    no_marker(&old, &pieces, |marker| marker == Marker::Said)?;
    let merged =
        MergeResult { splices: splices(original, &pieces), taken: SnippetExtent::Parts, notes: Vec::new() };
    changes_something(&old, &snippet, &merged)?;
    Ok(merged)
}

/// Refuses a merge that would change nothing although the text differs from the snippet.
///
/// # Errors
///
/// If the text lacks a line of the snippet, or has lines before it that the snippet lacks; the error names
/// the first such line.
pub fn changes_something(old: &[&str], snippet: &[Line], merged: &MergeResult) -> Result<(), Refusal> {
    match sequence::difference(old, snippet).filter(|_| merged.splices.is_empty()) {
        Some(line) => Err(Refusal::whole(RefusalReason::Unchanged { line })),
        None => Ok(()),
    }
}
