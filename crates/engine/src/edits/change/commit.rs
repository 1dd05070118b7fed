//! Writes the computed contents to the disk, all or none.

use super::Output;
use super::{
    draft::{Draft, DraftContent, OriginalEntry},
    report,
};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    files::Files,
};
use toolpost_text::encoding::{Encoding, EncodingGuess, sniff};
use toolpost_workspace::{Action, Draft as Write, Expect, Overwrite, PathLock, WorkspacePath};

/// Writes all drafts (new contents in memory) to the disk, or none. A file is overwritten only if it still
/// has the content that was read.
pub(super) fn all(
    files: &Files,
    cx: &CallCtx,
    hold: &PathLock,
    drafts: Vec<Draft>,
) -> Result<Output, Failure> {
    drafts.iter().try_for_each(replaces_no_link)?;
    drafts.iter().try_for_each(stays_text)?;
    // The report is made first, because it can take long for large files: a call that is stopped meanwhile changes nothing.
    let reported = report::files(files, &drafts);
    let moves: Vec<(WorkspacePath, WorkspacePath)> =
        drafts.iter().filter_map(|to| plain_move(&drafts, to)).collect();
    let writes = drafts.into_iter().filter_map(|draft| write(&moves, draft)).collect();
    cx.check()?;
    let mut notes: Vec<String> = hold.notes().iter().map(ToString::to_string).collect();
    let committed = hold.commit(writes, &cx.cause).map_err(|error| convert::commit(&error))?;
    notes.extend(committed.notes.iter().map(ToString::to_string));
    Ok(Output { files: reported, notes })
}

/// Refuses a file at the path of a link that the call deletes or moves away: a commit changes each path once, and replaces
/// no link.
fn replaces_no_link(draft: &Draft) -> Result<(), Failure> {
    let (Some(OriginalEntry::Link), DraftContent::Bytes(_)) = (&draft.before, &draft.now) else {
        return Ok(());
    };
    let what = format!(
        "{} is a symbolic link before this call, and a file after it; one call cannot do both. Nothing was changed.",
        draft.path.display()
    );
    Err(Failure::new(Kind::Conflict, what).hint(Hint::Advice(
        "Make two calls: delete or move the link in the first one, and create the file in the second one."
            .to_owned(),
    )))
}

/// Refuses text with a NUL byte, because later calls would treat the file as binary.
fn stays_text(draft: &Draft) -> Result<(), Failure> {
    let DraftContent::Bytes(bytes) = &draft.now else { return Ok(()) };
    let was_binary = matches!(&draft.before, Some(OriginalEntry::File { bytes, .. }) if bytes.contains(&0));
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

/// Returns the old and the new path of a file or link that is only renamed, to a path where nothing existed. The
/// commit moves it instead of writing it again, which preserves its metadata.
fn plain_move(drafts: &[Draft], to: &Draft) -> Option<(WorkspacePath, WorkspacePath)> {
    let origin = drafts.iter().find(|draft| Some(&draft.path) == to.from.as_ref())?;
    let same = match (&origin.before, &to.now) {
        (Some(OriginalEntry::Link), DraftContent::Link) => true,
        (Some(OriginalEntry::File { bytes, .. }), DraftContent::Bytes(now)) => bytes == now,
        _ => false,
    };
    let first = drafts.iter().find(|draft| draft.from == to.from)?;
    let free = to.before.is_none() && !origin.is_there() && first.path == to.path;
    (same && free).then(|| (origin.path.clone(), to.path.clone()))
}

/// Returns the write that commits a draft; `None` if nothing changes, or if the path is the target of one of
/// the `moves`.
fn write(moves: &[(WorkspacePath, WorkspacePath)], draft: Draft) -> Option<Write> {
    let Draft { path, before, now, from, .. } = draft;
    if let Some((_, to)) = moves.iter().find(|(from, _)| *from == path) {
        let action = Action::Move { to: to.clone(), overwrite: Overwrite::Refuse };
        return Some(Write { path, action });
    }
    if moves.iter().any(|(_, to)| *to == path) {
        return None;
    }
    let expect = match &before {
        None => Expect::Absent,
        Some(OriginalEntry::File { hash, .. }) => Expect::Hash(*hash),
        Some(OriginalEntry::Link) => Expect::Any,
    };
    let action = match (now, from) {
        (DraftContent::AsBefore, _) => return None,
        (DraftContent::Nothing, _) if before.is_none() => return None,
        (DraftContent::Nothing, _) => Action::Delete { expect },
        (DraftContent::Bytes(bytes), None) => Action::Write { bytes, expect },
        (DraftContent::Bytes(bytes), Some(like)) => Action::WriteLike { bytes, expect, like },
        // Another change uses the link's old path again, so the commit refuses the move.
        (DraftContent::Link, Some(from)) => {
            let action = Action::Move { to: path, overwrite: Overwrite::Refuse };
            return Some(Write { path: from, action });
        }
        (DraftContent::Link, None) => return None,
    };
    Some(Write { path, action })
}
