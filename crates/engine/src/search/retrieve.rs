//! Second step of a search: brings an index and its embeddings up to date, as far as the time allows, and
//! locks it.

pub(super) mod background;
pub(super) mod omissions;
pub(crate) mod packages;

pub(super) use crate::code::symbol_index::failed;

use crate::{
    call::CallCtx,
    code::symbol_index::{
        About, DirectLook,
        ready::{self, Wait},
    },
    failure::{Failure, Hint, Kind, convert},
    search::Searcher,
};
use std::time::{Duration, Instant};
use toolpost_ranked::embed::{EmbedError, TextRole, Vector};
use toolpost_ranked::{
    EmbeddingIndex, FillError, Index, IndexGuard, PartialIndex as _, Patience, UpdateError,
};
use toolpost_workspace::{AccessKind, WorkspacePath};

/// The maximum number of times that a search runs if files keep changing.
const AGAIN: usize = 4;

/// The outcome of one attempt of a search.
#[derive(Debug)]
pub(super) enum Attempt<T> {
    /// The result.
    Found(T),
    /// A file changed after it was indexed, or cannot be read.
    Changed,
    /// A part of the index was damaged; the next update rebuilds it.
    Damaged,
}

/// Repeats a search until no file changed between its reading and the answer, and no part of the index is damaged; fails
/// after `AGAIN` attempts. `what` names the files in the message of the failure.
pub(super) fn until_unchanged<T>(
    what: &dyn Fn() -> String,
    mut search: impl FnMut() -> Result<Attempt<T>, Failure>,
) -> Result<T, Failure> {
    let mut is_damaged = false;
    for _ in 0..AGAIN {
        is_damaged = match search()? {
            Attempt::Found(found) => return Ok(found),
            Attempt::Changed => false,
            Attempt::Damaged => true,
        };
    }
    if is_damaged {
        let what = "A part of the search index was damaged each time it was read, although Toolpost rebuilds damaged \
                    parts, so no result would have been correct.";
        let advice = "Make the same call again. If it fails again, ask the operator to check the disk that holds the \
                      state directory of Toolpost.";
        return Err(Failure::new(Kind::Io, what).hint(Hint::Advice(advice.to_owned())));
    }
    let what = format!("{} changed each time they were read, so no result would have been correct.", what());
    Err(Failure::new(Kind::Io, what).hint(Hint::TryAgain))
}

/// Fails if a path to search does not exist or cannot be accessed.
pub(super) fn exists(search: &Searcher, base: &WorkspacePath) -> Result<(), Failure> {
    let Err(error) = search.files().workspace().stat(base) else { return Ok(()) };
    Err(match &error.why {
        AccessKind::Missing => crate::files::lookup::missing(search.files(), base, &base.display()),
        _ => convert::access(base, error),
    })
}

/// Waits, within a time limit, until an index is up to date, and locks it. While the index is incomplete, files that
/// contain the search terms are read before other files.
pub(super) fn lock<'i>(
    search: &Searcher,
    index: &'i Index,
    base: &WorkspacePath,
    terms: &dyn Fn() -> Vec<String>,
    (wait, cx): (Wait, &CallCtx),
) -> Result<(IndexGuard<'i>, Option<DirectLook>), UpdateError> {
    let about = || About { names: terms(), paths: Vec::new(), base: Some(base.clone()) };
    ready::lend(index, search.find(), &about, wait, cx, &|| cx.check().is_err())
}

/// Computes the embedding of a query.
pub(super) fn embed(search: &Searcher, query: &str, cx: &CallCtx) -> Result<Vector, Failure> {
    let made = search.model()?.embed(TextRole::Question, &[query], &|| cx.check().is_err());
    let mut made = made.map_err(|fault| not_embedded(cx, &fault))?;
    made.pop().ok_or_else(|| Failure::new(Kind::Internal, "The model returned no embedding of the query."))
}

/// The time limits of [`lock_filled`].
pub(super) struct FillTimes {
    /// For reading files.
    pub(super) reading: Wait,
    /// For computing embeddings.
    pub(super) until: Instant,
    /// For reading files again that changed meanwhile.
    pub(super) rereading: Duration,
}

