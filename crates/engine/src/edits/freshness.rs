//! Checks that a caller has seen the content that it is about to overwrite.
//!
//! The checks compare content hashes, never modification times.

mod content_pins;
mod refuse;

use crate::{
    access::{Extent, Touch},
    call::CallCtx,
    failure::{Failure, convert},
    files::Files,
    session::freshness::{ExpectedHashes, ReadRequirement},
};
pub(crate) use refuse::{Disclosure, changed_first, stale};
use toolpost_text::{diff, encoding::Text, lines};
use toolpost_workspace::{AccessKind, ContentHash, Coverage, WorkspacePath, hash};

/// Maximum size in bytes of a file that is read for the comparison; a larger file cannot be edited.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;

/// Checks the content pins of a call and, as far as `cx.fresh` requires it, that the caller has seen the content that
/// the writes of the call replace. Returns, for each written file that the caller has seen, the hash of the seen content.
pub(crate) fn judge(files: &Files, cx: &CallCtx, touches: &[Touch]) -> Result<ExpectedHashes, Failure> {
    content_pins::check(files, cx, touches)?;
    let mut expected = ExpectedHashes::new();
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
        return Ok(None); // the operation itself decides about a missing path, or one that is not a file
    }
    match (&record, extent) {
        (None, _) if need(cx, extent) == ReadRequirement::Nothing => return Ok(None),
        // The content is not compared here: a partial change is checked against the current content later, and a
        // rename leaves the content unchanged.
        (Some(record), Extent::Part | Extent::Name) => return Ok(Some(record.hash)),
        _ => {}
    }
    let present = match files.workspace().read(path, LIMIT) {
        Ok(present) => present,
        // The deletion itself compares the file again, regardless of its size.
        Err(error) if extent == Extent::Gone && matches!(error.why, AccessKind::TooLarge { .. }) => {
            return Ok(record.map(|record| record.hash));
        }
        Err(error) => return Err(convert::access(path, error)),
    };
    // A refusal shows the content only if the call also reads the file: only then was the permission to read
    // checked.
    let reads = touches.contains(&Touch::Read(path.clone()));
    let sight = if reads { Disclosure::Shown } else { Disclosure::Withheld };
    judge_content(files, cx, path, extent, &present.bytes, sight)?;
    Ok(record.map(|record| record.hash))
}

/// Checks a write to a file whose current content is `present`. A write to an unseen empty file is allowed,
/// because it loses nothing.
pub(crate) fn judge_content(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    extent: Extent,
    present: &[u8],
    sight: Disclosure,
) -> Result<(), Failure> {
    let needed = need(cx, extent) == ReadRequirement::Seen;
    match cx.session.ledger.seen(path) {
        None if !needed || present.is_empty() => Ok(()),
        None => Err(refuse::unread(files, path, extent, present, sight)),
        Some(record) if record.hash != hash(present) => Err(stale(files, cx, path, extent, (present, sight))),
        Some(record) if needed && !covers(files, &record.coverage, present) => {
            Err(refuse::unread_in_part(files, cx, path, &record.coverage, (present, sight)))
        }
        Some(_) => Ok(()),
    }
}

/// Returns the requirement for a write of this extent: the caller must have seen the content, or need not have.
fn need(cx: &CallCtx, extent: Extent) -> ReadRequirement {
    match extent {
        Extent::Whole => cx.fresh.whole,
        Extent::Part => cx.fresh.part,
        Extent::Gone | Extent::Name => ReadRequirement::Nothing,
    }
}

/// Returns whether the caller has seen all lines of a file with this content.
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

/// Describes the lines in which the content `now` differs from the content that was seen last; `None` if the session
/// does not store that content, or if one of the contents is not text.
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
