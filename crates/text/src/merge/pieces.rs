//! Pieces: lines of a file with the lines that replace them, and the resulting changes to the text.

use std::ops::Range;

use similar::DiffOp;

use crate::diff;
use crate::encoding::Splice;
use crate::lines::{LineIndex, LineRange, bare};

/// Some lines of a file and their replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineReplacement {
    /// The lines of the file, counted from 0; empty for an insertion.
    pub old: Range<usize>,
    /// The replacement lines, without line breaks.
    pub new: Vec<String>,
}

/// Returns the changes to the text (splices) for pieces that are in order and not adjacent.
///
/// Lines that a piece shares with the replaced lines stay untouched, including trailing white space.
#[must_use]
pub fn splices(original: &str, pieces: &[LineReplacement]) -> Vec<Splice> {
    between(original, pieces, Compare::WithoutEnd)
}

/// Returns the changes (splices) that turn the lines `old` into the lines `new`.
pub(super) fn exact(original: &str, old: &[&str], new: Vec<String>) -> Vec<Splice> {
    between(original, &[LineReplacement { old: 0..old.len(), new }], Compare::Exact)
}

/// Returns a text with changes (splices) applied.
#[must_use]
pub fn apply(original: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(original.len());
    let mut done = 0;
    for splice in splices {
        out.push_str(original.get(done..splice.range.start).unwrap_or_default());
        out.push_str(&splice.new);
        done = splice.range.end;
    }
    out.push_str(original.get(done..).unwrap_or_default());
    out
}

/// The part of a line that is compared.
#[derive(Debug, Clone, Copy)]
enum Compare {
    /// The whole line is compared.
    Exact,
    /// The line is compared without the white space at its end.
    WithoutEnd,
}

impl Compare {
    fn key(self, line: &str) -> &str {
        match self {
            Self::Exact => line,
            Self::WithoutEnd => line.trim_end(),
        }
    }
}

fn between(original: &str, pieces: &[LineReplacement], compare: Compare) -> Vec<Splice> {
    let old = bare(original);
    let index = LineIndex::new(original);
    let mut out = Vec::new();
    for piece in pieces {
        let Some(lines) = old.get(piece.old.clone()) else { continue };
        for (was, now) in changes(lines, &piece.new, compare) {
            let was = was.start + piece.old.start..was.end + piece.old.start;
            if let Some(splice) = splice(original, &index, &was, &piece.new[now]) {
                out.push(splice);
            }
        }
    }
    out
}

/// Finds the ranges of lines that differ, in the old and the new lines.
fn changes(old: &[&str], new: &[String], compare: Compare) -> Vec<(Range<usize>, Range<usize>)> {
    let old: Vec<&str> = old.iter().map(|line| compare.key(line)).collect();
    let new: Vec<&str> = new.iter().map(|line| compare.key(line)).collect();
    let ops = diff::changes(&old, &new).into_iter();
    let differ = ops.filter(|op| !matches!(op, DiffOp::Equal { .. }));
    differ.map(|op| (op.old_range(), op.new_range())).collect()
}

/// Builds the change that replaces whole lines of a text. If the text has no line break at its end, the new
/// text has none either.
fn splice(original: &str, index: &LineIndex, was: &Range<usize>, now: &[String]) -> Option<Splice> {
    let mut new: String = now.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    let open_end = !original.is_empty() && !original.ends_with('\n');
    let count = index.count();
    if was.is_empty() {
        let at = index.start(was.start + 1).unwrap_or(original.len());
        if at == original.len() && open_end {
            new.pop();
            new.insert(0, '\n');
        }
        return Some(Splice { range: at..at, new });
    }
    let mut range = index.span(LineRange { first: was.start + 1, last: was.end })?;
    if was.end == count && open_end {
        new.pop();
        if now.is_empty() && range.start > 0 {
            range.start -= 1; // the line break before the last line is removed too
        }
    }
    Some(Splice { range, new })
}
