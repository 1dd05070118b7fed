//! Usage search: searches the packages one after the other within the time limit, and selects the best blocks of code.

use super::{Output, Package, Request, ServiceAnswer};
use crate::{
    call::CallCtx,
    code::symbol_index::{
        DirectLook,
        ready::{self, Wait},
    },
    failure::Failure,
    search::{
        Searcher,
        page::{self, Block},
        parse,
        rank::{
            self, Candidate, RankedPackage, purpose,
            weights::{PackageRelation, inside},
        },
        retrieve::{
            self, FillTimes, FilledIndex,
            background::{self, Unfinished},
            packages,
        },
    },
};
use std::time::Duration;
use tokio::sync::oneshot;
use toolpost_packages::{Inventory, VersionSource};
use toolpost_ranked::embed::Vector;
use toolpost_ranked::{
    EmbeddingIndex, Fusion, Hit, Index, IndexGuard, SemanticQuery, SemanticResult, UpdateError,
};
use toolpost_workspace::WorkspacePath;

/// The maximum number of searches of one package if its index turns out to be damaged.
const AGAIN: usize = 3;
/// The share of the remaining time for indexes that one package may take; the packages after it get the rest.
const OF_REST: f64 = 0.5;
/// The length of an answer, in tokens, for which the maximum numbers of blocks are defined; a longer answer multiplies
/// these maximums.
const OF_TOKENS: u64 = 5_000;
/// The number of best blocks that each package contributes to the common ranking, for each `OF_TOKENS` tokens of the
/// answer.
const EACH: usize = 40;
/// The minimum share of the question's terms that a package's description must contain so that the package is
/// searched early.
const FITTING: f64 = 0.99;
/// The maximum size of one block in the answer, in bytes.
const LONGEST: usize = 2_400;
/// The estimated size of a token, in bytes.
const TOKEN: u64 = 4;
/// The maximum number of dependencies without installed sources that the answer names.
const NAMED: usize = 8;

/// A package that should be searched, or the project.
struct SearchTarget {
    base: WorkspacePath,
    package: RankedPackage,
}

/// A package to search, with its indexes.
struct Source {
    base: WorkspacePath,
    package: RankedPackage,
    index: Index,
    meaning: Option<EmbeddingIndex>,
}

/// The results of a search through all packages.
#[derive(Default)]
struct PackageResults {
    candidates: Vec<Candidate>,
    searched: usize,
    files: usize,
    withheld: usize,
    later: usize,
    unreadable: Vec<String>,
    /// The number of files that are not indexed yet, and the number of all files, in the packages that were searched.
    waiting: (usize, usize),
    /// Counts of the files that incomplete indexes do not cover; `None` if all indexes are complete.
    look: Option<DirectLook>,
    /// The indexes and embeddings to complete in the background.
    rest: Vec<Unfinished>,
}

/// Runs a usage search, and assembles the answer; `service` receives the answer of the remote service, if one was queried.
pub(super) fn answer(
    search: &Searcher,
    request: &Request,
    cx: &CallCtx,
    mut service: Option<oneshot::Receiver<ServiceAnswer>>,
) -> Result<Output, Failure> {
    let stop = || cx.check().is_err();
    let all = search.files().dependencies()?.all(&stop);
    cx.check()?;
    let vector = retrieve::embed(search, &request.query, cx)?;
    let purposes = purpose::words(&request.query);
    let (version_files, installed) = version_sources(&all);
    let known = all.packages.into_iter().map(|package| {
        let relation = PackageRelation::of(&package.label, package.direct, &request.query);
        let purpose = purpose::share(search.files(), &package.path, &purposes);
        let ranked = RankedPackage { name: Some(package.label), relation, purpose };
        SearchTarget { base: package.path, package: ranked }
    });
    let mut wanted: Vec<_> = known.collect();
    in_order(&mut wanted, &request.base);
    let mut consulted = None;
    retrieve::until_unchanged(&|| "Files of packages".to_owned(), || {
        let (mut gathered, sources) = gather(search, request, &wanted, &vector, cx)?;
        let packages: Vec<_> = sources.iter().map(|source| &source.package).collect();
        let candidates = std::mem::take(&mut gathered.candidates);
        let hits = rank::best(candidates, &packages, &request.query, times(request));
        if let Some(service) = service.take() {
            consulted = service.blocking_recv().ok();
        }
        let limits = limits(request, consulted.as_ref());
        let Some(page) = page::make(search.files(), &limits, hits.iter().map(|(_, hit)| hit), cx)? else {
            sources.iter().for_each(|source| source.index.doubt());
            return Ok(retrieve::Attempt::Changed);
        };
        background::complete(search, std::mem::take(&mut gathered.rest), cx);
        let (waiting, files) = gathered.waiting;
        let unfinished = (waiting > 0).then(|| ready::unfinished(waiting, files, gathered.look, "the words"));
        let missing_more = all.missing.len().saturating_sub(NAMED);
        let missing = all.missing.iter().take(NAMED).map(|one| (one.label.as_str(), one.next.as_str()));
        gathered.unreadable.extend(all.odd.iter().cloned());
        let left = request.tokens.min(request.max_bytes as u64 / TOKEN).saturating_sub(page.tokens);
        Ok(retrieve::Attempt::Found(Output {
            service: consulted.take().map(|consulted| consulted.cut(left)),
            other_roots: search.other_roots(&request.base),
            unsearched: None,
            tokens: page.tokens,
            cut: page.cut,
            packages: grouped(page.blocks, &hits, &sources),
            searched: gathered.searched,
            files: gathered.files,
            read: all.read.clone(),
            version_files: version_files.clone(),
            installed: installed.clone(),
            missing: by_next_step(missing),
            missing_more,
            later: gathered.later,
            unfinished,
            unreadable: gathered.unreadable,
            withheld: gathered.withheld,
            model: search.model()?.shown(),
            unknown: vector.scale == 0.0,
            extent: request.extent,
            seen: page.seen,
        }))
    })
}

