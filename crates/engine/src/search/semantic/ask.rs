//! Semantic queries: computes missing embeddings within the time limit, and searches the index.

use super::{Alike, Output, Request};
use crate::{
    call::CallCtx,
    code::symbol_index::{DirectLook, ready::Wait},
    failure::Failure,
    find::walk::{Complete, WalkReport},
    search::{
        Searcher,
        page::{self, Block},
        parse, rank,
        retrieve::{
            self, Attempt, FillTimes, FilledIndex,
            background::{self, Unfinished},
            omissions,
        },
    },
};
use std::time::Duration;
use toolpost_ranked::embed::Vector;
use toolpost_ranked::{
    EmbeddingIndex, Fusion, Hit, IndexGuard, Reason, SemanticQuery, SemanticResult, UpdateError,
};
use toolpost_workspace::WorkspacePath;

/// The share of the index wait (the time that a call waits for indexes) for reading files; the rest is for computing
/// embeddings.
const READING: f64 = 0.6;
/// The number of ranked blocks is the limit times `TIMES` plus `MORE`, because `varied` drops some of them.
const MORE: usize = 8;
const TIMES: usize = 4;

/// The time limit for re-reading files that changed while embeddings were computed.
const SOON: Duration = Duration::from_millis(300);

/// Runs a semantic search, and assembles the answer.
pub(super) fn answer(search: &Searcher, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    let words = parse::words(&request.query)?;
    request.bases.iter().try_for_each(|base| retrieve::exists(search, base))?;
    let wait = Wait::start(search.code().index_wait(), cx);
    let meaning = search.meaning()?;
    let vector = retrieve::embed(search, &request.query, cx)?;
    let groups = groups(search, &meaning, request, cx)?;
    let files = || "Files".to_owned();
    let (output, without) = retrieve::until_unchanged(&files, || {
        let (mut found, mut walk) = (SemanticResult::default(), None);
        for group in &groups {
            let (guard, look) = updated(search, group, &words, wait, cx)?;
            let Unfinished { meaning, bases, .. } = group;
            let may = |path: &WorkspacePath| cx.may_read(path);
            let own = guard.search_meaning(meaning, &index_query(request, &vector, bases, &may));
            for base in bases {
                let here = omissions::describe(&guard, (base, look), search.files(), cx);
                walk = Some(match walk {
                    Some(all) => joined(all, here),
                    None => here,
                });
            }
            rank::join(&mut found, own);
        }
        let mut walk = walk.unwrap_or_default();
        omissions::add_withheld(&mut walk, found.withheld);
        rank::varied(&mut found, request.limit);
        let doubt = || groups.iter().for_each(|group| group.index.doubt());
        if found.stale {
            doubt();
            return Ok(Attempt::Damaged);
        }
        let hits = found.hits.iter().map(|(hit, _)| hit);
        let Some(page) = page::make(search.files(), &limits(request, &words), hits, cx)? else {
            doubt();
            return Ok(Attempt::Changed);
        };
        let without = found.without;
        Ok(Attempt::Found((output(&meaning, &vector, found, page, walk), without)))
    })?;
    if without > 0 {
        background::complete(search, groups, cx);
    }
    Ok(output)
}

/// Updates an index and its embeddings within the time limit, and locks the index.
fn updated<'i>(
    search: &Searcher,
    group: &'i Unfinished,
    words: &[String],
    wait: Wait,
    cx: &CallCtx,
) -> Result<(IndexGuard<'i>, Option<DirectLook>), Failure> {
    let failed = |trouble: UpdateError| retrieve::failed(cx, &trouble);
    let Unfinished { index, meaning, bases } = group;
    let base = bases.first().ok_or_else(|| Failure::invalid("No directory to search is given."))?;
    // Updating the index gets a share of the time; computing embeddings gets the rest.
    let times = FillTimes { reading: wait.share(READING), until: wait.end(), rereading: SOON };
    let parts = (meaning, index, bases.as_slice());
    let locked = retrieve::lock_filled(search, parts, (base, words), times, cx, |_, look| look);
    let FilledIndex { guard, noted: look, filled } = locked.map_err(failed)?;
    filled.map_err(|fault| retrieve::not_embedded(cx, &fault))?;
    cx.check()?;
    Ok((guard, look))
}

