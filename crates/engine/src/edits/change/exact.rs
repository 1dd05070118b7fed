//! Changes a byte range of the file on the disk, if the file still has the content to which the range refers.

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
    let is_replaced = draft.wrote_whole || draft.from.is_some();
    let range = draft.offsets.now(exact.from..exact.to).filter(|_| !is_replaced);
    let Some(range) = range else {
        let what = format!(
            "An earlier change of this call replaces text at bytes {}-{} of {}, which this change also replaces; nothing \
             was written.",
            exact.from,
            exact.to,
            draft.path.display()
        );
        return Err(Failure::invalid(what).hint(Hint::Advice("Combine the two changes into one.".to_owned())));
    };
    draft.splice(cx, &text, &[Splice { range, new: new.to_owned() }], &[new])
}