/// Lists the files that state the versions of the packages, and the directories whose packages state them themselves.
fn version_sources(all: &Inventory) -> (Vec<String>, Vec<String>) {
    let (mut files, mut installed) = (Vec::new(), Vec::new());
    for source in all.version_sources() {
        match source {
            VersionSource::File(path) => files.push(path.clone()),
            VersionSource::Installed(directory) => installed.push(directory.clone()),
            VersionSource::Unknown => {}
        }
    }
    (files, installed)
}

/// Groups missing packages by the way to install them, so that each command is named once.
fn by_next_step<'a>(missing: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (label, next) in missing {
        match groups.iter_mut().find(|(known, _)| *known == next) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((next, vec![label])),
        }
    }
    let words = |(next, labels): &(&str, Vec<&str>)| format!("{}: {next}", labels.join(", "));
    groups.iter().map(words).collect()
}

/// Sorts packages into the order of the search, and inserts the project after the packages that the question
/// names.
fn in_order(wanted: &mut Vec<SearchTarget>, base: &WorkspacePath) {
    // Packages that the question names come first, then packages whose description fits, then direct
    // dependencies.
    wanted.sort_by_key(|wanted| match wanted.package.relation {
        PackageRelation::Named => 0,
        _ if wanted.package.purpose >= FITTING => 1,
        PackageRelation::Direct | PackageRelation::Own => 2,
        PackageRelation::Indirect => 3,
        PackageRelation::Tooling => 4,
    });
    let named = wanted.iter().filter(|wanted| wanted.package.relation == PackageRelation::Named).count();
    let project = RankedPackage { name: None, relation: PackageRelation::Own, purpose: 0.0 };
    wanted.insert(named, SearchTarget { base: base.clone(), package: project });
}

/// Returns the limits for the results from this machine. The remote service gets up to half of the answer.
fn limits(request: &Request, consulted: Option<&ServiceAnswer>) -> page::PageLimits<'static> {
    let most = request.tokens.min(request.max_bytes as u64 / TOKEN);
    let others = consulted.map_or(0, ServiceAnswer::tokens).min(most / 2);
    let bytes = usize::try_from(others * TOKEN).unwrap_or(usize::MAX);
    page::PageLimits {
        limit: rank::BLOCKS * times(request),
        tokens: Some(request.tokens - others),
        each: LONGEST,
        bytes: request.max_bytes.saturating_sub(bytes),
        words: &[],
    }
}

/// Searches the packages in the order of `wanted`, within the time limit.
fn gather(
    search: &Searcher,
    request: &Request,
    wanted: &[SearchTarget],
    vector: &Vector,
    cx: &CallCtx,
) -> Result<(PackageResults, Vec<Source>), Failure> {
    let wait = Wait::start(search.code().index_wait(), cx);
    let words = parse::words(&request.query)?;
    let (mut out, mut sources) = (PackageResults::default(), Vec::new());
    let progress = cx.progress.stage();
    for (at, SearchTarget { base, package }) in wanted.iter().enumerate() {
        cx.check()?;
        if at.is_multiple_of(10) {
            progress.tell(at as u64, &format!("{at} of {} packages searched", wanted.len()));
        }
        let known = search.package(base);
        let (index, meaning) = match known {
            Some(packages::Package { index, meaning }) => (index, meaning),
            None => (search.words().clone(), search.meaning().ok()),
        };
        let source = Source { base: base.clone(), package: package.clone(), index, meaning };
        // After the time limit, indexes that are not open yet are opened in the background.
        if wait.is_over() && source.index.progress() == (0, 0) {
            out.later += 1;
            out.rest.extend(source.unfinished());
            continue;
        }
        match one(search, &source, (request, &words, vector), wait.rest(OF_REST), cx) {
            Ok((found, progress)) => {
                let is_whole = progress.waiting == 0 && found.without == 0;
                out.rest.extend(source.unfinished().filter(|_| !is_whole));
                out.waiting = (out.waiting.0 + progress.waiting, out.waiting.1 + progress.files);
                out.look = DirectLook::sum(out.look, progress.look);
                out.searched += usize::from(source.package.name.is_some());
                out.files += found.searched;
                out.withheld += found.withheld;
                let number = sources.len();
                out.candidates.extend(found.hits.into_iter().map(|(hit, reason)| Candidate {
                    package: number,
                    near: reason.likeness.map_or(0.0, |near| f64::from(near).max(0.0)),
                    fits: reason.fits,
                    hit,
                }));
                sources.push(source);
            }
            Err(UpdateError::Stopped) => out.later += 1,
            Err(UpdateError::Place { place, why }) => out.unreadable.push(format!("{place}: {why}")),
        }
    }
    Ok((out, sources))
}

