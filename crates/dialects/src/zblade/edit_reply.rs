//! Requests to replace a text, and the replies to applied and refused edits.

use crate::common::edits;
use toolpost_engine::{
    Failure, Hint, Kind,
    operations::change::{Change, ChangeTarget, ChangedFile, EditKind, MatchCount, Output},
};
use toolpost_text::{lines::LineRange, plural::counted};
use toolpost_tool::{Lowering, Page};

/// Builds the request to replace one text.
pub(super) fn replacement(
    said: &str,
    old: String,
    new: String,
    near: Option<LineRange>,
    at: &Lowering,
) -> Result<Change, Failure> {
    let text = ChangeTarget::Text { old, want: MatchCount::One, near, matching: at.matching() };
    Ok(Change { path: at.file(said)?, at: text, text: new })
}

/// Writes the reply to an edit. `one` is the beginning of the summary line of a file with a single replacement.
pub(super) fn render(output: &Output, page: &mut Page, one: &str) {
    edits::render(output, page, |file| summary(file, one));
}

fn summary(file: &ChangedFile, one: &str) -> String {
    let ChangedFile { path, bytes, .. } = file;
    match &file.what {
        EditKind::Created | EditKind::Overwritten { .. } => {
            format!("wrote {} to {path}", counted(*bytes, "byte"))
        }
        EditKind::Replaced { count: 1 } => format!("{one} {path}"),
        EditKind::Replaced { count } => format!("Applied {count} patches atomically to {path}"),
        EditKind::Unchanged => format!("{path} already has exactly this content: no changes"),
        EditKind::Deleted { .. } => format!("Deleted {path}"),
        EditKind::Moved { from } => format!("Moved {from} to {path}"),
    }
}

/// Rewords a refusal as zblade's own tools do. `old` is the name of the argument with the text to replace.
pub(super) fn reword(mut failure: Failure, old: &str) -> Failure {
    failure.hints.retain(|hint| *hint != Hint::ReplaceAll);
    let change = failure.facts.change.take();
    let facts = &failure.facts;
    let (places, searched) = (edits::places(facts), facts.searched.unwrap_or(0));
    let changed = |what: String| edits::changed_first(facts, what);
    let what = match (failure.kind, change) {
        (Kind::NoMatch, None) => changed(format!(
            "{old} not found in file (searched {searched} chars). Exact match required; \
             whitespace-normalized fuzzy matching is disabled for safety."
        )),
        (Kind::Ambiguous, None) => changed(format!(
            "Ambiguous match: {old} appears multiple times (exact match). Please provide more unique context."
        )),
        (Kind::NoMatch, Some(change)) => several(change, &changed(format!("{old} not found in file"))),
        (Kind::Ambiguous, Some(change)) => several(
            change,
            &changed(format!("{old} matches {places} times. Add start_line hint or more context.")),
        ),
        (_, Some(change)) => several(change, &failure.what),
        (_, None) => return failure,
    };
    let what = match (failure.kind, edits::already_there(&failure.facts)) {
        (Kind::NoMatch, Some(more)) => format!("{}. {more}", what.trim_end_matches('.')),
        _ => what,
    };
    Failure { what, ..failure }
}

fn several(change: u32, why: &str) -> String {
    format!("Multi-patch validation failed (no changes made):\nPatch {change}: {why}")
}
