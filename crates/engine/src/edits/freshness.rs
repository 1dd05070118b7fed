//! Whether a caller knows what it is about to write over; content decides, by hash, never the time.

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

/// The most that is read to compare; a larger file cannot be changed anyway.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;

/// Judges all writes of a call; gives the content that the caller has seen of each file.
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
        return Ok(None); // what is no file, or is not there, is judged by the operation itself
    }
    match (&record, extent) {
        (None, _) if need(cx, extent) == Need::Nothing => return Ok(None),
        // The text itself is compared, in the present content, or goes on as it is.
        (Some(record), Extent::Part | Extent::Name) => return Ok(Some(record.hash)),
        _ => {}
    }
    let present = match files.workspace().read(path, LIMIT) {
        Ok(present) => present,
        // What goes is compared once more when it goes, whatever its size.
        Err(error) if extent == Extent::Gone && matches!(error.why, AccessKind::TooLarge { .. }) => {
            return Ok(record.map(|record| record.hash));
        }
        Err(error) => return Err(convert::access(path, error)),
    };
    // Only a call that reads the file was asked whether it may, and only to it is the content shown.
    let reads = touches.contains(&Touch::Read(path.clone()));
    let sight = if reads { Sight::Shown } else { Sight::Withheld };
    judge_content(files, cx, path, extent, &present.bytes, sight)?;
    Ok(record.map(|record| record.hash))
}

/// Judges a write of so much of a file, in which `present` stands; of an empty one nothing can be lost.
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

/// Tells what must have been seen of a file before so much of it is written.
fn need(cx: &CallCtx, extent: Extent) -> Need {
    match extent {
        Extent::Whole => cx.fresh.whole,
        Extent::Part => cx.fresh.part,
        Extent::Gone | Extent::Name => Need::Nothing,
    }
}

/// Tells whether all lines of a content have been shown, counted as they were when they were.
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

/// Describes the lines that are not as they were when the file was last seen.
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
