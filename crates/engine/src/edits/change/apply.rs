//! Application of changes: reads the files, computes all new contents in memory, then writes all of them or none.

use super::{Change, ChangeTarget, Existence, Output, Request};
use super::{commit, exact, hunks, lines, merge, name, place, symbol, whole};
use crate::{
    access::Extent,
    call::CallCtx,
    edits::Edits,
    edits::freshness::{self, Disclosure},
    failure::{ChangeProblem, Failure, Kind, convert},
};
use std::time::Duration;
use toolpost_text::matching::MatchOptions;
use toolpost_workspace::{PathLock, WorkspacePath};

use super::draft::{Draft, OriginalEntry};

/// Maximum wait for another writer of the same file.
const WAIT: Duration = Duration::from_secs(10);

/// Locks paths in a fixed order, so that callers cannot deadlock.
pub(crate) fn hold(edits: &Edits, cx: &CallCtx, mut paths: Vec<WorkspacePath>) -> Result<PathLock, Failure> {
    paths.sort();
    paths.dedup();
    edits.files().workspace().hold(&paths, cx.time_left(WAIT)).map_err(|error| convert::hold(&error))
}

/// Applies all changes, or none.
pub(crate) fn run(edits: &Edits, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let hold = hold(edits, cx, request.changes.iter().flat_map(Change::names).cloned().collect())?;
    let mut drafts = Drafts::default();
    for (number, change) in request.changes.iter().enumerate() {
        apply(edits, cx, &mut drafts, change)
            .map_err(|failure| numbered(failure, number, request.changes.len()))?;
    }
    cx.check()?;
    commit::all(edits.files(), cx, &hold, drafts.0)
}

/// Applies one change to the drafts, which hold the new contents in memory.
fn apply(edits: &Edits, cx: &CallCtx, drafts: &mut Drafts, change: &Change) -> Result<(), Failure> {
    let draft = drafts.of(edits, &change.path).map_err(|failure| match change.at {
        ChangeTarget::Gone(_) => failure.trouble(ChangeProblem::NotDeleted, &change.path),
        ChangeTarget::Elsewhere { .. } => failure.trouble(ChangeProblem::NotMoved, &change.path),
        ChangeTarget::Hunks(_) => failure.trouble(ChangeProblem::Unreadable, &change.path),
        ChangeTarget::Whole(_)
        | ChangeTarget::Text { .. }
        | ChangeTarget::Next { .. }
        | ChangeTarget::Lines(_)
        | ChangeTarget::LinesWith { .. }
        | ChangeTarget::Symbol { .. }
        | ChangeTarget::Merge { .. }
        | ChangeTarget::Exact(_) => failure,
    })?;
    draft.judge(edits.files(), cx, change.at.extent(), sight(&change.at)).map_err(|failure| {
        match (&change.at, draft.present()) {
            (ChangeTarget::Lines(lines) | ChangeTarget::LinesWith { lines, .. }, Some(present))
                if failure.kind == Kind::Stale =>
            {
                lines::stale(edits.files(), cx, &change.path, present, lines, failure)
            }
            _ => failure,
        }
    })?;
    let done = match &change.at {
        ChangeTarget::Whole(existence) => whole::write(edits.files(), draft, *existence, &change.text),
        ChangeTarget::Text { old, want, near, matching } => {
            let near = near.map(|lines| draft.moved.now(lines));
            let how = MatchOptions { upto: *matching, want: *want, near, start: None };
            place::replace(edits, cx, draft, (old, &change.text), how)
        }
        ChangeTarget::Next { old, matching } => {
            let how = place::next(edits, draft, *matching);
            place::replace(edits, cx, draft, (old, &change.text), how)
        }
        ChangeTarget::Lines(lines) => lines::edit(edits.files(), cx, draft, (lines, None), &change.text),
        ChangeTarget::LinesWith { lines, holds } => {
            lines::edit(edits.files(), cx, draft, (lines, Some(holds.as_str())), &change.text)
        }
        ChangeTarget::Symbol { name, side } => {
            symbol::edit(edits.files(), cx, draft, (name, *side), &change.text)
        }
        ChangeTarget::Merge { language } => {
            merge::apply(edits.files(), cx, draft, language.as_deref(), &change.text)
        }
        ChangeTarget::Exact(exact) => exact::put(edits.files(), cx, draft, exact, &change.text),
        ChangeTarget::Hunks(hunks) => hunks::apply(edits, cx, draft, hunks),
        ChangeTarget::Gone(left) => name::remove(edits.files(), draft, *left),
        ChangeTarget::Elsewhere { to, existence } => {
            let carried = name::take(edits.files(), cx, draft)?;
            let target = drafts.of(edits, to)?;
            target.judge(edits.files(), cx, Extent::Whole, sight(&ChangeTarget::Whole(*existence)))?;
            name::put(target, carried, *existence)
        }
    };
    done.map_err(|failure| drafts.changed_first(edits, cx, &change.path, failure))
}

/// Returns whether a refusal may show the content of the file. If the change must create a new file, the
/// permission to read an existing file was not checked, so the content is withheld.
fn sight(at: &ChangeTarget) -> Disclosure {
    if let ChangeTarget::Whole(Existence::New) = at { Disclosure::Withheld } else { Disclosure::Shown }
}

/// The drafts of the files that a request changes, in the order of their first change.
#[derive(Default)]
struct Drafts(Vec<Draft>);

impl Drafts {
    /// Finds the draft of a file, or starts one with the content on the disk.
    fn of(&mut self, edits: &Edits, path: &WorkspacePath) -> Result<&mut Draft, Failure> {
        let known = self.0.iter().position(|draft| draft.path == *path);
        let position = match known {
            Some(position) => position,
            None => {
                self.0.push(Draft::begin(edits.files(), path)?);
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[position])
    }

    /// If the text to change was not found, or found more than once, in a file that has changed since the caller saw it,
    /// mentions the changed file first in the failure, because it may be the reason.
    fn changed_first(&self, edits: &Edits, cx: &CallCtx, path: &WorkspacePath, failure: Failure) -> Failure {
        if !matches!(failure.kind, Kind::NoMatch | Kind::Ambiguous) {
            return failure;
        }
        let draft = self.0.iter().find(|draft| draft.path == *path);
        match draft.map(|draft| (&draft.before, &draft.changed_since)) {
            Some((Some(OriginalEntry::File { bytes, .. }), Some(differ))) => freshness::changed_first(
                edits.files(),
                cx,
                path,
                (bytes.as_slice(), differ.as_str()),
                failure,
            ),
            _ => failure,
        }
    }
}

/// Records in the failure's facts which change of the call failed, if there are several. `number` is the index of the
/// change, and `of` is the number of changes.
fn numbered(mut failure: Failure, number: usize, of: usize) -> Failure {
    if of > 1 {
        failure.facts.change = u32::try_from(number + 1).ok();
    }
    failure
}
