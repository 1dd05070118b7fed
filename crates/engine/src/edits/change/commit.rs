//! Writes the computed contents to the disk, all or none.

use super::Output;
use super::{
    draft::{Before, Draft, Now},
    report,
};
use crate::{
    call::CallCtx,
    failure::{Failure, convert},
    files::Files,
};
use toolpost_workspace::{Action, Draft as Write, Expect, Hold, Overwrite, WorkspacePath};

/// Commits all drafts; a file is only overwritten if it still has the content that was read.
pub(super) fn all(files: &Files, cx: &CallCtx, hold: &Hold, drafts: &[Draft]) -> Result<Output, Failure> {
    let moves: Vec<(&WorkspacePath, &WorkspacePath)> =
        drafts.iter().filter_map(|to| plain_move(drafts, to)).collect();
    let writes = drafts.iter().filter_map(|draft| write(&moves, draft)).collect();
    let mut notes: Vec<String> = hold.notes().iter().map(ToString::to_string).collect();
    let committed = hold.commit(writes, &cx.cause).map_err(|error| convert::commit(&error))?;
    notes.extend(committed.notes.iter().map(ToString::to_string));
    Ok(Output { files: report::files(files, drafts), notes })
}

/// Returns both names of a file or link that is only renamed: it is moved, so that its metadata is
/// preserved.
fn plain_move<'a>(drafts: &'a [Draft], to: &'a Draft) -> Option<(&'a WorkspacePath, &'a WorkspacePath)> {
    let origin = drafts.iter().find(|draft| Some(&draft.path) == to.from.as_ref())?;
    let same = match (&origin.before, &to.now) {
        (Some(Before::Link), Now::Link) => true,
        (Some(Before::File { bytes, .. }), Now::Bytes(now)) => bytes == now,
        _ => false,
    };
    let first = drafts.iter().find(|draft| draft.from == to.from)?;
    let free = to.before.is_none() && !origin.is_there() && first.path == to.path;
    (same && free).then_some((&origin.path, &to.path))
}

/// Returns the write for a name; `None` if nothing changes.
fn write(moves: &[(&WorkspacePath, &WorkspacePath)], draft: &Draft) -> Option<Write> {
    let path = draft.path.clone();
    if let Some((_, to)) = moves.iter().find(|(from, _)| **from == path) {
        let action = Action::Move { to: (*to).clone(), overwrite: Overwrite::Refuse };
        return Some(Write { path, action });
    }
    if moves.iter().any(|(_, to)| **to == path) {
        return None;
    }
    let expect = match &draft.before {
        None => Expect::Absent,
        Some(Before::File { hash, .. }) => Expect::Hash(*hash),
        Some(Before::Link) => Expect::Any,
    };
    let action = match (&draft.now, &draft.from) {
        (Now::AsBefore, _) => return None,
        (Now::Nothing, _) if draft.before.is_none() => return None,
        (Now::Nothing, _) => Action::Delete { expect },
        (Now::Bytes(bytes), None) => Action::Write { bytes: bytes.clone(), expect },
        (Now::Bytes(bytes), Some(like)) => {
            Action::WriteLike { bytes: bytes.clone(), expect, like: like.clone() }
        }
        // The name is taken, so the commit refuses it.
        (Now::Link, Some(from)) => {
            let action = Action::Move { to: path, overwrite: Overwrite::Refuse };
            return Some(Write { path: from.clone(), action });
        }
        (Now::Link, None) => return None,
    };
    Some(Write { path, action })
}
