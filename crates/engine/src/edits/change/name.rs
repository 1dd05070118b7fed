//! Deletes or renames a file.

use super::draft::{Before, Draft, Now};
use super::moved::Moved;
use super::{Existence, Left};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind, Trouble},
    files::Files,
    seen::Part,
};
use toolpost_text::encoding::Text;
use toolpost_workspace::{Coverage, WorkspacePath};

/// Maximum number of shown lines that should have been removed before.
const REST: usize = 20;

/// The parts of a draft that move to another name.
pub(super) struct Carried {
    now: Now,
    from: WorkspacePath,
    replaced: usize,
    seen: Part,
    notes: Vec<String>,
    next: usize,
    moved: Moved,
}

/// Deletes the file.
pub(super) fn remove(files: &Files, draft: &mut Draft, left: Left) -> Result<(), Failure> {
    if !draft.is_there() {
        return Err(missing(files, draft, Trouble::NotDeleted));
    }
    if left == Left::Nothing
        && let Some(text) =
            draft.present().and_then(|bytes| Text::open(bytes.to_vec(), files.encoding()).ok())
        && !text.view().is_empty()
    {
        let path = draft.path.display();
        let rest: Vec<&str> = text.view().lines().take(REST).collect();
        return Err(Failure::new(
            Kind::NoMatch,
            format!("{path} holds lines that the diff does not remove."),
        )
        .trouble(Trouble::NotDeleted, &draft.path)
        .found(format!("These are left:\n{}", text.shown(&rest.join("\n"))))
        .hint(Hint::ReadAgain(draft.path.clone())));
    }
    draft.now = Now::Nothing;
    draft.from = None;
    Ok(())
}

/// Removes a name, and returns its content for the new name.
pub(super) fn take(files: &Files, cx: &CallCtx, draft: &mut Draft) -> Result<Carried, Failure> {
    if !draft.is_there() {
        return Err(missing(files, draft, Trouble::NotMoved));
    }
    let from = draft.from.take().unwrap_or_else(|| draft.path.clone());
    let known = cx.session.ledger.seen(&from).map(|record| record.coverage);
    let seen = match (&draft.seen, known) {
        (Part::AsBefore, Some(Coverage::Whole)) => Part::Whole,
        _ if draft.wrote_whole => Part::Whole,
        _ => Part::Some,
    };
    let now = match (std::mem::replace(&mut draft.now, Now::Nothing), &draft.before) {
        (Now::AsBefore, Some(Before::File { bytes, .. })) => Now::Bytes(bytes.clone()),
        (Now::AsBefore, _) => Now::Link,
        (now, _) => now,
    };
    Ok(Carried {
        now,
        from,
        replaced: std::mem::take(&mut draft.replaced),
        seen,
        notes: draft.changed_since.take().into_iter().chain(std::mem::take(&mut draft.notes)).collect(),
        next: std::mem::take(&mut draft.next),
        moved: std::mem::take(&mut draft.moved),
    })
}

/// Puts the content of another name under this one.
pub(super) fn put(draft: &mut Draft, carried: Carried, existence: Existence) -> Result<(), Failure> {
    let path = draft.path.display();
    let a_link = matches!(carried.now, Now::Link)
        || matches!((&draft.now, &draft.before), (Now::AsBefore, Some(Before::Link)) | (Now::Link, _));
    match (existence, draft.is_there()) {
        (Existence::Existing, false) => {
            let what = format!("{path} was to be replaced by another file, and does not exist.");
            return Err(Failure::new(Kind::NotFound, what));
        }
        (Existence::New, true) => return Err(in_the_way(&path)),
        // A link never replaces another file, not even one that this call deletes.
        (_, there) if a_link && (there || draft.before.is_some()) => return Err(in_the_way(&path)),
        (_, true) => draft.notes.push(format!("{path} existed and was written over")),
        (_, false) => {}
    }
    draft.now = carried.now;
    draft.from = (carried.from != draft.path).then_some(carried.from);
    draft.replaced = carried.replaced;
    draft.seen = carried.seen;
    (draft.next, draft.moved) = (carried.next, carried.moved);
    draft.notes.extend(carried.notes);
    Ok(())
}

fn in_the_way(path: &str) -> Failure {
    Failure::new(Kind::Conflict, format!("{path} exists already, and would be lost."))
        .hint(Hint::Advice("Name a place where nothing is, or delete what is there first.".to_owned()))
}

fn missing(files: &Files, draft: &Draft, trouble: Trouble) -> Failure {
    crate::files::lookup::not_found(files, &draft.path, &[]).trouble(trouble, &draft.path)
}
