//! The result of a change for each file.

use super::draft::{Draft, OriginalEntry, since_note};
use super::{ChangedFile, EditKind};
use crate::{
    files::Files,
    seen_content::{SeenContent, SeenRange},
    session::REMEMBERED_FILE,
};
use std::borrow::Cow;
use toolpost_text::{
    diff,
    encoding::{self, Text},
    lines,
};
use toolpost_workspace::{ContentHash, WorkspacePath, hash};

/// Number of context lines around each change in the diff.
const CONTEXT: usize = 3;

/// Returns the result for each file, to be reported after the commit.
pub(super) fn files(files: &Files, drafts: &[Draft]) -> Vec<ChangedFile> {
    drafts.iter().filter(|draft| is_told(drafts, draft)).map(|draft| file(files, drafts, draft)).collect()
}

/// Returns whether the reply reports a draft. A moved file is reported only under its new name; a file that was created
/// and removed again is not reported.
fn is_told(drafts: &[Draft], draft: &Draft) -> bool {
    let moved = drafts.iter().any(|other| other.from.as_ref() == Some(&draft.path));
    draft.is_there() || (draft.before.is_some() && !moved)
}

fn file(files: &Files, drafts: &[Draft], draft: &Draft) -> ChangedFile {
    let before = on_disk(drafts, draft.from.as_ref().unwrap_or(&draft.path));
    let after = draft.present().unwrap_or_default();
    let (old, new) = (shown(files, before.unwrap_or_default()), shown(files, after));
    let hash = draft.present().map(hash);
    let diff = if before.is_some() && draft.present().is_some() {
        diff::unified(&old, &new, CONTEXT)
    } else {
        diff::Diff::default()
    };
    let lines_before = lines::count(&old) as u64;
    let what = match (before, &draft.from, draft.is_there()) {
        (_, _, false) => EditKind::Deleted { lines_before },
        (_, Some(from), true) => EditKind::Moved { from: from.display() },
        (None, None, true) => EditKind::Created,
        (Some(bytes), None, true) if bytes == after => EditKind::Unchanged,
        (Some(_), None, true) if draft.wrote_whole => EditKind::Overwritten { lines_before },
        (Some(_), None, true) => EditKind::Replaced { count: draft.replaced },
    };
    let since = draft.changed_since.iter().filter(|_| what != EditKind::Unchanged);
    let since = since.map(|differ| since_note(differ));
    let notes = since.chain(draft.notes.iter().cloned()).collect();
    let removed = if draft.is_there() { diff.removed } else { lines::count(&old) };
    ChangedFile {
        path: draft.path.display(),
        what,
        diff: diff.text,
        added: diff.added,
        removed,
        first_line: diff.first_line,
        last_line: diff.last_line,
        lines: lines::count(&new) as u64,
        bytes: after.len() as u64,
        hash: hash.map_or_else(String::new, |hash| hash.to_string()),
        notes,
        seen: seen(drafts, draft, hash),
    }
}

/// Returns the content that a file had on the disk before the call; `None` if there was no file.
fn on_disk<'a>(drafts: &'a [Draft], path: &WorkspacePath) -> Option<&'a [u8]> {
    match drafts.iter().find(|draft| draft.path == *path)?.before.as_ref()? {
        OriginalEntry::File { bytes, .. } => Some(bytes),
        OriginalEntry::Link => None,
    }
}

/// Returns the content that the caller has now seen, and marks the content at a former or deleted path as gone.
fn seen(drafts: &[Draft], draft: &Draft, hash: Option<ContentHash>) -> Vec<SeenContent> {
    let forget = |path: &WorkspacePath| SeenContent {
        path: path.clone(),
        hash: None,
        part: SeenRange::Some,
        bytes: None,
    };
    let mut seen = Vec::new();
    if let Some(from) = &draft.from
        && !drafts.iter().any(|other| other.path == *from && other.is_there())
    {
        seen.push(forget(from));
    }
    let Some(bytes) = draft.present() else {
        seen.push(forget(&draft.path));
        return seen;
    };
    let whole = (draft.before.is_none() && draft.from.is_none()) || draft.wrote_whole;
    let part = if whole { SeenRange::Whole } else { draft.seen.clone() };
    let kept = (bytes.len() <= REMEMBERED_FILE).then(|| bytes.into());
    seen.push(SeenContent { path: draft.path.clone(), hash, part, bytes: kept });
    seen
}

/// Returns the text of a file for display; empty if it is not text.
fn shown<'a>(files: &Files, bytes: &'a [u8]) -> Cow<'a, str> {
    if let Some(text) = encoding::plain(bytes) {
        return Cow::Borrowed(text);
    }
    let text = Text::open(bytes.to_vec(), files.encoding()).ok();
    text.map_or(Cow::Borrowed(""), |text| Cow::Owned(text.shown(text.view()).into_owned()))
}
