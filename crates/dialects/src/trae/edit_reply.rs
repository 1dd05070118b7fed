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
    let Changed { path, added, removed, .. } = file;
    let now = counted(file.lines, "line");
    match &file.what {
        What::Created => format!("Created {path}: {now}, {}.", counted(file.bytes, "byte")),
        What::Unchanged => format!("{path} is unchanged: it already has this content."),
        What::Deleted { lines_before } => format!("Deleted {path} ({}).", counted(*lines_before, "line")),
        What::Moved { from } => format!("Renamed {from} to {path} (+{added} -{removed})."),
        What::Overwritten { lines_before } => {
            format!(
                "Rewrote {path}: it had {}, now {now} (+{added} -{removed}).",
                counted(*lines_before, "line")
            )
        }
        What::Replaced { count } => {
            let places = counted(*count as u64, "replacement");
            let (first, last) = (file.first_line, file.last_line);
            format!(
                "Updated {path}: {places}, now lines {first}-{last} of {} (+{added} -{removed}).",
                file.lines
            )
        }
    }
}
