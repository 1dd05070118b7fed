//! Replies to edits: a summary line, the diff with new references, and notes.

use super::references;
use crate::common::edits;
use toolpost_engine::{
    Failure,
    operations::change::{Changed, Output, What},
};
use toolpost_text::counted::counted;
use toolpost_tool::Page;

/// Writes the result for each file.
pub(super) fn render(output: &Output, page: &mut Page) {
    edits::render_with(output, page, summary, |diff| references::all(diff).into());
}

/// Adds references to the lines that a failure shows.
pub(super) fn reword(failure: Failure) -> Failure {
    let found = failure.found.as_deref().map(references::all);
    Failure { found, ..failure }
}

fn summary(file: &Changed) -> String {
    let path = &file.path;
    match &file.what {
        What::Created => {
            format!("Created {path} ({}, {}).", counted(file.lines, "line"), counted(file.bytes, "byte"))
        }
        What::Unchanged => format!("{path} already has exactly this content: no changes."),
        What::Deleted { .. } => format!("Deleted {path} (-{}).", file.removed),
        What::Moved { from } => format!("Moved {from} to {path} (+{} -{}).", file.added, file.removed),
        What::Overwritten { lines_before } => format!(
            "Overwrote {path}: {} -> {} ({}, +{} -{}).",
            counted(*lines_before, "line"),
            counted(file.lines, "line"),
            counted(file.bytes, "byte"),
            file.added,
            file.removed
        ),
        What::Replaced { count } => {
            let places = counted(*count as u64, "change");
            let now = match (file.first_line, file.last_line) {
                (first, last) if first == last => format!("line {first}"),
                (first, last) => format!("lines {first}-{last}"),
            };
            format!(
                "Edited {path}: {places}, now {now} of {} (+{} -{}).",
                file.lines, file.added, file.removed
            )
        }
    }
}
