//! Semantic queries: computes missing embeddings as far as there is time, and searches the index.

use super::{Alike, Output, Request};
use crate::search::keyword::{Block, ask::failed, left_out, lend, page};
use crate::{
    call::CallCtx,
    code::symbol_index::ready::Wait,
    failure::{Failure, Hint, Kind},
    find::walk::{Complete, Walked},
    search::Searcher,
};
use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use toolpost_index::embed::{Side, Unembedded, Vector};
use toolpost_index::ranked::{
    Fused, Fusion, Hit, Index, Meaning, Meant, Patience, Reason, Trouble, Unfilled,
};
use toolpost_workspace::{AccessKind, WorkspacePath};

/// The maximum number of searches, if a file changes during one.
const AGAIN: usize = 4;
/// The share of the wait for reading files; computing embeddings gets the rest.
const READING: f64 = 0.6;
/// The number of blocks ranked in addition to those shown, since blocks of some files are dropped.
const MORE: usize = 8;
const TIMES: usize = 4;
/// The maximum number of blocks of one file, and of files.
const OF_FILE: usize = 2;
const FILES: usize = 10;
/// The maximum number of blocks of a short answer.
const SHORT: usize = 20;

/// The time limit for re-reading files that changed while embeddings were computed.
const SOON: Duration = Duration::from_millis(300);

/// Directories that one index covers, with its embeddings.
struct Group {
    index: Index,
    meaning: Meaning,
    bases: Vec<WorkspacePath>,
}

/// Searches, and assembles the answer.
pub(super) fn answer(search: &Searcher, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    if request.query.trim().is_empty() {
        return Err(Failure::invalid("The query is empty: say in a few words what to look for."));
    }
    request.bases.iter().try_for_each(|base| exists(search, base))?;
    let wait = Wait::start(search.code().index_wait(), cx);
    let meaning = search.meaning()?;
    let deadline = cx.deadline;
    let stop = || cx.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let vector = vector(&meaning, request, cx, &stop)?;
    let groups = groups(search, &meaning, request, cx, &stop)?;
    let words: Vec<String> = request.query.split_whitespace().map(str::to_ascii_lowercase).collect();
    for _ in 0..AGAIN {
        let (mut found, mut walk) = (Fused::default(), None);
        for Group { index, meaning, bases } in &groups {
            // Updating the index may take all the time there is; embeddings get the rest.
            let Some(base) = bases.first() else { continue };
            let reading = (wait.share(READING), cx);
            let (lent, look) = lend::lend(search, index, base, &|| words.clone(), reading, &stop)
                .map_err(|trouble| failed(cx, &trouble))?;
            drop(lent);
            fill((meaning, index, bases), wait.end(), cx, &stop)?;
            // Files written a moment ago are read once more; otherwise they would be missing. An incomplete index has
            // had its time.
            let soon = if look.is_some() { Duration::ZERO } else { SOON };
            let now = Patience::until(Instant::now() + soon);
            let lent = index.lend_within(&now, &stop).map_err(|trouble| failed(cx, &trouble))?;
            let may = |path: &WorkspacePath| cx.may_read(path);
            let own = lent.search_meaning(meaning, &meant(request, &vector, bases, &may));
            for base in bases {
                let withheld = if walk.is_none() { own.withheld } else { 0 };
                let here = left_out::words(&lent, (base, look), withheld, search.files(), cx);
                walk = Some(match walk {
                    Some(all) => joined(all, here),
                    None => here,
                });
            }
            join(&mut found, own);
        }
        varied(&mut found, request.limit);
        let room = room(request, &words);
        if found.stale {
            groups.iter().for_each(|group| group.index.doubt());
            continue;
        }
        match page::make(search.files(), &room, found.hits.iter().map(|(hit, _)| hit), cx)? {
            Some(page) => {
                if found.without > 0 {
                    fill_on(search, groups, cx);
                }
                return Ok(output(&meaning, &vector, found, page, walk.unwrap_or_default()));
            }
            None => groups.iter().for_each(|group| group.index.doubt()),
        }
    }
    let what = "Files changed each time they were read, so that no answer would have been true.";
    Err(Failure::new(Kind::Io, what).hint(Hint::TryAgain))
}

/// Returns the question to an index.
fn meant<'r>(
    request: &'r Request,
    vector: &'r Vector,
    bases: &'r [WorkspacePath],
    may: &'r dyn Fn(&WorkspacePath) -> bool,
) -> Meant<'r> {
    Meant {
        question: &request.query,
        vector,
        bases,
        may,
        most: request.limit * TIMES + MORE,
        fusion: Fusion::of_question(&request.query),
    }
}

fn room<'w>(request: &Request, words: &'w [String]) -> page::Room<'w> {
    page::Room {
        limit: request.limit,
        tokens: Some(request.tokens),
        each: request.each,
        bytes: request.max_bytes,
        words,
    }
}

