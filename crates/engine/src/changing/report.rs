//! Tells what became of a file.

use super::Draft;
use crate::{
    Engine, Part, Seen,
    operations::change::{Changed, What},
};
use toolpost_text::{diff, encoding::Text, lines};
use toolpost_workspace::hash;

/// Lines around each change that the diff shows.
const CONTEXT: usize = 3;

/// Tells what became of a file, after it was committed.
pub(super) fn file(engine: &Engine, draft: Draft) -> Changed {
    let before = draft.before.as_ref().map(|before| before.bytes.as_slice());
    let after = draft.after.unwrap_or_else(|| before.unwrap_or_default().to_vec());
    let (old, new) = (shown(engine, before.unwrap_or_default()), shown(engine, &after));
    let diff = if before.is_some() { diff::unified(&old, &new, CONTEXT) } else { diff::Diff::default() };
    let what = match before {
        None => What::Created,
        Some(bytes) if bytes == after => What::Unchanged,
        Some(_) if draft.wrote_whole => What::Overwritten { lines_before: lines::count(&old) as u64 },
        Some(_) => What::Replaced { count: draft.replaced },
    };
    let hash = hash(&after);
    let part = if before.is_none() || draft.wrote_whole { Part::Whole } else { draft.seen };
    Changed {
        path: draft.path.display(),
        what,
        diff: diff.text,
        added: diff.added,
        removed: diff.removed,
        first_line: diff.first_line,
        last_line: diff.last_line,
        lines: lines::count(&new) as u64,
        bytes: after.len() as u64,
        hash: hash.to_string(),
        notes: draft.notes,
        seen: Seen { path: draft.path, hash: Some(hash), part, bytes: Some(after.into()) },
    }
}

/// Gives the text of a file as it can be shown; nothing for what is no text.
fn shown(engine: &Engine, bytes: &[u8]) -> String {
    match Text::open(bytes.to_vec(), engine.encoding()) {
        Ok(text) => text.shown(text.view()).into_owned(),
        Err(_) => String::new(),
    }
}