impl Source {
    /// Returns the package's index and embeddings, to complete in the background; `None` without an embedding model.
    fn unfinished(&self) -> Option<Unfinished> {
        let meaning = self.meaning.clone()?;
        Some(Unfinished { index: self.index.clone(), meaning, bases: vec![self.base.clone()] })
    }
}

/// Progress of the index of a package.
struct IndexProgress {
    waiting: usize,
    files: usize,
    look: Option<DirectLook>,
}

/// Searches one package within the time limit `wait`. Files that are not indexed yet are read if they contain words of
/// the query. If there is no time for embeddings, the search uses keywords only. Without an embedding model, the result
/// is empty.
fn one(
    search: &Searcher,
    source: &Source,
    (request, words, vector): (&Request, &[String], &Vector),
    wait: Wait,
    cx: &CallCtx,
) -> Result<(SemanticResult, IndexProgress), UpdateError> {
    let progress = |guard: &IndexGuard<'_>, look| {
        let waiting = guard.waiting().iter().filter(|path| source.base.contains(path)).count();
        IndexProgress { waiting, files: waiting + guard.files_at(&source.base), look }
    };
    let Some(meaning) = &source.meaning else {
        let (guard, look) =
            retrieve::lock(search, &source.index, &source.base, &|| words.to_vec(), (wait, cx))?;
        return Ok((SemanticResult::default(), progress(&guard, look)));
    };
    let bases = std::slice::from_ref(&source.base);
    let limits = FillTimes { reading: wait, until: wait.end(), rereading: Duration::ZERO };
    let parts = (meaning, &source.index, bases);
    // If the embedding model fails, the search uses keywords only.
    let FilledIndex { mut guard, noted: progress, filled: _ } =
        retrieve::lock_filled(search, parts, (&source.base, words), limits, cx, progress)?;
    let question = inside(source.package.name.as_deref(), &request.query);
    let query = SemanticQuery {
        question: &question,
        vector,
        bases,
        may: &|path| cx.may_read(path),
        most: EACH * times(request),
        fusion: Fusion::BEST,
    };
    for attempt in 1..=AGAIN {
        let found = guard.search_meaning(meaning, &query);
        if !found.stale {
            return Ok((found, progress));
        }
        drop(guard);
        source.index.doubt();
        if attempt == AGAIN {
            break;
        }
        guard = retrieve::lock_now(&source.index, Duration::ZERO, cx)?;
    }
    Err(UpdateError::Place {
        place: source.base.display(),
        why: format!(
            "the cached index of it was damaged in {AGAIN} searches: check the disk, or delete the index in the \
             cache directory"
        ),
    })
}

/// Returns the maximum length of the answer as a multiple of the default length.
fn times(request: &Request) -> usize {
    usize::try_from(request.tokens / OF_TOKENS).unwrap_or(1).max(1)
}

/// Groups the blocks of the answer by package, in the order of the best block of each package.
fn grouped(blocks: Vec<Block>, hits: &[(usize, Hit)], sources: &[Source]) -> Vec<Package> {
    let mut out: Vec<(usize, Package)> = Vec::new();
    // The blocks are those of the first hits, in the same order, so each block belongs to the package of the hit at
    // its index.
    for (block, (source, _)) in blocks.into_iter().zip(hits) {
        match out.iter_mut().find(|(known, _)| known == source) {
            Some((_, package)) => package.blocks.push(block),
            None => {
                let name = sources.get(*source).and_then(|source| source.package.name.clone());
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
    fn missing_packages_are_grouped_by_install_command() {
        let npm = "run `npm install`, or your package manager's equivalent, to install the sources";
        let missing =
            [("js:a@1", npm), ("rust:b@2", "run `cargo fetch` to install the sources"), ("js:c@3", npm)];
        assert_eq!(
            by_next_step(missing.into_iter()),
            [
                "js:a@1, js:c@3: run `npm install`, or your package manager's equivalent, to install the sources",
                "rust:b@2: run `cargo fetch` to install the sources"
            ]
        );
    }
}
