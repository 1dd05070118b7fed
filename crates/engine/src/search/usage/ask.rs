//! Usage search: searches one package after the other as long as there is time, and selects the best blocks.

use super::purpose;
use super::weigh::{Standing, inside, naming, place, twin};
use super::{Consulted, Output, Package, Request};
use crate::search::keyword::page;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    search::{Searcher, packages},
};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use toolpost_index::embed::{Side, Unembedded, Vector};
use toolpost_index::ranked::{Fused, Fusion, Hit, Index, Meaning, Meant, Trouble, Unfilled};
use toolpost_workspace::WorkspacePath;

/// The maximum number of searches of the packages, if a file in one changes.
const AGAIN: usize = 3;
/// The maximum time for reading packages.
const PATIENCE: Duration = Duration::from_secs(30);
/// The shares of the remaining time for reading packages: those that the project names, and others.
const SHARES: (f64, f64) = (0.6, 0.4);
/// The maximum number of blocks of a package, of a file, of the project itself, and in all, for each
/// `OF_TOKENS` tokens.
const MOST: (usize, usize, usize, usize) = (6, 2, 3, 60);
const OF_TOKENS: u64 = 5_000;
/// The number of blocks of each package that are compared with those of others, for each `OF_TOKENS` tokens.
const EACH: usize = 40;
/// The weight of meaning; the terms have the rest.
const MEANING: f64 = 0.8;
/// The bonus of a package whose purpose covers all terms of the question, and the share from which on it is
/// searched early.
const PURPOSE: f64 = 0.35;
const FITTING: f64 = 0.99;
/// The maximum size of one block, in bytes.
const LONGEST: usize = 2_400;
/// The estimated size of a token, in bytes.
const TOKEN: u64 = 4;
/// The maximum number of missing packages that are named.
const NAMED: usize = 8;

/// A package to search, or the project.
struct Source {
    name: Option<String>,
    base: WorkspacePath,
    standing: Standing,
    /// The share of the question's terms that occur in its stated purpose.
    purpose: f64,
    index: Index,
    meaning: Option<Meaning>,
}

/// A package that should be searched, or the project.
struct Wanted {
    name: Option<String>,
    base: WorkspacePath,
    standing: Standing,
    purpose: f64,
}

/// A block that may be shown.
struct Candidate {
    source: usize,
    hit: Hit,
    near: f64,
    fits: f64,
}

/// The results of a search through all packages.
#[derive(Default)]
struct Gathered {
    candidates: Vec<Candidate>,
    searched: usize,
    files: usize,
    withheld: usize,
    later: usize,
    unreadable: Vec<String>,
}

/// Searches, and assembles the answer.
pub(super) fn answer(
    search: &Searcher,
    request: &Request,
    cx: &CallCtx,
    mut told: Option<oneshot::Receiver<Consulted>>,
) -> Result<Output, Failure> {
    let stop = || cx.check().is_err();
    let all = search.files().dependencies()?.all(&stop);
    cx.check()?;
    let vector = vector(search, request, cx)?;
    let purposes = purpose::words(&request.query);
    let known = all.packages.into_iter().map(|package| {
        let standing = Standing::of(&package.label, package.direct, &request.query);
        let purpose = purpose::share(search.files(), &package.path, &purposes);
        Wanted { name: Some(package.label), base: package.path, standing, purpose }
    });
    let mut wanted: Vec<_> = known.collect();
    in_order(&mut wanted, &request.base);
    let mut consulted = None;
    for _ in 0..AGAIN {
        let (mut gathered, sources) = gather(search, request, &wanted, &vector, cx)?;
        let hits = best(std::mem::take(&mut gathered.candidates), &sources, &request.query, times(request));
        if let Some(told) = told.take() {
            consulted = told.blocking_recv().ok();
        }
        let room = room(request, consulted.as_ref());
        let Some(page) = page::make(search.files(), &room, hits.iter().map(|(_, hit)| hit), cx)? else {
            sources.iter().for_each(|source| source.index.doubt());
            continue;
        };
        let missing_more = all.missing.len().saturating_sub(NAMED);
        let missing = all.missing.iter().take(NAMED).map(|one| (one.label.as_str(), one.next.as_str()));
        gathered.unreadable.extend(all.odd.iter().cloned());
        let left = request.tokens.min(request.max_bytes as u64 / TOKEN).saturating_sub(page.tokens);
        return Ok(Output {
            service: consulted.map(|consulted| consulted.cut(left)),
            unsearched: None,
            tokens: page.tokens,
            cut: page.cut,
            packages: grouped(page.blocks, &hits, &sources),
            searched: gathered.searched,
            files: gathered.files,
            read: all.read.clone(),
            missing: by_next_step(missing),
            missing_more,
            later: gathered.later,
            unreadable: gathered.unreadable,
            withheld: gathered.withheld,
            model: search.model()?.shown(),
            unknown: vector.scale == 0.0,
            extent: request.extent,
            seen: page.seen,
        });
    }
    let what = "Files of packages changed each time they were read, so that no answer would have been true.";
    Err(Failure::new(Kind::Io, what).hint(Hint::TryAgain))
}

