//! Answers made of places that were not found through the terms of the query.

use super::{Output, Request, page};
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    find::walk::Walked,
    search::Searcher,
    workers::blocking,
};
use std::collections::HashSet;
use toolpost_index::ranked::{Block, Hit, Key};

/// The maximum number of bytes read of a file.
const LONGEST: u64 = 64 << 20;
/// The maximum number of attempts, if a file changes during one.
const AGAIN: usize = 4;

/// A place to show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) score: f64,
}

/// Shows places in their order, as many as the request has room for; a place that no longer exists is left
/// out.
pub(crate) async fn shown(
    search: &Searcher,
    request: &Request,
    places: Vec<Place>,
    searched: usize,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let (search, request, cx) = (search.clone(), request.clone(), cx.clone());
    blocking(move || {
        for _ in 0..AGAIN {
            let hits: Vec<Hit> = places.iter().filter_map(|place| hit(&search, place, &cx)).collect();
            let room = page::Room {
                limit: request.limit,
                tokens: request.tokens,
                each: usize::MAX,
                bytes: request.max_bytes,
                words: &[],
            };
            let Some(page) = page::make(search.files(), &room, &hits, &cx)? else { continue };
            let files: HashSet<&String> = hits.iter().map(|hit| &hit.key.path).collect();
            return Ok(Output {
                understood: request.query.clone(),
                total: hits.len(),
                before: 0,
                files: files.len(),
                tests: 0,
                tokens: page.tokens,
                cut: page.cut,
                next: None,
                over: false,
                changed: false,
                searched,
                notes: Vec::new(),
                walk: Walked::default().of_one_root(search.files(), &request.base),
                blocks: page.blocks,
                all: request.tokens.is_none(),
                seen: page.seen,
            });
        }
        let what = format!("Files below {} changed each time they were read.", request.base.display());
        Err(Failure::new(Kind::Io, what).hint(Hint::TryAgain))
    })
    .await
}

/// Finds a place in the current file.
fn hit(search: &Searcher, place: &Place, cx: &CallCtx) -> Option<Hit> {
    let path = search.files().resolve_entry(&place.path).ok().filter(|path| cx.may_read(path))?;
    let hash = search.files().workspace().read(&path, LONGEST).ok()?.hash;
    let (first, last) = (u32::try_from(place.first).ok()?, u32::try_from(place.last).ok()?);
    let block =
        Block { first: first.max(1), last, kind: place.kind.clone(), name: place.name.clone(), test: false };
    let key = Key { score: place.score, path: place.path.clone(), first };
    Some(Hit { key, path, hash, block })
}
