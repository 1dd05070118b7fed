//! Replies to edits: a summary line, the diff with new references, and notes.

use super::references;
use crate::common::edits;
use toolpost_engine::{
    Failure,
    operations::change::{ChangedFile, EditKind, Output},
};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Writes the reply to an edit: for each file a summary line, the diff with line references, and notes.
pub(super) fn render(output: &Output, page: &mut Page) {
    edits::render_with(output, page, summary, |diff| references::all(diff).into());
}

/// Adds line references (`42:ab`: number and hash) to the lines that a failure shows.
pub(super) fn reword(failure: Failure) -> Failure {
    let found = failure.found.as_deref().map(references::all);
    Failure { found, ..failure }
}

fn summary(file: &ChangedFile) -> String {
    let path = &file.path;
    match &file.what {
        EditKind::Created => {
            format!("Created {path} ({}, {}).", counted(file.lines, "line"), counted(file.bytes, "byte"))
        }
        EditKind::Unchanged => format!("{path} already has exactly this content: no changes."),
        EditKind::Deleted { .. } => format!("Deleted {path} (-{}).", file.removed),
        EditKind::Moved { from } => format!("Moved {from} to {path} (+{} -{}).", file.added, file.removed),
        EditKind::Overwritten { lines_before } => format!(
            "Overwrote {path}: {} -> {} ({}, +{} -{}).",
            counted(*lines_before, "line"),
            counted(file.lines, "line"),
            counted(file.bytes, "byte"),
            file.added,
            file.removed
        ),
        EditKind::Replaced { count } => {
            let places = counted(*count as u64, "change");
            let now = match (file.first_line, file.last_line) {
                (first, last) if first == last => format!("line {first}"),
                (first, last) => format!("lines {first}-{last}"),
            };
            format!(
                "Edited {path}: {places} (+{} -{}); the edited part is now {now} of {}.",
                file.added, file.removed, file.lines
            )
        }
    }
}
