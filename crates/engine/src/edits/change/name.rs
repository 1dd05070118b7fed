//! Deletes or renames a file.

use super::draft::{Draft, DraftContent, OriginalEntry, since_note};
use super::{Existence, RemainingContent};
use super::{line_shifts::LineShifts, offset_shifts::OffsetShifts};
use crate::{
    call::CallCtx,
    failure::{ChangeProblem, Failure, Hint, Kind},
    files::Files,
    seen_content::SeenRange,
};
use toolpost_text::encoding::Text;
use toolpost_workspace::{Coverage, WorkspacePath};

/// Maximum number of remaining lines that the refusal of a deletion shows.
const REST: usize = 20;

/// The parts of a draft that move to another path.
pub(super) struct DraftTransfer {
    now: DraftContent,
    from: WorkspacePath,
    replaced: usize,
    seen: SeenRange,
    notes: Vec<String>,
    next: usize,
    moved: LineShifts,
    offsets: OffsetShifts,
}

pub(super) fn remove(files: &Files, draft: &mut Draft, left: RemainingContent) -> Result<(), Failure> {
    if !draft.is_there() {
        return Err(missing(files, draft, ChangeProblem::NotDeleted));
    }
    if left == RemainingContent::Nothing
        && let Some(text) =
            draft.present().and_then(|bytes| Text::open(bytes.to_vec(), files.encoding()).ok())
        && !text.view().is_empty()
    {
        let path = draft.path.display();
        let rest: Vec<&str> = text.view().lines().take(REST).collect();
        return Err(Failure::new(
            Kind::NoMatch,
            format!("The diff deletes {path}, but does not remove all its lines."),
        )
        .trouble(ChangeProblem::NotDeleted, &draft.path)
        .found(format!("Remaining lines:\n{}", text.shown(&rest.join("\n"))))
        .hint(Hint::ReadAgain(draft.path.clone())));
    }
    draft.now = DraftContent::Nothing;
    draft.from = None;
    Ok(())
}

/// Takes the content away from a path, and returns it for the new path.
pub(super) fn take(files: &Files, cx: &CallCtx, draft: &mut Draft) -> Result<DraftTransfer, Failure> {
    if !draft.is_there() {
        return Err(missing(files, draft, ChangeProblem::NotMoved));
    }
    let from = draft.from.take().unwrap_or_else(|| draft.path.clone());
    let known = cx.session.ledger.seen(&from).map(|record| record.coverage);
    let seen = match (&draft.seen, known) {
        (SeenRange::AsBefore, Some(Coverage::Whole)) => SeenRange::Whole,
        _ if draft.wrote_whole => SeenRange::Whole,
        _ => SeenRange::Some,
    };
    let now = match (std::mem::replace(&mut draft.now, DraftContent::Nothing), &draft.before) {
        (DraftContent::AsBefore, Some(OriginalEntry::File { bytes, .. })) => {
            DraftContent::Bytes(bytes.clone())
        }
        (DraftContent::AsBefore, _) => DraftContent::Link,
        (now, _) => now,
    };
    let since = draft.changed_since.take().map(|differ| since_note(&differ));
    Ok(DraftTransfer {
        now,
        from,
        replaced: std::mem::take(&mut draft.replaced),
        seen,
        notes: since.into_iter().chain(std::mem::take(&mut draft.notes)).collect(),
        next: std::mem::take(&mut draft.next),
        moved: std::mem::take(&mut draft.moved),
        offsets: std::mem::take(&mut draft.offsets),
    })
}

/// Puts content that was taken from another path at the path of this draft.
pub(super) fn put(draft: &mut Draft, carried: DraftTransfer, existence: Existence) -> Result<(), Failure> {
    let path = draft.path.display();
    let a_link = matches!(carried.now, DraftContent::Link)
        || matches!(
            (&draft.now, &draft.before),
            (DraftContent::AsBefore, Some(OriginalEntry::Link)) | (DraftContent::Link, _)
        );
    match (existence, draft.is_there()) {
        (Existence::Existing, false) => {
            let what = format!("{path} does not exist, so it cannot be replaced.");
            return Err(Failure::new(Kind::NotFound, what));
        }
        (Existence::New, true) => return Err(in_the_way(&path)),
        // A link never replaces a file, not even one that this call deletes, and no file replaces an existing link.
        (_, true) if a_link => return Err(in_the_way(&path)),
        (_, false) if a_link && draft.before.is_some() => return Err(replaced(&path)),
        (_, true) => draft.notes.push(format!("{path} existed and was overwritten")),
        (_, false) => {}
    }
    draft.now = carried.now;
    draft.from = (carried.from != draft.path).then_some(carried.from);
    draft.replaced = carried.replaced;
    draft.seen = carried.seen;
    (draft.next, draft.moved, draft.offsets) = (carried.next, carried.moved, carried.offsets);
    draft.notes.extend(carried.notes);
    Ok(())
}

fn in_the_way(path: &str) -> Failure {
    Failure::new(Kind::Conflict, format!("{path} already exists, and would be lost."))
        .hint(Hint::Advice("Choose an unused path, or delete the existing file first.".to_owned()))
}

/// Returns the failure of a link that would take the place of a file or link which the same call deletes or moves away.
fn replaced(path: &str) -> Failure {
    let what = format!(
        "{path} exists before this call, and a symbolic link takes its place; one call cannot do both."
    );
    Failure::new(Kind::Conflict, what).hint(Hint::Advice(
        "Make two calls: delete or move what is there in the first one, and move the link in the second one."
            .to_owned(),
    ))
}

fn missing(files: &Files, draft: &Draft, trouble: ChangeProblem) -> Failure {
    crate::files::lookup::not_found(files, &draft.path, &[]).trouble(trouble, &draft.path)
}
