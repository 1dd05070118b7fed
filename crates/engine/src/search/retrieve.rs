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
use std::time::Instant;
use toolpost_ranked::embed::{EmbedError, TextRole, Vector};
use toolpost_ranked::{FillError, Index, IndexGuard, Meaning, Patience, UpdateError};
use toolpost_workspace::{AccessKind, WorkspacePath};

/// The maximum number of times that a search runs if files keep changing.
const AGAIN: usize = 4;

/// Repeats a search until it returns a result or fails; fails after `AGAIN` attempts without a result. `search` returns
/// `None` if a file changed while it ran or cannot be read, or if the index was damaged. `what` names the files in the
/// message of the failure.
pub(super) fn until_unchanged<T>(
    what: &dyn Fn() -> String,
    mut search: impl FnMut() -> Result<Option<T>, Failure>,
) -> Result<T, Failure> {
    for _ in 0..AGAIN {
        if let Some(found) = search()? {
            return Ok(found);
        }
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

/// Computes missing embeddings of blocks until the time `until`, without checking for changed files: the search that
/// follows checks them. Files that have no embeddings by then are searched by keywords only.
pub(super) fn fill(
    (meaning, index, bases): (&Meaning, &Index, &[WorkspacePath]),
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
pub(super) fn not_filled(cx: &CallCtx, fault: &FillError) -> Failure {
    match fault {
        FillError::Files(trouble) => failed(cx, trouble),
        FillError::Model(fault) => not_embedded(cx, fault),
    }
}

fn not_embedded(cx: &CallCtx, fault: &EmbedError) -> Failure {
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
        let searched = |settles_at: usize| {
            let mut searches = 0;
            let found = until_unchanged(&|| "Files below src".to_owned(), || {
                searches += 1;
                Ok((searches == settles_at).then_some(searches))
            });
            (found, searches)
        };
        assert_eq!(searched(1), (Ok(1), 1));
        assert_eq!(searched(AGAIN), (Ok(AGAIN), AGAIN));
        let (found, searches) = searched(AGAIN + 1);
        let failure = found.unwrap_err();
        assert_eq!((failure.kind, searches), (Kind::Io, AGAIN));
        assert!(failure.what.starts_with("Files below src changed each time"), "{}", failure.what);
    }
}
