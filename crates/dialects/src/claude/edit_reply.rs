//! Replies to edits: a summary line, the diff, and notes.

use crate::common::edits;
use toolpost_engine::operations::change::{ChangedFile, EditKind, Output};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Writes the reply to an edit: for each file a summary line, the diff and notes.
pub(super) fn render(output: &Output, page: &mut Page) {
    edits::render(output, page, summary);
}

fn summary(file: &ChangedFile) -> String {
    let path = &file.path;
    match &file.what {
        EditKind::Created => {
            format!("Created {path} ({}, {}).", counted(file.lines, "line"), counted(file.bytes, "byte"))
        }
        EditKind::Unchanged => format!("{path} already has exactly this content: no changes."),
        EditKind::Deleted { lines_before } => format!("Deleted {path} ({}).", counted(*lines_before, "line")),
        EditKind::Moved { from } => {
            format!(
                "Moved {from} to {path} ({}, +{} -{}).",
                counted(file.lines, "line"),
                file.added,
                file.removed
            )
        }
        EditKind::Overwritten { lines_before } => format!(
            "Wrote {path}: {} -> {} ({}, +{} -{}).",
            counted(*lines_before, "line"),
            counted(file.lines, "line"),
            counted(file.bytes, "byte"),
            file.added,
            file.removed
        ),
        EditKind::Replaced { count } => {
            let places = counted(*count as u64, "replacement");
            format!(
                "Edited {path}: {places} (+{} -{}); the edited part is now {}.",
                file.added,
                file.removed,
                edits::lines(file)
            )
        }
    }
}
