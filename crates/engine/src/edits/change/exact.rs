//! Changes a byte range of a file, if the file still has the content to which the range refers.

use super::Exact;
use super::draft::{Draft, OriginalEntry};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    files::lookup,
};
use toolpost_text::encoding::Splice;

/// Computes the content of the file with the byte range replaced by `new`.
pub(super) fn put(
    files: &Files,
    cx: &CallCtx,
    draft: &mut Draft,
    exact: &Exact,
    new: &str,
) -> Result<(), Failure> {
    let Some(text) = draft.text(files)? else {
        return Err(lookup::missing(files, &draft.path, &draft.path.absolute()));
    };
    let stands = matches!(&draft.before, Some(OriginalEntry::File { hash, .. }) if *hash == exact.of);
    if !stands {
        let what = format!(
            "{} has changed since the position of this change was determined; nothing was written.",
            draft.path.display()
        );
        return Err(Failure::new(Kind::Stale, what).hint(Hint::ReadAgain(draft.path.clone())));
    }
    let splice = Splice { range: exact.from..exact.to, new: new.to_owned() };
    draft.splice(cx, &text, &[splice], &[new])
}
