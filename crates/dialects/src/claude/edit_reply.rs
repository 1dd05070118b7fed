//! Replies to edits: a summary line, the diff, and notes.

use crate::common::edits;
use toolpost_engine::operations::change::{Changed, Output, What};
use toolpost_text::counted::counted;
use toolpost_tool::Page;

/// Writes the result for each file.
pub(super) fn render(output: &Output, page: &mut Page) {
    edits::render(output, page, summary);
}

fn summary(file: &Changed) -> String {
    let path = &file.path;
    match &file.what {
        What::Created => {
            format!("Created {path} ({}, {}).", counted(file.lines, "line"), counted(file.bytes, "byte"))
        }
        What::Unchanged => format!("{path} already has exactly this content: no changes."),
        What::Deleted { lines_before } => format!("Deleted {path} ({}).", counted(*lines_before, "line")),
        What::Moved { from } => {
            format!(
                "Moved {from} to {path} ({}, +{} -{}).",
                counted(file.lines, "line"),
                file.added,
                file.removed
            )
        }
        What::Overwritten { lines_before } => format!(
            "Wrote {path}: {} -> {} ({}, +{} -{}).",
            counted(*lines_before, "line"),
            counted(file.lines, "line"),
            counted(file.bytes, "byte"),
            file.added,
            file.removed
        ),
        What::Replaced { count } => {
            let places = counted(*count as u64, "replacement");
            format!(
                "Edited {path}: {places}, now lines {}-{} (+{} -{}).",
                file.first_line, file.last_line, file.added, file.removed
            )
        }
    }
}
