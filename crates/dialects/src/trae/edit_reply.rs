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
    let ChangedFile { path, added, removed, .. } = file;
    let now = counted(file.lines, "line");
    match &file.what {
        EditKind::Created => format!("Created {path}: {now}, {}.", counted(file.bytes, "byte")),
        EditKind::Unchanged => format!("{path} is unchanged: it already has this content."),
        EditKind::Deleted { lines_before } => format!("Deleted {path} ({}).", counted(*lines_before, "line")),
        EditKind::Moved { from } => format!("Renamed {from} to {path} (+{added} -{removed})."),
        EditKind::Overwritten { lines_before } => {
            format!(
                "Rewrote {path}: it had {} and now has {now} (+{added} -{removed}).",
                counted(*lines_before, "line")
            )
        }
        EditKind::Replaced { count } => {
            let places = counted(*count as u64, "replacement");
            format!(
                "Updated {path}: {places} (+{added} -{removed}); the edited part is now {} of {}.",
                edits::lines(file),
                file.lines
            )
        }
    }
}
