//! Search replies for locations that were not selected by keyword search.

use super::{Output, Request};
use crate::{
    call::CallCtx,
    failure::Failure,
    find::walk::WalkReport,
    search::{Searcher, page, retrieve},
    workers::blocking,
};
use std::collections::HashSet;
use toolpost_ranked::{Block, BlockKind, Hit, Key};

/// The maximum size of a file from which a location is shown, in bytes.
const LONGEST: u64 = 64 << 20;

/// A location in a file that is shown like a search result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) kind: BlockKind,
    pub(crate) name: String,
    pub(crate) score: f64,
}

/// Shows locations in the given order, up to the limits of the request; leaves out locations in files that cannot be
/// read, or that the rules protect from being read.
pub(crate) async fn shown(
    search: &Searcher,
    request: &Request,
    places: Vec<Place>,
    searched: usize,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let (search, request, cx) = (search.clone(), request.clone(), cx.clone());
    blocking(move || {
        let files = || format!("Files below {}", request.base.display());
        retrieve::until_unchanged(&files, || {
            let hits: Vec<Hit> = places.iter().filter_map(|place| hit(&search, place, &cx)).collect();
            let limits = page::PageLimits {
                limit: request.limit,
                tokens: request.tokens,
                each: usize::MAX,
                bytes: request.max_bytes,
                words: &[],
            };
            let Some(page) = page::make(search.files(), &limits, &hits, &cx)? else {
                return Ok(retrieve::Attempt::Changed);
            };
            let files: HashSet<&String> = hits.iter().map(|hit| &hit.key.path).collect();
            Ok(retrieve::Attempt::Found(Output {
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
                walk: WalkReport::default().of_one_root(search.files(), &request.base),
                blocks: page.blocks,
                all: request.tokens.is_none(),
                seen: page.seen,
            }))
        })
    })
    .await
}

/// Converts a location to a hit with the file's current hash; `None` if the file cannot be read or the rules
/// forbid it.
fn hit(search: &Searcher, place: &Place, cx: &CallCtx) -> Option<Hit> {
    let path = search.files().resolve_entry(&place.path).ok().filter(|path| cx.may_read(path))?;
    let hash = search.files().workspace().read(&path, LONGEST).ok()?.hash;
    let (first, last) = (u32::try_from(place.first).ok()?, u32::try_from(place.last).ok()?);
    let block = Block { first: first.max(1), last, kind: place.kind, name: place.name.clone(), test: false };
    let key = Key { score: place.score, path: place.path.clone(), first };
    Some(Hit { key, path, hash, block })
}
