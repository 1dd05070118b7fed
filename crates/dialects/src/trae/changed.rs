//! How a change is shown: one line, the diff, what was odd.

use crate::common::changed::{self, lines};
use toolpost_engine::operations::change::{Changed, Output, What};
use toolpost_tool::Page;

/// Writes what became of each file.
pub(super) fn render(output: &Output, page: &mut Page) {
    changed::render(output, page, summary);
}

fn summary(file: &Changed) -> String {
    let Changed { path, added, removed, .. } = file;
    let now = lines(file.lines);
    match &file.what {
        What::Created => format!("Created {path}: {now}, {} bytes.", file.bytes),
        What::Unchanged => format!("{path} is unchanged: it already has this content."),
        What::Deleted { lines_before } => format!("Deleted {path} ({}).", lines(*lines_before)),
        What::Moved { from } => format!("Renamed {from} to {path} (+{added} -{removed})."),
        What::Overwritten { lines_before } => {
            format!("Rewrote {path}: it had {}, now {now} (+{added} -{removed}).", lines(*lines_before))
        }
        What::Replaced { count } => {
            let places = if *count == 1 { "1 place".to_owned() } else { format!("{count} places") };
            let (first, last) = (file.first_line, file.last_line);
            format!(
                "Updated {path} in {places}: lines {first}-{last} of {} now (+{added} -{removed}).",
                file.lines
            )
        }
    }
}
