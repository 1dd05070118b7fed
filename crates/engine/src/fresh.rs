//! Whether a caller knows what it is about to write over; content decides, by hash, never the time.

use crate::{CallCtx, Engine, Expected, Extent, Failure, Hint, Kind, Need, Touch, failures};
use toolpost_text::{diff, encoding::Text};
use toolpost_workspace::{AccessKind, Coverage, WorkspacePath, hash};

/// The most that is read to compare; a larger file cannot be changed anyway.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;
/// How many lines of a file are shown to one who has not seen them.
const HEAD: usize = 40;

/// Judges all writes of a call; gives the content that the caller has seen of each file.
pub(crate) fn judge(engine: &Engine, cx: &CallCtx, touches: &[Touch]) -> Result<Expected, Failure> {
    let mut expected = Expected::new();
    for touch in touches {
        if let Touch::Write(path, extent) = touch
            && let Some(record) = write(engine, cx, path, *extent)?
        {
            expected.insert(path.clone(), record);
        }
    }
    Ok(expected)
}

fn write(
    engine: &Engine,
    cx: &CallCtx,
    path: &WorkspacePath,
    extent: Extent,
) -> Result<Option<toolpost_workspace::ContentHash>, Failure> {
    let record = cx.session.ledger.seen(path);
    let is_file = match engine.workspace().stat(path) {
        Ok(stat) => stat.kind == toolpost_workspace::Kind::File,
        Err(error) if error.why == AccessKind::Missing => false,
        Err(error) => return Err(failures::access(path, error)),
    };
    if !is_file {
        return Ok(None); // what is no file, or is not there, is judged by the operation itself
    }
    let Some(record) = record else {
        return if need(cx, extent) == Need::Seen { Err(unread(path)) } else { Ok(None) };
    };
    if matches!(extent, Extent::Part | Extent::Name) {
        return Ok(Some(record.hash)); // the text itself is compared, in the present content, or goes on as it is
    }
    let present = engine.workspace().read(path, LIMIT).map_err(|error| failures::access(path, error))?;
    if present.hash != record.hash {
        return Err(stale(cx, path, &present.bytes));
    }
    if need(cx, extent) == Need::Seen && !covers(&record.coverage, &present.bytes) {
        return Err(unread_in_part(path));
    }
    Ok(Some(record.hash))
}

/// Judges a part that turned out to be all of a file, of which `present` is on the disk.
pub(crate) fn judge_whole(cx: &CallCtx, path: &WorkspacePath, present: &[u8]) -> Result<(), Failure> {
    if cx.fresh.whole != Need::Seen {
        return Ok(());
    }
    match cx.session.ledger.seen(path) {
        None => Err(unread(path)),
        Some(record) if record.hash != hash(present) => Err(stale(cx, path, present)),
        Some(record) if !covers(&record.coverage, present) => Err(unread_in_part(path)),
        Some(_) => Ok(()),
    }
}

/// Tells what must have been seen of a file before so much of it is written.
pub(crate) fn need(cx: &CallCtx, extent: Extent) -> Need {
    match extent {
        Extent::Whole => cx.fresh.whole,
        Extent::Part => cx.fresh.part,
        Extent::Gone | Extent::Name => Need::Nothing,
    }
}

/// Tells whether all lines of a content have been shown.
fn covers(coverage: &Coverage, bytes: &[u8]) -> bool {
    match coverage {
        Coverage::Whole => true,
        Coverage::Part => false,
        Coverage::Lines(ranges) => {
            let breaks = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            let lines = breaks + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
            ranges.first().is_some_and(|range| *range.start() == 1 && *range.end() >= lines)
        }
    }
}

pub(crate) fn unread(path: &WorkspacePath) -> Failure {
    let what = format!("{} exists, and this session has not seen what is in it.", path.display());
    Failure::new(Kind::Unread, what).hint(Hint::ReadFirst(path.clone()))
}

fn unread_in_part(path: &WorkspacePath) -> Failure {
    let what = format!(
        "Only a part of {} was seen in this session; writing all of it would lose the rest.",
        path.display()
    );
    Failure::new(Kind::Unread, what)
        .hint(Hint::Advice("Read all of it first, or change only the part that you have seen.".to_owned()))
}

/// The refusal to write over a content that was not seen; shows what changed, or the beginning.
pub(crate) fn stale(cx: &CallCtx, path: &WorkspacePath, present: &[u8]) -> Failure {
    let what = format!(
        "{} has changed since it was last seen in this session; nothing was written.",
        path.display()
    );
    let failure = Failure::new(Kind::Stale, what).hint(Hint::ReadAgain(path.clone()));
    let Ok(now) = Text::open(present.to_vec(), None) else { return failure };
    let before = cx.session.remembered(path).and_then(|bytes| Text::open(bytes.to_vec(), None).ok());
    let found = match before.filter(|before| hash(before.bytes()) != hash(present)) {
        Some(before) => format!("What changed:\n{}", diff::unified(before.view(), now.view(), 2).text),
        None => format!("It begins with:\n{}", now.view().lines().take(HEAD).collect::<Vec<_>>().join("\n")),
    };
    failure.found(found)
}

/// Counts the lines that are not as they were when the file was last seen.
pub(crate) fn lines_changed(cx: &CallCtx, path: &WorkspacePath, now: &str) -> Option<usize> {
    let before = Text::open(cx.session.remembered(path)?.to_vec(), None).ok()?;
    let diff = diff::unified(before.view(), now, 0);
    Some(diff.added.max(diff.removed))
}
