//! The part of edit replies that all dialects share.

use std::borrow::Cow;
use toolpost_engine::{
    Facts,
    operations::change::{ChangedFile, EditKind, Output},
};
use toolpost_text::budget::ByteBudget;
use toolpost_text::{
    cut::{self, Limit},
    plural::counted,
};
use toolpost_tool::Page;

/// Writes the dialect's summary line and the diff of each file, and adds all notes.
pub(crate) fn render(output: &Output, page: &mut Page, summary: impl Fn(&ChangedFile) -> String) {
    render_with(output, page, summary, |diff| diff.into());
}

/// Like [`render`], with a diff in the dialect's format.
pub(crate) fn render_with(
    output: &Output,
    page: &mut Page,
    summary: impl Fn(&ChangedFile) -> String,
    diff: impl Fn(&str) -> Cow<'_, str>,
) {
    let notes = output.files.iter().flat_map(|file| &file.notes).chain(&output.notes);
    notes.for_each(|note| page.note(note.clone()));
    let summaries: Vec<String> = output.files.iter().map(&summary).collect();
    let diffs: Vec<Cow<'_, str>> = output.files.iter().map(|file| excerpt(file, diff(&file.diff))).collect();
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

/// Maximum lines and bytes of the diff of an overwritten file. The excerpt is short, because the caller has
/// just sent the whole new content.
const EXCERPT: (usize, usize) = (12, 800);

/// Shortens a long diff of an overwritten file; returns any other diff unchanged.
fn excerpt<'d>(file: &ChangedFile, diff: Cow<'d, str>) -> Cow<'d, str> {
    let is_small = diff.len() <= EXCERPT.1 && diff.lines().count() <= EXCERPT.0;
    if is_small || !matches!(file.what, EditKind::Overwritten { .. }) {
        return diff;
    }
    let mut budget = ByteBudget::new(EXCERPT.1);
    let fits = |line: &&str| budget.takes(line.len());
    let mut shown: String = diff.split_inclusive('\n').take(EXCERPT.0).take_while(fits).collect();
    // If the diff was shortened before, its last line is a notice with the number of lines that were left
    // out.
    let (notices, further) = diff.lines().next_back().and_then(left_out).map_or((0, 0), |lines| (1, lines));
    let more = diff.lines().count() - notices - shown.lines().count() + further;
    shown.push_str(&format!("… ({} of the diff)\n", counted(more as u64, "more line")));
    shown.into()
}

/// Parses the number of left-out lines in the notice at the end of a shortened diff.
fn left_out(line: &str) -> Option<usize> {
    let notice = line.strip_prefix(cut::NOTICE)?.strip_prefix("left out ")?;
    notice.strip_suffix(" of the diff]")?.split(' ').next()?.parse().ok()
}

/// Formats the changed lines: "line 3", "lines 3-5".
pub(crate) fn lines(file: &ChangedFile) -> String {
    let (first, last) = (file.first_line, file.last_line);
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// Formats the number of occurrences of a text; "several" if it is not known.
pub(crate) fn places(facts: &Facts) -> String {
    facts.places.map_or("several".to_owned(), |places| places.to_string())
}

/// Prepends a sentence to a message if the file has changed since the caller saw it.
pub(crate) fn changed_first(facts: &Facts, what: String) -> String {
    match &facts.changed {
        Some(changed) => format!("{changed} {what}"),
        None => what,
    }
}

/// Formats a sentence for a file that already contains the new text; `None` if it does not.
pub(crate) fn already_there(facts: &Facts) -> Option<String> {
    let line = facts.already_there?;
    Some(format!("The new text is already there, at line {line}: the change may have been made before."))
}
