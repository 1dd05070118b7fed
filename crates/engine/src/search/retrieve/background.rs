//! Background completion of indexes and embeddings that an answer could not wait for.

use crate::{background::background, call::CallCtx, search::Searcher};
use std::time::{Duration, Instant};
use toolpost_ranked::{
    EmbeddingIndex, FillError, FillReport, Index, Patience, UpdateError, embed::EmbedError,
};
use toolpost_workspace::WorkspacePath;

/// The time after which the background thread pauses so that a waiting search can compute embeddings.
const SLICE: Duration = Duration::from_millis(250);
/// The length of a pause of the background thread.
const BREATH: Duration = Duration::from_millis(5);

/// An index, the embeddings of its blocks, and the directories in which files or embeddings are missing.
pub(in crate::search) struct Unfinished {
    pub(in crate::search) index: Index,
    pub(in crate::search) meaning: EmbeddingIndex,
    pub(in crate::search) bases: Vec<WorkspacePath>,
}

/// Reads the files that are missing in the indexes, and computes their embeddings, on a background thread. Does nothing
/// if such a thread is already running.
pub(in crate::search) fn complete(search: &Searcher, rest: Vec<Unfinished>, cx: &CallCtx) {
    if rest.is_empty() {
        return;
    }
    let may = cx.read_filter();
    background("vectors", search.filling(), move |gone| {
        rest.iter().for_each(|unfinished| finish(unfinished, &*may, gone));
    });
}

/// Reads the files that are missing in an index, then computes their embeddings.
fn finish(
    Unfinished { index, meaning, bases }: &Unfinished,
    may: &dyn Fn(&WorkspacePath) -> bool,
    gone: &(dyn Fn() -> bool + Sync),
) {
    if index.lend(gone).is_err() {
        return;
    }
    loop {
        let end = Instant::now() + SLICE;
        let enough = || gone() || Instant::now() >= end;
        match meaning.fill_within(index, bases, may, &Patience::until(end), &enough) {
            Ok(FillReport { missing: 1.., .. })
            | Err(FillError::Model(EmbedError::Stopped) | FillError::Files(UpdateError::Stopped))
                if !gone() =>
            {
                std::thread::sleep(BREATH);
            }
            // An error of the model ends the work silently, because the next search fails with the same error and reports it.
            _ => return,
        }
    }
}
