//! How files are changed: looked at, worked out in memory, then committed together.

use super::{Change, Existence, Output, Request, Where};
use super::{commit, exact, hunks, lines, merge, name, place, symbol, whole};
use crate::{
    access::Extent,
    call::CallCtx,
    edits::Edits,
    edits::freshness::Sight,
    failure::{Failure, Kind, Trouble, convert},
};
use std::time::Duration;
use toolpost_workspace::{Hold, WorkspacePath};

use super::draft::Draft;

/// How long another process that writes the same file is waited for.
const WAIT: Duration = Duration::from_secs(10);

/// Takes the locks of paths, in one order whoever asks.
pub(crate) fn hold(edits: &Edits, cx: &CallCtx, mut paths: Vec<WorkspacePath>) -> Result<Hold, Failure> {
    paths.sort();
    paths.dedup();
    edits.files().workspace().hold(&paths, cx.time_left(WAIT)).map_err(|error| convert::hold(&error))
}

/// Makes all changes, or none.
pub(crate) fn run(edits: &Edits, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let hold = hold(edits, cx, request.changes.iter().flat_map(Change::names).cloned().collect())?;
    let mut drafts = Drafts::default();
    for (number, change) in request.changes.iter().enumerate() {
        apply(edits, cx, &mut drafts, change)
            .map_err(|failure| numbered(failure, number, request.changes.len()))?;
    }
    cx.check()?;
    commit::all(edits.files(), cx, &hold, &drafts.0)
}

/// Works out one change.
fn apply(edits: &Edits, cx: &CallCtx, drafts: &mut Drafts, change: &Change) -> Result<(), Failure> {
    let draft = drafts.of(edits, &change.path).map_err(|failure| match change.at {
        Where::Gone(_) => failure.trouble(Trouble::NotDeleted, &change.path),
        Where::Elsewhere { .. } => failure.trouble(Trouble::NotMoved, &change.path),
        Where::Hunks(_) => failure.trouble(Trouble::Unreadable, &change.path),
        Where::Whole(_)
        | Where::Text { .. }
        | Where::Next { .. }
        | Where::Lines(_)
        | Where::LinesWith { .. }
        | Where::Symbol { .. }
        | Where::Merge { .. }
        | Where::Exact(_) => failure,
    })?;
    draft.judge(edits.files(), cx, change.at.extent(), sight(&change.at)).map_err(|failure| {
        match (&change.at, draft.present()) {
            (Where::Lines(lines) | Where::LinesWith { lines, .. }, Some(present))
                if failure.kind == Kind::Stale =>
            {
                lines::whereabouts(edits.files(), cx, &change.path, present, lines)
                    .into_iter()
                    .fold(failure, Failure::hint)
            }
            _ => failure,
        }
    })?;
    match &change.at {
        Where::Whole(existence) => whole::write(edits.files(), draft, *existence, &change.text),
        Where::Text { .. } | Where::Next { .. } => place::replace(edits, cx, draft, change),
        Where::Lines(lines) => lines::edit(edits.files(), cx, draft, (lines, None), &change.text),
        Where::LinesWith { lines, holds } => {
            lines::edit(edits.files(), cx, draft, (lines, Some(holds.as_str())), &change.text)
        }
        Where::Symbol { name, side } => symbol::edit(edits.files(), draft, name, *side, &change.text),
        Where::Merge { language } => {
            merge::apply(edits.files(), cx, draft, language.as_deref(), &change.text)
        }
        Where::Exact(exact) => exact::put(edits.files(), draft, exact, &change.text),
        Where::Hunks(hunks) => hunks::apply(edits.files(), cx, draft, hunks),
        Where::Gone(left) => name::remove(edits.files(), draft, *left),
        Where::Elsewhere { to, existence } => {
            let carried = name::take(edits.files(), cx, draft)?;
            let target = drafts.of(edits, to)?;
            target.judge(edits.files(), cx, Extent::Whole, sight(&Where::Whole(*existence)))?;
            name::put(target, carried, *existence)
        }
    }
}

/// Tells what a refusal may show: one who asks for a new file was not asked whether it may read an old one.
fn sight(at: &Where) -> Sight {
    if let Where::Whole(Existence::New) = at { Sight::Withheld } else { Sight::Shown }
}

/// The files of a request, in the order of their first change.
#[derive(Default)]
struct Drafts(Vec<Draft>);

impl Drafts {
    /// Finds the draft of a file, or begins one with what is on the disk now.
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
}

/// Says which of several changes failed.
fn numbered(mut failure: Failure, number: usize, of: usize) -> Failure {
    if of > 1 {
        failure.facts.change = u32::try_from(number + 1).ok();
    }
    failure
}
