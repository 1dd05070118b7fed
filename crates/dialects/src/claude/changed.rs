//! How a change is shown: one line, the diff, what was odd.

use crate::common::changed::{self, lines};
use toolpost_engine::operations::change::{Changed, Output, What};
use toolpost_tool::Page;

/// Writes what became of each file.
pub(super) fn render(output: &Output, page: &mut Page) {
    changed::render(output, page, summary);
}

fn summary(file: &Changed) -> String {
    let path = &file.path;
    match &file.what {
        What::Created => format!("Created {path} ({}, {} bytes).", lines(file.lines), file.bytes),
        What::Unchanged => format!("{path} already has exactly this content: no changes."),
        What::Deleted { lines_before } => format!("Deleted {path} ({}).", lines(*lines_before)),
        What::Moved { from } => {
            format!("Moved {from} to {path} ({}, +{} -{}).", lines(file.lines), file.added, file.removed)
        }
        What::Overwritten { lines_before } => format!(
            "Wrote {path}: {} -> {} ({} bytes, +{} -{}).",
            lines(*lines_before),
            lines(file.lines),
            file.bytes,
            file.added,
            file.removed
        ),
        What::Replaced { count } => {
            let places =
                if *count == 1 { "1 replacement".to_owned() } else { format!("{count} replacements") };
            format!(
                "Edited {path}: {places}, now lines {}-{} (+{} -{}).",
                file.first_line, file.last_line, file.added, file.removed
            )
        }
    }
}
