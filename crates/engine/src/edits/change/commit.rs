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
use toolpost_text::encoding::{Encoding, EncodingGuess, sniff};
use toolpost_workspace::{Action, Draft as Write, Expect, Overwrite, PathLock, WorkspacePath};

/// Writes all drafts (new contents in memory) to the disk, or none. A file is only overwritten if it still
/// has the content that was read.
pub(super) fn all(files: &Files, cx: &CallCtx, hold: &PathLock, drafts: &[Draft]) -> Result<Output, Failure> {
    drafts.iter().try_for_each(stays_text)?;
    let moves: Vec<(&WorkspacePath, &WorkspacePath)> =
        drafts.iter().filter_map(|to| plain_move(drafts, to)).collect();
    let writes = drafts.iter().filter_map(|draft| write(&moves, draft)).collect();
    cx.check()?;
    let mut notes: Vec<String> = hold.notes().iter().map(ToString::to_string).collect();
    let committed = hold.commit(writes, &cx.cause).map_err(|error| convert::commit(&error))?;
    notes.extend(committed.notes.iter().map(ToString::to_string));
    Ok(Output { files: report::files(files, drafts), notes })
}

/// Refuses text with a NUL byte, because later calls would treat the file as binary.
fn stays_text(draft: &Draft) -> Result<(), Failure> {
    let Now::Bytes(bytes) = &draft.now else { return Ok(()) };
    let was_binary = matches!(&draft.before, Some(Before::File { bytes, .. }) if bytes.contains(&0));
    // NUL bytes are allowed in UTF-16 and UTF-32 text, in files that had NUL bytes before, and in moved files.
    let narrow = [Encoding::Utf8, Encoding::Utf8Bom, Encoding::EightBit];
    let wide = matches!(sniff(bytes), EncodingGuess::Text(encoding) if !narrow.contains(&encoding));
    let Some(at) = bytes.iter().position(|byte| *byte == 0) else { return Ok(()) };
    if was_binary || wide || draft.from.is_some() {
        return Ok(());
    }
    let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    Err(Failure::invalid(format!(
        "The new content of {} has a NUL byte in line {line}, which no text file has. Remove it. Nothing was changed.",
        draft.path.display()
    )))
}

/// Returns the old and the new path if the draft `to` is a file or link that is only renamed; otherwise `None`. The
/// commit moves such a file instead of writing it again, which preserves its metadata.
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

/// Returns the write that commits a draft; `None` if nothing changes, or if the path is the target of one of
/// the `moves`.
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
        // Another change of the call put something at the old path of the link, so the commit refuses: it changes
        // no path twice.
        (Now::Link, Some(from)) => {
            let action = Action::Move { to: path, overwrite: Overwrite::Refuse };
            return Some(Write { path: from.clone(), action });
        }
        (Now::Link, None) => return None,
    };
    Some(Write { path, action })
}
