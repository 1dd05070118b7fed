//! The part of edit replies that all dialects share.

use std::borrow::Cow;
use toolpost_engine::{
    Facts,
    operations::change::{Changed, Output},
};
use toolpost_text::cut::{self, Limit};
use toolpost_tool::Page;

/// Writes for each file: the dialect's summary line, the diff, and notes.
pub(crate) fn render(output: &Output, page: &mut Page, summary: impl Fn(&Changed) -> String) {
    render_with(output, page, summary, |diff| diff.into());
}

/// Like [`render`], with a diff in the dialect's format.
pub(crate) fn render_with(
    output: &Output,
    page: &mut Page,
    summary: impl Fn(&Changed) -> String,
    diff: impl Fn(&str) -> Cow<'_, str>,
) {
    let notes = output.files.iter().flat_map(|file| &file.notes).chain(&output.notes);
    notes.for_each(|note| page.note(note.clone()));
    let summaries: Vec<String> = output.files.iter().map(&summary).collect();
    let diffs: Vec<Cow<'_, str>> = output.files.iter().map(|file| diff(&file.diff)).collect();
    let said: usize = summaries.iter().map(|summary| summary.len() + 1).sum();
    let room = page.room();
    let room =
        Limit { bytes: room.bytes.saturating_sub(said), lines: room.lines.saturating_sub(summaries.len()) };
    let diffs = cut::shared(diffs, room);
    let mut body = String::with_capacity(said + diffs.iter().map(|diff| diff.len()).sum::<usize>());
    for (summary, diff) in summaries.iter().zip(diffs) {
        body.push_str(summary);
        body.push('\n');
        body.push_str(&diff);
        if !body.ends_with('\n') {
            body.push('\n');
        }
    }
    page.fitted(body);
}

/// Formats the number of occurrences of a text.
pub(crate) fn places(facts: &Facts) -> String {
    facts.places.map_or("several".to_owned(), |places| places.to_string())
}

/// Notes that the file already contains the new text.
pub(crate) fn already_there(facts: &Facts) -> Option<String> {
    let line = facts.already_there?;
    Some(format!("The new text is already there, at line {line}: the change may have been made before."))
}
