//! Checks that a caller knows the content that it is about to overwrite: compares hashes of the content,
//! never times.

mod pinned;
mod refuse;

use crate::{
    access::{Extent, Touch},
    call::CallCtx,
    failure::{Failure, convert},
    files::Files,
    session::freshness::{Expected, Need},
};
pub(crate) use refuse::{Sight, stale};
use toolpost_text::{diff, encoding::Text, lines};
use toolpost_workspace::{AccessKind, ContentHash, Coverage, WorkspacePath, hash};

/// Maximum size in bytes of a file that is read to compare; a larger file cannot be changed anyway.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;

/// Checks all writes of a call; returns the content that the caller has seen of each file.
pub(crate) fn judge(files: &Files, cx: &CallCtx, touches: &[Touch]) -> Result<Expected, Failure> {
    pinned::check(files, cx, touches)?;
    let mut expected = Expected::new();
    for touch in touches {
        if let Touch::Write(path, extent) = touch
            && let Some(hash) = write(files, cx, touches, path, *extent)?
        {
            expected.insert(path.clone(), hash);
        }
    }
    Ok(expected)
}

fn write(
    files: &Files,
    cx: &CallCtx,
    touches: &[Touch],
    path: &WorkspacePath,
    extent: Extent,
) -> Result<Option<ContentHash>, Failure> {
    let record = cx.session.ledger.seen(path);
    let is_file = match files.workspace().stat(path) {
        Ok(stat) => stat.kind == toolpost_workspace::Kind::File,
        Err(error) if error.why == AccessKind::Missing => false,
        Err(error) => return Err(convert::access(path, error)),
    };
    if !is_file {
        return Ok(None); // the operation itself refuses a missing path, or one that is not a file
    }
    match (&record, extent) {
        (None, _) if need(cx, extent) == Need::Nothing => return Ok(None),
        // The edit compares the text itself with the current content, or leaves the content unchanged.
        (Some(record), Extent::Part | Extent::Name) => return Ok(Some(record.hash)),
        _ => {}
    }
    let present = match files.workspace().read(path, LIMIT) {
        Ok(present) => present,
        // A file to delete is compared again at its deletion, whatever its size.
        Err(error) if extent == Extent::Gone && matches!(error.why, AccessKind::TooLarge { .. }) => {
            return Ok(record.map(|record| record.hash));
        }
        Err(error) => return Err(convert::access(path, error)),
    };
    // Only a call that also reads the file was checked for permission to read it, so only such a call sees
    // the content.
    let reads = touches.contains(&Touch::Read(path.clone()));
    let sight = if reads { Sight::Shown } else { Sight::Withheld };
    judge_content(files, cx, path, extent, &present.bytes, sight)?;
    Ok(record.map(|record| record.hash))
}

/// Checks a write to a part of a file, or all of it, with the content `present`. A write to an empty file
/// loses nothing.
pub(crate) fn judge_content(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    extent: Extent,
    present: &[u8],
    sight: Sight,
) -> Result<(), Failure> {
    let needed = need(cx, extent) == Need::Seen;
    match cx.session.ledger.seen(path) {
        None if !needed || present.is_empty() => Ok(()),
        None => Err(refuse::unread(files, path, extent, present, sight)),
        Some(record) if record.hash != hash(present) => Err(stale(files, cx, path, present, sight)),
        Some(record) if needed && !covers(files, &record.coverage, present) => {
            Err(refuse::unread_in_part(files, path, present, sight))
        }
        Some(_) => Ok(()),
    }
}

/// Returns the read requirement for a write of this extent.
fn need(cx: &CallCtx, extent: Extent) -> Need {
    match extent {
        Extent::Whole => cx.fresh.whole,
        Extent::Part => cx.fresh.part,
        Extent::Gone | Extent::Name => Need::Nothing,
    }
}

/// Returns whether all lines of a content have been shown, by the line numbers at that time.
fn covers(files: &Files, coverage: &Coverage, bytes: &[u8]) -> bool {
    match coverage {
        Coverage::Whole => true,
        Coverage::Part => false,
        Coverage::Lines(ranges) => {
            let Ok(text) = Text::open(bytes.to_vec(), files.encoding()) else { return false };
            let lines = lines::count(text.view()) as u64;
            ranges.first().is_some_and(|range| *range.start() == 1 && *range.end() >= lines)
        }
    }
}

/// Describes the lines that have changed since the file was last seen.
pub(crate) fn lines_changed(files: &Files, cx: &CallCtx, path: &WorkspacePath, now: &[u8]) -> Option<String> {
    let before = Text::open(cx.session.remembered(path)?.to_vec(), files.encoding()).ok()?;
    let now = Text::open(now.to_vec(), files.encoding()).ok()?;
    let diff = diff::unified(before.view(), now.view(), 0);
    let (first, last) = (diff.first_line, diff.last_line);
    Some(match diff.added.max(diff.removed) {
        1 => format!("1 line differs: line {first}"),
        lines => format!("{lines} lines differ, between lines {first} and {last}"),
    })
}
