//! How files are changed: looked at, worked out in memory, then committed together.

mod commit;
mod lines;
mod merge;
mod place;
mod report;
mod whole;

use crate::{
    CallCtx, Changed, Engine, Facts, Failure, Need, Part, failures, fresh,
    operations::change::{Change, Output, Request, Where},
};
use std::time::Duration;
use toolpost_workspace::{AccessKind, ContentHash, WorkspacePath};

/// How long another process that writes the same file is waited for.
pub(crate) const WAIT: Duration = Duration::from_secs(10);

/// A file while it is being changed in memory.
pub(crate) struct Draft {
    pub(crate) path: WorkspacePath,
    /// What is on the disk; none when nothing is there.
    pub(crate) before: Option<Before>,
    /// What shall be there; none before the first change.
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) replaced: usize,
    pub(crate) wrote_whole: bool,
    /// How much of it the caller will have seen, once a part of it is changed.
    pub(crate) seen: Part,
    pub(crate) notes: Vec<String>,
}

/// What is on the disk.
pub(crate) struct Before {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: ContentHash,
}

impl Draft {
    /// Gives the content as the changes so far have left it.
    pub(crate) fn present(&self) -> Option<&[u8]> {
        self.after.as_deref().or_else(|| self.before.as_ref().map(|before| before.bytes.as_slice()))
    }
}

/// Makes all changes, or none.
pub(crate) fn run(engine: &Engine, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let mut paths: Vec<WorkspacePath> = request.changes.iter().map(|change| change.path.clone()).collect();
    paths.sort();
    paths.dedup();
    let hold = engine.workspace().hold(&paths, cx.time_left(WAIT)).map_err(|error| failures::hold(&error))?;
    let mut drafts: Vec<Draft> = Vec::new();
    for (number, change) in request.changes.iter().enumerate() {
        let draft = draft(engine, cx, change, &mut drafts)?;
        let applied = match &change.at {
            Where::Whole(existence) => whole::write(engine, draft, *existence, &change.text),
            Where::Text { .. } => place::replace(engine, cx, draft, change),
            Where::Lines(lines) => lines::edit(engine, cx, draft, lines, &change.text),
            Where::Merge { language } => merge::apply(engine, cx, draft, language.as_deref(), &change.text),
        };
        applied.map_err(|failure| numbered(failure, number, request.changes.len()))?;
    }
    cx.check()?;
    commit::all(engine, cx, &hold, drafts)
}

/// Finds the draft of a file, or begins one with what is on the disk now.
fn draft<'a>(
    engine: &Engine,
    cx: &CallCtx,
    change: &Change,
    drafts: &'a mut Vec<Draft>,
) -> Result<&'a mut Draft, Failure> {
    if let Some(known) = drafts.iter().position(|draft| draft.path == change.path) {
        return Ok(&mut drafts[known]);
    }
    let path = change.path.clone();
    let before = match engine.workspace().read(&path, fresh::LIMIT) {
        Ok(snapshot) => Some(Before { bytes: snapshot.bytes, hash: snapshot.hash }),
        Err(error) if error.why == AccessKind::Missing => None,
        Err(error) if error.why == AccessKind::IsDirectory => {
            return Err(crate::show::find::directory(engine, &path));
        }
        Err(error) => return Err(failures::access(&path, error)),
    };
    let mut draft = Draft {
        path,
        before,
        after: None,
        replaced: 0,
        wrote_whole: false,
        seen: Part::AsBefore,
        notes: Vec::new(),
    };
    judge_again(engine, cx, change, &mut draft)?;
    drafts.push(draft);
    let last = drafts.len() - 1;
    Ok(&mut drafts[last])
}

/// Compares what is on the disk, now that nobody else can change it, with what the caller has seen.
fn judge_again(engine: &Engine, cx: &CallCtx, change: &Change, draft: &mut Draft) -> Result<(), Failure> {
    let Some(before) = &draft.before else { return Ok(()) };
    let seen = cx.expected.get(&draft.path).copied();
    let seen = seen.or_else(|| cx.session.ledger.seen(&draft.path).map(|record| record.hash));
    let Some(seen) = seen else {
        // It was judged when nothing was there, and somebody has made it since.
        let need = match change.at {
            Where::Whole(_) => cx.fresh.whole,
            Where::Text { .. } | Where::Lines(_) | Where::Merge { .. } => cx.fresh.part,
        };
        return if need == Need::Seen { Err(fresh::unread(&draft.path)) } else { Ok(()) };
    };
    if before.hash == seen {
        return Ok(());
    }
    draft.seen = Part::Some;
    match change.at {
        Where::Whole(_) => Err(fresh::stale(cx, &draft.path, &before.bytes)),
        _ if cx.fresh.changed == Changed::Refused => {
            let failure = fresh::stale(cx, &draft.path, &before.bytes);
            let Where::Lines(lines) = &change.at else { return Err(failure) };
            let now = lines::whereabouts(engine, cx, &draft.path, &before.bytes, lines);
            Err(now.into_iter().fold(failure, Failure::hint))
        }
        Where::Text { .. } | Where::Lines(_) | Where::Merge { .. } => {
            let now = toolpost_text::encoding::Text::open(before.bytes.clone(), None).ok();
            let lines = now.and_then(|now| fresh::lines_changed(cx, &draft.path, now.view()));
            let differ = lines.map_or(String::new(), |lines| match lines {
                1 => " (1 line differs)".to_owned(),
                _ => format!(" ({lines} lines differ)"),
            });
            draft.notes.push(format!(
                "the file changed since it was last seen{differ}; the current version was changed"
            ));
            Ok(())
        }
    }
}

/// Says which of several changes failed.
fn numbered(failure: Failure, number: usize, of: usize) -> Failure {
    if of == 1 {
        return failure;
    }
    let facts = Facts { change: u32::try_from(number + 1).ok(), ..failure.facts };
    Failure { what: format!("Edit {}: {} Nothing was changed.", number + 1, failure.what), facts, ..failure }
}