/// An index that is locked after embeddings were computed.
pub(super) struct FilledIndex<'i, T> {
    pub(super) guard: IndexGuard<'i>,
    /// The result of the function that saw the index before embeddings were computed.
    pub(super) noted: T,
    /// The error of the embedding model, if some embeddings are missing for that reason.
    pub(super) filled: Result<(), EmbedError>,
}

/// Like [`lock`], but also computes missing embeddings, for which the index is unlocked, so that other searches can use
/// it. `note` sees the index before that.
pub(super) fn lock_filled<'i, T>(
    search: &Searcher,
    (meaning, index, bases): (&EmbeddingIndex, &'i Index, &[WorkspacePath]),
    (base, terms): (&WorkspacePath, &[String]),
    times: FillTimes,
    cx: &CallCtx,
    note: impl FnOnce(&IndexGuard<'_>, Option<DirectLook>) -> T,
) -> Result<FilledIndex<'i, T>, UpdateError> {
    let (guard, look) = lock(search, index, base, &|| terms.to_vec(), (times.reading, cx))?;
    let noted = note(&guard, look);
    drop(guard);
    let filled = match fill((meaning, index, bases), times.until, cx) {
        Err(FillError::Files(trouble)) => return Err(trouble),
        Err(FillError::Model(fault)) => Err(fault),
        Ok(()) => Ok(()),
    };
    // Files that changed while embeddings were computed are read again, so that they are not missing. If the index is
    // incomplete, no time is left for this.
    let rereading = if look.is_some() { Duration::ZERO } else { times.rereading };
    let guard = lock_now(index, rereading, cx)?;
    Ok(FilledIndex { guard, noted, filled })
}

/// Locks an index after reading changed files for at most `time`.
pub(super) fn lock_now<'i>(
    index: &'i Index,
    time: Duration,
    cx: &CallCtx,
) -> Result<IndexGuard<'i>, UpdateError> {
    index.lend_within(&Patience::until(Instant::now() + time), &|| cx.check().is_err())
}

/// Computes missing embeddings of blocks until the time `until`, without checking for changed files: the search that
/// follows checks them. Files that have no embeddings by then are searched by keywords only.
fn fill(
    (meaning, index, bases): (&EmbeddingIndex, &Index, &[WorkspacePath]),
    until: Instant,
    cx: &CallCtx,
) -> Result<(), FillError> {
    let enough = || cx.check().is_err() || Instant::now() >= until;
    let patience = Patience::until(Instant::now());
    match meaning.fill_within(index, bases, &|path| cx.may_read(path), &patience, &enough) {
        Ok(_) | Err(FillError::Model(EmbedError::Stopped) | FillError::Files(UpdateError::Stopped)) => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// Creates the failure for embeddings that cannot be computed.
pub(super) fn not_embedded(cx: &CallCtx, fault: &EmbedError) -> Failure {
    match (cx.check(), fault) {
        (Err(failure), _) => failure,
        (Ok(()), EmbedError::Stopped) => {
            Failure::new(Kind::Timeout, "There was no time to compute the query's embedding.")
        }
        (Ok(()), EmbedError::Model { what, next }) => {
            let failure = Failure::new(Kind::Io, convert::sentence(what));
            failure.hint(Hint::Advice(convert::sentence(next)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_repeated_until_its_files_stay_unchanged() {
        let searched = |settles_at: usize, otherwise: fn() -> Attempt<usize>| {
            let mut searches = 0;
            let found = until_unchanged(&|| "Files below src".to_owned(), || {
                searches += 1;
                Ok(if searches == settles_at { Attempt::Found(searches) } else { otherwise() })
            });
            (found, searches)
        };
        type Otherwise = fn() -> Attempt<usize>;
        let rows: [(Otherwise, &str); 2] = [
            (|| Attempt::Changed, "Files below src changed each time they were read, "),
            (|| Attempt::Damaged, "A part of the search index was damaged each time it was read, "),
        ];
        for (otherwise, words) in rows {
            assert_eq!(searched(1, otherwise), (Ok(1), 1));
            assert_eq!(searched(AGAIN, otherwise), (Ok(AGAIN), AGAIN));
            let (found, searches) = searched(AGAIN + 1, otherwise);
            let failure = found.unwrap_err();
            assert_eq!((failure.kind, searches), (Kind::Io, AGAIN));
            assert!(failure.what.starts_with(words), "{}", failure.what);
        }
    }
}
