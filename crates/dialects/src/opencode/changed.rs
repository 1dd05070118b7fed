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
        What::Created => {
            format!("Successfully wrote {} bytes to {path}: new, {}.", file.bytes, lines(file.lines))
        }
        What::Unchanged => format!("{path} already has exactly this content: no changes."),
        What::Overwritten { lines_before } => format!(
            "Successfully wrote {} bytes to {path}: {} -> {} (+{} -{}).",
            file.bytes,
            lines(*lines_before),
            lines(file.lines),
            file.added,
            file.removed
        ),
        What::Deleted { .. } => format!("Deleted: {path} (+0 -{} lines)", file.removed),
        What::Moved { from } => {
            format!("Moved: {from} -> {path} (+{} -{} lines)", file.added, file.removed)
        }
        What::Replaced { count } => {
            let places =
                if *count == 1 { "1 replacement".to_owned() } else { format!("{count} replacements") };
            format!(
                "Edit applied successfully to {path}: {places}, now lines {}-{} (+{} -{}).",
                file.first_line, file.last_line, file.added, file.removed
            )
        }
    }
}