/// Groups missing packages by the way to get them, so that each way is named once.
fn by_next_step<'a>(missing: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (label, next) in missing {
        match groups.iter_mut().find(|(known, _)| *known == next) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((next, vec![label])),
        }
    }
    let words = |(next, labels): &(&str, Vec<&str>)| match next.strip_suffix(" installs it") {
        Some(command) if labels.len() > 1 => format!("{}: {command} installs them", labels.join(", ")),
        _ => format!("{}: {next}", labels.join(", ")),
    };
    groups.iter().map(words).collect()
}

/// Sorts packages into the order of the search, with the project after those that the question names.
fn in_order(wanted: &mut Vec<Wanted>, base: &WorkspacePath) {
    // Packages that the question names come first, then those that the project names.
    wanted.sort_by_key(|wanted| match wanted.standing {
        Standing::Named => 0,
        _ if wanted.purpose >= FITTING => 1,
        Standing::Direct | Standing::Own => 2,
        Standing::Indirect => 3,
        Standing::Tooling => 4,
    });
    let named = wanted.iter().filter(|wanted| wanted.standing == Standing::Named).count();
    wanted.insert(named, Wanted { name: None, base: base.clone(), standing: Standing::Own, purpose: 0.0 });
}

/// Leaves half of the room to the service, or as much as it needs if that is less.
fn room(request: &Request, consulted: Option<&Consulted>) -> page::Room<'static> {
    let most = request.tokens.min(request.max_bytes as u64 / TOKEN);
    let others = consulted.map_or(0, Consulted::tokens).min(most / 2);
    let bytes = usize::try_from(others * TOKEN).unwrap_or(usize::MAX);
    page::Room {
        limit: MOST.3 * times(request),
        tokens: Some(request.tokens - others),
        each: LONGEST,
        bytes: request.max_bytes.saturating_sub(bytes),
        words: &[],
    }
}

/// Computes the embedding of the question.
fn vector(search: &Searcher, request: &Request, cx: &CallCtx) -> Result<Vector, Failure> {
    let stop = || cx.check().is_err();
    let made = search.model()?.embed(Side::Question, &[&request.query], &stop);
    let mut made = made.map_err(|fault| match (cx.check(), fault) {
        (Err(failure), _) => failure,
        (Ok(()), Unembedded::Stopped) => {
            Failure::new(Kind::Timeout, "There was no time to make the query's vector.")
        }
        (Ok(()), Unembedded::Model { what, next }) => {
            let failure = Failure::new(Kind::Io, crate::failure::convert::sentence(&what));
            failure.hint(Hint::Advice(crate::failure::convert::sentence(&next)))
        }
    })?;
    made.pop().ok_or_else(|| Failure::new(Kind::Internal, "The model made no vector of the query."))
}

/// Searches the packages, in their order, as long as there is time.
fn gather(
    search: &Searcher,
    request: &Request,
    wanted: &[Wanted],
    vector: &Vector,
    cx: &CallCtx,
) -> Result<(Gathered, Vec<Source>), Failure> {
    let began = Instant::now();
    let time = cx.time_left(PATIENCE * 2);
    let (mut out, mut sources) = (Gathered::default(), Vec::new());
    for (at, Wanted { name, base, standing, purpose }) in wanted.iter().enumerate() {
        cx.check()?;
        let far = matches!(standing, Standing::Indirect | Standing::Tooling) && *purpose < FITTING;
        let share = if far { SHARES.1 } else { SHARES.0 };
        let until = began + time.mul_f64(share).min(PATIENCE);
        let enough = || cx.check().is_err() || Instant::now() >= until;
        if enough() {
            out.later += 1;
            continue;
        }
        if at.is_multiple_of(10) {
            cx.progress.tell(at as u64, &format!("{at} of {} packages searched", wanted.len()));
        }
        let known = search.package(base);
        let (index, meaning) = match known {
            Some(packages::Package { index, meaning }) => (index, meaning),
            None => (search.words().clone(), search.meaning().ok()),
        };
        let (name, base) = (name.clone(), base.clone());
        let source = Source { name, base, standing: *standing, purpose: *purpose, index, meaning };
        match one(&source, request, vector, cx, &enough) {
            Ok(found) => {
                out.searched += usize::from(source.name.is_some());
                out.files += found.searched;
                out.withheld += found.withheld;
                let number = sources.len();
                out.candidates.extend(found.hits.into_iter().map(|(hit, reason)| Candidate {
                    source: number,
                    near: reason.likeness.map_or(0.0, |near| f64::from(near).max(0.0)),
                    fits: reason.fits,
                    hit,
                }));
                sources.push(source);
            }
            Err(Trouble::Stopped) => out.later += 1,
            Err(Trouble::Place { place, why }) => out.unreadable.push(format!("{place}: {why}")),
        }
    }
    Ok((out, sources))
}

