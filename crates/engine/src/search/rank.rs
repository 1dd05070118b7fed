//! Third step of a search: ranks the hits of several indexes together, and limits those of one file or package.

pub(super) mod purpose;
pub(super) mod weights;

use std::collections::HashMap;
use toolpost_ranked::{Hit, SemanticResult};
use toolpost_workspace::WorkspacePath;
use weights::{PackageRelation, naming, place, twin};

/// The maximum number of blocks of one file in an answer that counts as short.
const OF_FILE: usize = 2;
/// The maximum number of files in an answer that counts as short.
const FILES: usize = 10;
/// The maximum number of requested blocks for which an answer counts as short.
const SHORT: usize = 20;
/// The maximum number of blocks of one package in a usage search, for an answer of the default length.
const OF_PACKAGE: usize = 6;
/// The maximum number of blocks of one file, in a package or in the project, for a usage answer of the default length.
const OF_PACKAGE_FILE: usize = 2;
/// The maximum number of blocks of the project itself in a usage search, for an answer of the default length.
const OF_PROJECT: usize = 3;
/// The maximum number of blocks that a usage search returns, for an answer of the default length.
pub(super) const BLOCKS: usize = 60;
/// The weight of semantic similarity in a block's score. The matching terms have the remaining weight.
const MEANING: f64 = 0.8;
/// The share by which a block's score rises if the description of its package covers all terms of the question.
const PURPOSE: f64 = 0.35;

/// A package whose blocks are ranked, or the project.
#[derive(Clone)]
pub(super) struct RankedPackage {
    /// The label with name and version, such as `rust:serde@1.0.228`; `None` for the project.
    pub(super) name: Option<String>,
    pub(super) relation: PackageRelation,
    /// The share of the question's terms that occur in the description or keywords of the package.
    pub(super) purpose: f64,
}

/// A block that may be shown: `near` is its semantic similarity to the question, `fits` its score for the
/// terms of the question.
pub(super) struct Candidate {
    /// The index of the block's package in the list of ranked packages.
    pub(super) package: usize,
    pub(super) hit: Hit,
    pub(super) near: f64,
    pub(super) fits: f64,
}

/// For a short answer, keeps only the best blocks of each file and the best files; a long answer keeps all blocks.
pub(super) fn varied(found: &mut SemanticResult, limit: usize) {
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

/// Adds the results of a semantic search in another index, and sorts all results by score.
pub(super) fn join(all: &mut SemanticResult, own: SemanticResult) {
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

/// Ranks the blocks of all packages together, with limits for each package and each file, which `times`
/// multiplies. A symbol that several variants of a file contain is kept only in the best variant. Returns the index of
/// the package with each hit.
pub(super) fn best(
    mut candidates: Vec<Candidate>,
    packages: &[&RankedPackage],
    question: &str,
    times: usize,
) -> Vec<(usize, Hit)> {
    let most = |of: &dyn Fn(&Candidate) -> f64| candidates.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
    let (nearest, fittest) = (most(&|candidate| candidate.near), most(&|candidate| candidate.fits));
    for Candidate { package, hit, near, fits } in &mut candidates {
        let score = MEANING * *near / nearest + (1.0 - MEANING) * *fits / fittest;
        let package = packages.get(*package);
        let standing =
            package.map_or(1.0, |package| package.relation.weight() * (1.0 + PURPOSE * package.purpose));
        let label = package.and_then(|package| package.name.as_deref());
        let own = place(label, hit.path.relative(), &hit.block) * naming(label, &hit.block, question);
        hit.key.score = score * standing * own;
    }
    candidates.sort_by(|one, other| {
        let by_score = other.hit.key.score.total_cmp(&one.hit.key.score);
        let place = |candidate: &Candidate| (candidate.hit.key.path.clone(), candidate.hit.key.first);
        by_score.then_with(|| place(one).cmp(&place(other)))
    });
    let (mut of_package, mut of_file): (HashMap<usize, usize>, HashMap<WorkspacePath, usize>) =
        Default::default();
    let mut known: HashMap<(usize, String, String), WorkspacePath> = HashMap::new();
    candidates.retain(|candidate| {
        if let Some((stem, what)) = twin(candidate.hit.path.relative(), &candidate.hit.block) {
            let first =
                known.entry((candidate.package, stem, what)).or_insert_with(|| candidate.hit.path.clone());
            if *first != candidate.hit.path {
                return false;
            }
        }
        let own = packages.get(candidate.package).is_some_and(|package| package.name.is_none());
        let of_package = of_package.entry(candidate.package).or_default();
        let of_file = of_file.entry(candidate.hit.path.clone()).or_default();
        let most = if own { OF_PROJECT } else { OF_PACKAGE };
        let room = *of_package < times * most && *of_file < times * OF_PACKAGE_FILE;
        if room {
            (*of_package, *of_file) = (*of_package + 1, *of_file + 1);
        }
        room
    });
    candidates.into_iter().take(BLOCKS * times).map(|candidate| (candidate.package, candidate.hit)).collect()
}