fn output(meaning: &Meaning, vector: &Vector, found: Fused, page: page::Page, walk: Walked) -> Output {
    let reason = |block: &Block| {
        // A cut block begins where the whole block did, or after its empty lines.
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

/// Computes the embedding of the query.
fn vector(
    meaning: &Meaning,
    request: &Request,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vector, Failure> {
    let made = meaning.model().embed(Side::Question, &[&request.query], stop);
    let mut made = made.map_err(|fault| unmade(cx, &fault))?;
    made.pop().ok_or_else(|| Failure::new(Kind::Internal, "The model made no vector of the query."))
}

/// Finds the index that covers each directory; directories of one index stay together.
fn groups(
    search: &Searcher,
    meaning: &Meaning,
    request: &Request,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Group>, Failure> {
    let mut groups: Vec<Group> = Vec::new();
    for base in &request.bases {
        let (index, meaning) = match search.package(base) {
            // If its own embeddings cannot be stored, those of the workspace's model are computed again.
            Some(package) => (package.index, package.meaning.unwrap_or_else(|| meaning.clone())),
            None => {
                let index = search.words().covering(base, stop).map_err(|trouble| failed(cx, &trouble))?;
                (index, meaning.clone())
            }
        };
        match groups.iter_mut().find(|known| known.index.is(&index)) {
            Some(known) => known.bases.push(base.clone()),
            None => groups.push(Group { index, meaning, bases: vec![base.clone()] }),
        }
    }
    Ok(groups)
}

/// Computes embeddings until a time; the other files are found by their terms alone, and the reply reports that.
fn fill(
    (meaning, index, bases): (&Meaning, &Index, &[WorkspacePath]),
    until: Instant,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    let enough = || stop() || Instant::now() >= until;
    let patience = Patience::until(Instant::now());
    match meaning.fill_within(index, bases, &|path| cx.may_read(path), &patience, &enough) {
        Ok(_) | Err(Unfilled::Model(Unembedded::Stopped)) => cx.check(),
        // There was no time to check the files again; the search does it.
        Err(Unfilled::Files(Trouble::Stopped)) => cx.check(),
        Err(Unfilled::Files(trouble)) => Err(failed(cx, &trouble)),
        Err(Unfilled::Model(fault)) => Err(unmade(cx, &fault)),
    }
}

/// Computes the other embeddings in the background, so that the next answer has more of them.
fn fill_on(search: &Searcher, groups: Vec<Group>, cx: &CallCtx) {
    if search.filling().swap(true, Ordering::AcqRel) {
        return;
    }
    let (filling, may) = (Arc::downgrade(search.filling()), cx.read_filter());
    let work = move || {
        let gone = || filling.strong_count() == 0;
        for Group { index, meaning, bases } in groups {
            // A model that fails fails the next search as well, which reports it.
            let _ = meaning.fill(&index, &bases, &*may, &gone);
        }
        if let Some(filling) = filling.upgrade() {
            filling.store(false, Ordering::Release);
        }
    };
    if std::thread::Builder::new().name("vectors".to_owned()).spawn(work).is_err() {
        search.filling().store(false, Ordering::Release);
    }
}

/// Keeps the best blocks of each file, and the best files; keeps everything in a long answer.
fn varied(found: &mut Fused, limit: usize) {
    if limit > SHORT {
        return;
    }
    let mut files: HashMap<String, usize> = HashMap::new();
    found.hits.retain(|(hit, _)| {
        let room = files.contains_key(&hit.key.path) || files.len() < FILES;
        let count = files.get(&hit.key.path).copied().unwrap_or(0) + 1;
        let wanted = room && count <= OF_FILE;
        if wanted {
            files.insert(hit.key.path.clone(), count);
        }
        wanted
    });
}

fn unmade(cx: &CallCtx, fault: &Unembedded) -> Failure {
    match (cx.check(), fault) {
        (Err(failure), _) => failure,
        (Ok(()), Unembedded::Stopped) => {
            Failure::new(Kind::Timeout, "There was no time to make the query's vector.")
        }
        (Ok(()), Unembedded::Model { what, next }) => {
            let failure = Failure::new(Kind::Io, crate::failure::convert::sentence(what));
            failure.hint(Hint::Advice(crate::failure::convert::sentence(next)))
        }
    }
}

/// Fails if nothing exists at a path to search.
fn exists(search: &Searcher, base: &WorkspacePath) -> Result<(), Failure> {
    let Err(error) = search.files().workspace().stat(base) else { return Ok(()) };
    Err(match &error.why {
        AccessKind::Missing => crate::files::lookup::missing(search.files(), base, &base.display()),
        _ => crate::failure::convert::access(base, error),
    })
}

/// Adds the results of another index.
fn join(all: &mut Fused, own: Fused) {
    all.hits.extend(own.hits);
    all.hits.sort_by(|(one, _), (other, _)| {
        let by_score = other.key.score.total_cmp(&one.key.score);
        by_score.then_with(|| (&one.key.path, one.key.first).cmp(&(&other.key.path, other.key.first)))
    });
    all.searched += own.searched;
    all.blocks += own.blocks;
    all.without += own.without;
    all.withheld += own.withheld;
    all.stale |= own.stale;
}

/// Merges the reports of several directories about the parts that were not searched.
fn joined(mut all: Walked, other: Walked) -> Walked {
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
