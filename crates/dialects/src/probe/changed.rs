//! How a change is shown: one line, the diff with fresh references, what was odd.

use super::referred;
use crate::common::changed::lines;
use toolpost_engine::{
    Failure,
    operations::change::{Changed, Output, What},
};
use toolpost_tool::Page;

/// Writes what became of each file.
pub(super) fn render(output: &Output, page: &mut Page) {
    for file in &output.files {
        page.line(&summary(file));
        page.text(&referred::all(&file.diff));
        file.notes.iter().for_each(|note| page.note(note.clone()));
    }
    output.notes.iter().for_each(|note| page.note(note.clone()));
}

/// Puts references in front of the lines that a failure shows.
pub(super) fn reword(failure: Failure) -> Failure {
    let found = failure.found.as_deref().map(referred::all);
    Failure { found, ..failure }
}

fn summary(file: &Changed) -> String {
    let path = &file.path;
    match &file.what {
        What::Created => format!("Created {path} ({}, {} bytes).", lines(file.lines), file.bytes),
        What::Unchanged => format!("{path} already has exactly this content: no changes."),
        What::Deleted { .. } => format!("Deleted {path} (-{}).", file.removed),
        What::Moved { from } => format!("Moved {from} to {path} (+{} -{}).", file.added, file.removed),
        What::Overwritten { lines_before } => format!(
            "Overwrote {path}: {} -> {} ({} bytes, +{} -{}).",
            lines(*lines_before),
            lines(file.lines),
            file.bytes,
            file.added,
            file.removed
        ),
        What::Replaced { count } => {
            let places = if *count == 1 { "1 place".to_owned() } else { format!("{count} places") };
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
