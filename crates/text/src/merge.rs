//! Merging of partial code: in a snippet, markers replace the unchanged lines.

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
pub use line::{Line, snippet};
pub use pieces::{Piece, apply, splices};
pub use refusal::{Refusal, Why, no_marker};
pub use scope::{Ends, Scope};
pub use whole::{replace_all, resembles};

/// A file into which a snippet is put has fewer lines than this.
pub const LIMIT: usize = 1000;

/// The result of merging a snippet into a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeResult {
    /// The changes, in order.
    pub splices: Vec<Splice>,
    /// The reading of the snippet.
    pub taken: SnippetExtent,
    /// Oddities to report.
    pub notes: Vec<String>,
}

/// The reading of a snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetExtent {
    /// All of the text.
    Whole,
    /// Parts of it.
    Parts,
}

/// Merges a snippet into a text by lines alone.
///
/// With markers, the lines around each must determine one place in the text. Without any,
/// it must resemble the whole text and replaces it. The splices leave every other line unchanged.
///
/// # Errors
///
/// With the first part of the snippet that has no certain place.
pub fn merge(original: &str, text: &str) -> Result<MergeResult, Refusal> {
    let snippet = snippet(text);
    if lf(text) == original {
        return Ok(MergeResult { splices: Vec::new(), taken: SnippetExtent::Parts, notes: Vec::new() });
    }
    let old = bare(original);
    if !snippet.iter().any(|line| line.marker.is_some()) {
        resembles(&old, &snippet)?;
        let splices = replace_all(original, text);
        return Ok(MergeResult { splices, taken: SnippetExtent::Whole, notes: Vec::new() });
    }
    let style = Indent::of(original);
    let snippet = indent::of_file(&old, adapted(&old, snippet, style), style);
    let scope = Scope { old: &old, base: 0, ends: Ends::Open };
    let pieces = place(&scope, &snippet)?;
    no_marker(&old, &pieces, |marker| marker == Marker::Said)?;
    let merged =
        MergeResult { splices: splices(original, &pieces), taken: SnippetExtent::Parts, notes: Vec::new() };
    changes_something(&old, &snippet, &merged)?;
    Ok(merged)
}

/// Refuses a merge that changes nothing although the text differs from the snippet.
///
/// # Errors
///
/// With the first line of the snippet that the text does not have at its place, or before which it has others.
pub fn changes_something(old: &[&str], snippet: &[Line], merged: &MergeResult) -> Result<(), Refusal> {
    match sequence::difference(old, snippet).filter(|_| merged.splices.is_empty()) {
        Some(line) => Err(Refusal::whole(Why::Unchanged { line })),
        None => Ok(()),
    }
}
