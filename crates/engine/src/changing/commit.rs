//! Puts the worked-out contents on the disk, all or none.

use super::{Draft, report};
use crate::{CallCtx, Engine, Failure, failures, operations::change::Output};
use toolpost_workspace::{Action, Draft as Write, Expect, Hold};

/// Commits all drafts; only what is on the disk as it was looked at is written over.
pub(super) fn all(engine: &Engine, cx: &CallCtx, hold: &Hold, drafts: Vec<Draft>) -> Result<Output, Failure> {
    let writes = drafts.iter().filter_map(|draft| {
        let expect = draft.before.as_ref().map_or(Expect::Absent, |before| Expect::Hash(before.hash));
        let bytes = draft.after.clone()?;
        Some(Write { path: draft.path.clone(), action: Action::Write { bytes, expect } })
    });
    let mut notes: Vec<String> = hold.notes().iter().map(ToString::to_string).collect();
    let committed = hold.commit(writes.collect(), &cx.cause).map_err(|error| failures::commit(&error))?;
    notes.extend(committed.notes.iter().map(ToString::to_string));
    Ok(Output { files: drafts.into_iter().map(|draft| report::file(engine, draft)).collect(), notes })
}