/// Searches one package: by terms alone if there is no time for embeddings.
fn one(
    source: &Source,
    request: &Request,
    vector: &Vector,
    cx: &CallCtx,
    enough: &(dyn Fn() -> bool + Sync),
) -> Result<Fused, Trouble> {
    let bases = std::slice::from_ref(&source.base);
    drop(source.index.lend(enough)?);
    let Some(meaning) = &source.meaning else { return Ok(Fused::default()) };
    match meaning.fill(&source.index, bases, &|path| cx.may_read(path), enough) {
        Ok(_) | Err(Unfilled::Model(_)) => {}
        Err(Unfilled::Files(trouble)) => return Err(trouble),
    }
    let question = inside(source.name.as_deref(), &request.query);
    let asked = Meant {
        question: &question,
        vector,
        bases,
        may: &|path| cx.may_read(path),
        most: EACH * times(request),
        fusion: Fusion::BEST,
    };
    for _ in 0..AGAIN {
        let found = source.index.lend(enough)?.search_meaning(meaning, &asked);
        if !found.stale {
            return Ok(found);
        }
        source.index.doubt();
    }
    Err(Trouble::Place {
        place: source.base.display(),
        why: "what is kept of it is damaged each time it is made".to_owned(),
    })
}

/// Returns the requested length as a multiple of the default.
fn times(request: &Request) -> usize {
    usize::try_from(request.tokens / OF_TOKENS).unwrap_or(1).max(1)
}

/// Ranks the blocks of all packages together, with a limit for each.
fn best(
    mut candidates: Vec<Candidate>,
    sources: &[Source],
    question: &str,
    times: usize,
) -> Vec<(usize, Hit)> {
    let most = |of: &dyn Fn(&Candidate) -> f64| candidates.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let (nearest, fittest) = (most(&|candidate| candidate.near), most(&|candidate| candidate.fits));
    for Candidate { source, hit, near, fits } in &mut candidates {
        let score = MEANING * *near / nearest + (1.0 - MEANING) * *fits / fittest;
        let standing = sources
            .get(*source)
            .map_or(1.0, |source| source.standing.weight() * (1.0 + PURPOSE * source.purpose));
        let label = sources.get(*source).and_then(|source| source.name.as_deref());
        let own = place(label, hit.path.relative(), &hit.block) * naming(label, &hit.block, question);
        hit.key.score = score * standing * own;
    }
    candidates.sort_by(|one, other| {
        let by_score = other.hit.key.score.total_cmp(&one.hit.key.score);
        let place = |candidate: &Candidate| (candidate.hit.key.path.clone(), candidate.hit.key.first);
        by_score.then_with(|| place(one).cmp(&place(other)))
    });
    let (mut of_source, mut of_file): (HashMap<usize, usize>, HashMap<WorkspacePath, usize>) =
        Default::default();
    let mut known: HashMap<(usize, String, String), WorkspacePath> = HashMap::new();
    candidates.retain(|candidate| {
        if let Some((stem, what)) = twin(candidate.hit.path.relative(), &candidate.hit.block) {
            let first =
                known.entry((candidate.source, stem, what)).or_insert_with(|| candidate.hit.path.clone());
            if *first != candidate.hit.path {
                return false;
            }
        }
        let own = sources.get(candidate.source).is_some_and(|source| source.name.is_none());
        let of_source = of_source.entry(candidate.source).or_default();
        let of_file = of_file.entry(candidate.hit.path.clone()).or_default();
        let room = *of_source < times * if own { MOST.2 } else { MOST.0 } && *of_file < times * MOST.1;
        if room {
            (*of_source, *of_file) = (*of_source + 1, *of_file + 1);
        }
        room
    });
    candidates.into_iter().take(MOST.3 * times).map(|candidate| (candidate.source, candidate.hit)).collect()
}

/// Groups the blocks by package, in the order of the best block of each.
fn grouped(
    blocks: Vec<crate::search::keyword::Block>,
    hits: &[(usize, Hit)],
    sources: &[Source],
) -> Vec<Package> {
    let mut out: Vec<(usize, Package)> = Vec::new();
    // The blocks belong to the first hits, in the same order.
    for (block, (source, _)) in blocks.into_iter().zip(hits) {
        match out.iter_mut().find(|(known, _)| known == source) {
            Some((_, package)) => package.blocks.push(block),
            None => {
                let name = sources.get(*source).and_then(|source| source.name.clone());
                out.push((*source, Package { name, blocks: vec![block] }));
            }
        }
    }
    out.into_iter().map(|(_, package)| package).collect()
}

#[cfg(test)]
mod tests {
    use super::by_next_step;

    #[test]
    fn each_way_to_get_missing_packages_is_named_once() {
        let npm = "`npm install`, or your package manager's equivalent, installs it";
        let missing = [("js:a@1", npm), ("rust:b@2", "`cargo fetch` installs it"), ("js:c@3", npm)];
        assert_eq!(
            by_next_step(missing.into_iter()),
            [
                "js:a@1, js:c@3: `npm install`, or your package manager's equivalent, installs them",
                "rust:b@2: `cargo fetch` installs it"
            ]
        );
    }
}