/// Converts a request to the query of an index. The query asks for more blocks than the request, because
/// `varied` drops some of them.
fn index_query<'r>(
    request: &'r Request,
    vector: &'r Vector,
    bases: &'r [WorkspacePath],
    may: &'r dyn Fn(&WorkspacePath) -> bool,
) -> SemanticQuery<'r> {
    SemanticQuery {
        question: &request.query,
        vector,
        bases,
        may,
        most: request.limit * TIMES + MORE,
        fusion: Fusion::of_question(&request.query),
    }
}

fn limits<'w>(request: &Request, words: &'w [String]) -> page::PageLimits<'w> {
    page::PageLimits {
        limit: request.limit,
        tokens: Some(request.tokens),
        each: request.each,
        bytes: request.max_bytes,
        words,
    }
}

fn output(
    meaning: &EmbeddingIndex,
    vector: &Vector,
    found: SemanticResult,
    page: page::Page,
    walk: WalkReport,
) -> Output {
    let reason = |block: &Block| {
        // A shown block can begin later than the whole block, after empty lines, so a hit matches if it contains the
        // first shown line.
        let holds = |hit: &Hit| {
            let lines = u64::from(hit.block.first)..=u64::from(hit.block.last);
            hit.key.path == block.path && lines.contains(&block.first_line)
        };
        found.hits.iter().find(|(hit, _)| holds(hit)).map(|(_, reason)| reason.clone()).unwrap_or_default()
    };
    let blocks = page.blocks.into_iter().map(|block| {
        let Reason { likeness, words, .. } = reason(&block);
        Alike { block, likeness: likeness.map(f64::from), words }
    });
    Output {
        blocks: blocks.collect(),
        searched: found.searched,
        compared: found.blocks,
        without: found.without,
        model: meaning.model().shown(),
        unknown: vector.scale == 0.0,
        cut: page.cut,
        walk,
        seen: page.seen,
    }
}

/// Finds the index that covers each directory; directories with the same index form one group.
fn groups(
    search: &Searcher,
    meaning: &EmbeddingIndex,
    request: &Request,
    cx: &CallCtx,
) -> Result<Vec<Unfinished>, Failure> {
    let mut groups: Vec<Unfinished> = Vec::new();
    for base in &request.bases {
        let (index, meaning) = match search.package(base) {
            // A package without its own store of embeddings uses the store of the workspace.
            Some(package) => (package.index, package.meaning.unwrap_or_else(|| meaning.clone())),
            None => {
                let covering = search.words().covering(base, &|| cx.check().is_err());
                let index = covering.map_err(|trouble| retrieve::failed(cx, &trouble))?;
                (index, meaning.clone())
            }
        };
        match groups.iter_mut().find(|known| known.index.is(&index)) {
            Some(known) => known.bases.push(base.clone()),
            None => groups.push(Unfinished { index, meaning, bases: vec![base.clone()] }),
        }
    }
    Ok(groups)
}

/// Merges two reports of parts of the tree that were not searched.
fn joined(mut all: WalkReport, other: WalkReport) -> WalkReport {
    for line in other.skipped {
        if !all.skipped.contains(&line) {
            all.skipped.push(line);
        }
    }
    for line in other.unreadable {
        if !all.unreadable.contains(&line) {
            all.unreadable.push(line);
        }
    }
    all.other_roots.retain(|root| other.other_roots.contains(root));
    all.unfinished = all.unfinished.or(other.unfinished);
    all.unreadable_total += other.unreadable_total;
    if all.complete == Complete::Yes {
        all.complete = other.complete;
    }
    all
}
