//! Partial code put into a file: a snippet in which markers stand for what stays.

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

/// How a snippet goes into a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// What changes, in order; everything else stays.
    pub splices: Vec<Splice>,
    /// What the snippet was taken for.
    pub taken: Taken,
    /// What is odd about it.
    pub notes: Vec<String>,
}

/// What a snippet was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// All of the text.
    Whole,
    /// Parts of it.
    Parts,
}

/// Works out how a snippet goes into a text of which nothing is known but its lines.
///
/// Where the snippet has markers, the lines around each must stand in the text so that one place is meant; without any,
/// it must resemble all of the text and then replaces it. The splices leave every other line as it is.
///
/// # Errors
///
/// With the first part of the snippet that has no certain place.
pub fn merge(original: &str, text: &str) -> Result<Merged, Refusal> {
    let snippet = snippet(text);
    if lf(text) == original {
        return Ok(Merged { splices: Vec::new(), taken: Taken::Parts, notes: Vec::new() });
    }
    let old = bare(original);
    if !snippet.iter().any(|line| line.marker.is_some()) {
        resembles(&old, &snippet)?;
        let splices = replace_all(original, text);
        return Ok(Merged { splices, taken: Taken::Whole, notes: Vec::new() });
    }
    let style = Indent::of(original);
    let snippet = indent::of_file(&old, adapted(&old, snippet, style), style);
    let scope = Scope { old: &old, base: 0, ends: Ends::Open };
    let pieces = place(&scope, &snippet)?;
    no_marker(&old, &pieces, |marker| marker == Marker::Said)?;
    let merged = Merged { splices: splices(original, &pieces), taken: Taken::Parts, notes: Vec::new() };
    changes_something(&old, &snippet, &merged)?;
    Ok(merged)
}

/// Refuses a merge that changes nothing, although the text is not what the snippet shows.
///
/// # Errors
///
/// With the first line of the snippet that the text does not have at its place, or before which it has others.
pub fn changes_something(old: &[&str], snippet: &[Line], merged: &Merged) -> Result<(), Refusal> {
    match sequence::difference(old, snippet).filter(|_| merged.splices.is_empty()) {
        Some(line) => Err(Refusal::whole(Why::Unchanged { line })),
        None => Ok(()),
    }
}
