//! Semantic search: the similarity of each block to a query, combined with its keyword score.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolpost_workspace::{WorkspacePath, on_threads};

use super::EmbeddingIndex;
use super::vectors::VectorLocation;
use crate::derived_files::{self, Origin};
use crate::embed::Vector;
use crate::find::Question;
use crate::grammar::{BooleanQuery, Node, Word};
use crate::hits::Block;
use crate::index::IndexGuard;
use crate::index_access::Words;
use crate::query_reader::QueryReader;
use crate::score::ScoredBlock;
use crate::search::{Hit, hit};
use crate::table::File;
use crate::tokens::STEM;
use crate::tokens::{self, tokens};

/// A query of a semantic search.
pub struct SemanticQuery<'a> {
    /// The question as text.
    pub question: &'a str,
    /// The embedding of the question.
    pub vector: &'a Vector,
    /// The files and directories to search.
    pub bases: &'a [WorkspacePath],
    /// Returns whether the access rules allow a file to be read.
    pub may: &'a dyn Fn(&WorkspacePath) -> bool,
    /// The maximum number of blocks in the result.
    pub most: usize,
    /// The way to combine the semantic and the keyword ranking.
    pub fusion: Fusion,
}

/// The way to combine the semantic and the keyword ranking; the number is the weight of the semantic ranking, from 0 to
/// 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// The weighted sum of the similarity and the keyword score, each divided by the best value of all blocks.
    Scores(f64),
    /// The weighted sum of the reciprocals of a block's semantic and keyword ranks (reciprocal rank fusion).
    Ranks(f64),
}

impl Fusion {
    /// The setting with the best results on the packages and Git histories used for tuning; see `docs/quality.md`.
    pub const BEST: Self = Self::Scores(Self::SHARE);

    /// The weight of the semantic ranking in [`Fusion::BEST`].
    const SHARE: f64 = 0.75;
    /// The minimum weight of the semantic ranking. The weight falls to it as the question grows from 8 to 20 words,
    /// because the keywords of a long question are more reliable.
    const LONG_SHARE: f64 = 0.5;
    const LONG: (f64, f64) = (8.0, 20.0);

    /// Returns the best way to combine the rankings for a question: the longer the question, the higher the weight of
    /// the keyword ranking.
    #[must_use]
    pub fn of_question(question: &str) -> Self {
        let words = tokens::words(question).count() as f64;
        let long = ((words - Self::LONG.0) / (Self::LONG.1 - Self::LONG.0)).clamp(0.0, 1.0);
        Self::Scores(Self::SHARE - (Self::SHARE - Self::LONG_SHARE) * long)
    }

    /// Combines the similarity of a block (`near`) and its keyword score (`fits`) as [`Fusion::BEST`] does; `nearest`
    /// and `fittest` are the best values of all blocks.
    #[must_use]
    pub fn best(near: f64, nearest: f64, fits: f64, fittest: f64) -> f64 {
        added(Self::SHARE, near / nearest, fits / fittest)
    }
}

/// The result of a semantic query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SemanticResult {
    /// The blocks, best first, each with the reason why it was found.
    pub hits: Vec<(Hit, Reason)>,
    /// The number of files that were searched.
    pub searched: usize,
    /// The number of blocks in the searched files.
    pub blocks: usize,
    /// The number of searched files without embeddings, which are ranked by keywords alone.
    pub without: usize,
    /// The number of files that the access rules exclude.
    pub withheld: usize,
    /// Set if a part of the index was damaged, so that the query must be repeated after an update.
    pub stale: bool,
}

/// The reason why a block was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reason {
    /// The similarity of the block to the query, at most 1; `None` without an embedding.
    pub likeness: Option<f32>,
    /// The words of the query that the block contains, the rarest first.
    pub words: Vec<String>,
    /// The keyword score; scores of the same query in different indexes can be compared.
    pub fits: f64,
}

/// The constant of reciprocal rank fusion, which is added to each rank.
const RANK: f64 = 60.0;
/// The factor for the scores of copied and generated code, and the factor that puts generated data after all other blocks.
const COPIED: f64 = 0.5;
const LAST: f64 = 0.99;
/// The minimum number of blocks for which several threads compare embeddings.
const MANY: usize = 20_000;
/// The maximum number of words of the query in the evidence for a block.
const WORDS: usize = 6;

/// A block with its similarity to the query, its keyword score, and the combined score.
#[derive(Clone, Copy)]
struct Candidate {
    block: Block,
    likeness: Option<f32>,
    words: f64,
    score: f64,
    /// True if the block defines a name that is in the query.
    defines: bool,
    origin: Origin,
}

/// A searched file: its number, its data, the location of its embeddings, and its origin for the query.
type SearchedFile<'t> = (u32, &'t File, Option<VectorLocation>, Origin);

impl IndexGuard<'_> {
    /// Runs a semantic search, combined with a keyword search for the words of the question.
    #[must_use]
    pub fn search_meaning(&self, meaning: &EmbeddingIndex, ask: &SemanticQuery<'_>) -> SemanticResult {
        let table = &self.state().table;
        let reading = QueryReader::new(table);
        let mut found = SemanticResult::default();
        let mut files: Vec<SearchedFile<'_>> = Vec::new();
        for (number, file) in table.files() {
            if !ask.bases.iter().any(|base| base.contains(&file.path)) {
                continue;
            }
            if !(ask.may)(&file.path) {
                found.withheld += 1;
                continue;
            }
            let kept = meaning.kept(file);
            found.without += usize::from(kept.is_none());
            found.blocks += file.blocks as usize;
            files.push((number, file, kept, ask.origin(file)));
        }
        found.searched = files.len();
        let within = |number: u32| files.binary_search_by_key(&number, |(own, ..)| *own).is_ok();
        let words: Vec<String> = tokens::words(ask.question).map(|word| word.text.to_owned()).collect();
        let worded = by_words(&reading, &words, &within);
        let lost = AtomicUsize::new(0);
        let lose = |file: &File| {
            meaning.lose(file);
            lost.fetch_add(1, Ordering::Relaxed);
        };
        let all = candidates(&files, &worded, ask.vector, &lose);
        found.without += lost.into_inner();
        let mut all = ranked(ask.fusion, all);
        let shown = |candidate: &Candidate| {
            let file = table.file(candidate.block.0);
            let meta = reading.meta(candidate.block.0);
            let facts = meta.as_ref().and_then(|meta| meta.facts.get(candidate.block.1 as usize));
            (file.map_or("", |file| &*file.shown), facts.map_or(0, |facts| facts.first))
        };
        let order = |one: &Candidate, other: &Candidate| {
            other.score.total_cmp(&one.score).then_with(|| shown(one).cmp(&shown(other)))
        };
        if all.len() > ask.most {
            all.select_nth_unstable_by(ask.most, order);
            all.truncate(ask.most);
        }
        all.sort_unstable_by(order);
        found.stale = self.unbroken(&reading).is_err();
        found.hits = all.iter().filter_map(|candidate| reasoned(&reading, &words, candidate)).collect();
        found
    }
}

impl SemanticQuery<'_> {
    /// Returns the origin of a file. A file or a directory of copies that the query names counts like the project's own
    /// files.
    fn origin(&self, file: &File) -> Origin {
        let is_of_copies = |base: &WorkspacePath| {
            base.contains(&file.path)
                && derived_files::origin(&format!("{}/", base.relative().display())) == Origin::Copied
        };
        let is_named = match file.origin {
            Origin::Written => return Origin::Written,
            Origin::Copied => self.bases.iter().any(is_of_copies),
            Origin::Generated => false,
        };
        if is_named || self.bases.contains(&file.path) { Origin::Written } else { file.origin }
    }
}

/// Scores the blocks of a query: those of copies count less. Blocks of generated data come last, and only if no other
/// block contains a word of the query. If there are other blocks, they must contain such a word.
fn ranked(fusion: Fusion, all: Vec<Candidate>) -> Vec<Candidate> {
    let (mut data, mut all): (Vec<Candidate>, Vec<Candidate>) =
        all.into_iter().partition(|candidate| candidate.origin == Origin::Generated);
    let (is_empty, fits) = (all.is_empty(), all.iter().any(|candidate| candidate.words > 0.0));
    data.retain(|candidate| !fits && (is_empty || candidate.words > 0.0));
    fusion.score(&mut all);
    for candidate in all.iter_mut().filter(|candidate| candidate.origin == Origin::Copied) {
        candidate.score *= COPIED;
    }
    all.retain(|candidate| candidate.score > 0.0);
    fusion.score(&mut data);
    data.retain(|candidate| candidate.score > 0.0);
    let least = all.iter().map(|candidate| candidate.score).fold(1.0, f64::min);
    data.iter_mut().for_each(|candidate| candidate.score *= least * LAST);
    all.append(&mut data);
    all
}

/// Finds the blocks that contain any of `words`, sorted by file and position.
fn by_words(held: &dyn Words, words: &[String], within: &dyn Fn(u32) -> bool) -> Vec<ScoredBlock> {
    let mut known = HashSet::new();
    let distinct = words.iter().filter(|word| known.insert(word.to_lowercase()));
    let words = distinct.map(|word| Node::Word(Word { text: word.clone(), fuzzy: 0 })).collect();
    let all = BooleanQuery { should: words, ..BooleanQuery::default() };
    // A query of plain words has no filter that could be invalid.
    let mut found = Question { words: held, within }.find(&Node::Beside(all)).unwrap_or_default();
    found.sort_unstable_by_key(|found| found.block);
    found
}

/// Collects the blocks that have an embedding or contain a word of the query, with both scores; `worded` are the blocks
/// found by keywords.
fn candidates(
    files: &[SearchedFile<'_>],
    worded: &[ScoredBlock],
    question: &Vector,
    lose: &(dyn Fn(&File) + Sync),
) -> Vec<Candidate> {
    let of_file = |(number, file, kept, origin): &SearchedFile<'_>| {
        let mut out = Vec::new();
        let rows = kept.as_ref().and_then(|kept| kept.read(file.blocks as usize));
        if kept.is_some() && rows.is_none() {
            lose(file);
        }
        let from = worded.partition_point(|found| found.block < (*number, 0));
        let mut words = worded[from..].iter().take_while(|found| found.block.0 == *number).peekable();
        for at in 0..file.blocks {
            let block = (*number, at);
            let fit = words.next_if(|found| found.block == block);
            let (fits, defines) = fit.map_or((0.0, false), |found| (found.score, found.defines));
            let likeness = rows.as_ref().and_then(|rows| rows.likeness(at as usize, question));
            if likeness.is_some() || fits > 0.0 {
                out.push(Candidate { block, likeness, words: fits, score: 0.0, defines, origin: *origin });
            }
        }
        out
    };
    let blocks: usize = files.iter().map(|(_, file, ..)| file.blocks as usize).sum();
    let each = if blocks < MANY { usize::MAX } else { 1 };
    on_threads(files, each, &of_file, &|| false).into_iter().flatten().collect()
}

impl Fusion {
    /// Computes the combined score of each block.
    fn score(self, all: &mut [Candidate]) {
        match self {
            Self::Scores(share) => {
                let best =
                    |of: &dyn Fn(&Candidate) -> f64| all.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
                let nearest = best(&|candidate| candidate.likeness.map_or(0.0, f64::from));
                let fittest = best(&|candidate| candidate.words);
                for candidate in all {
                    let near = candidate.likeness.map_or(0.0, |likeness| f64::from(likeness).max(0.0));
                    // A block that defines a name in the query gets the similarity of the most similar block.
                    let near = if candidate.defines { nearest } else { near };
                    candidate.score = added(share, near / nearest, candidate.words / fittest);
                }
            }
            Self::Ranks(share) => {
                all.sort_unstable_by(|one, other| {
                    let near = |candidate: &Candidate| candidate.likeness.unwrap_or(-1.0);
                    near(other).total_cmp(&near(one)).then(one.block.cmp(&other.block))
                });
                for (rank, candidate) in all.iter_mut().enumerate() {
                    let near = candidate.likeness.is_some_and(|likeness| likeness > 0.0);
                    candidate.score = if near { share / (RANK + rank as f64) } else { 0.0 };
                }
                all.sort_unstable_by(|one, other| {
                    other.words.total_cmp(&one.words).then(one.block.cmp(&other.block))
                });
                for (rank, candidate) in all.iter_mut().enumerate() {
                    if candidate.words > 0.0 {
                        candidate.score += (1.0 - share) / (RANK + rank as f64);
                    }
                }
            }
        }
    }
}

/// Adds a similarity and a keyword score, each relative to the best of its kind; `share` is the weight of the
/// similarity.
fn added(share: f64, near: f64, fits: f64) -> f64 {
    share * near + (1.0 - share) * fits
}

fn reasoned(held: &dyn Words, words: &[String], candidate: &Candidate) -> Option<(Hit, Reason)> {
    let words = self::held(held, candidate, words);
    let reason = Reason { likeness: candidate.likeness, words, fits: candidate.words };
    let meta = held.meta(candidate.block.0)?;
    Some((hit(held, &meta, candidate.block, candidate.score)?, reason))
}

/// Lists the words of a query that a block contains, the rarest first; words that occur in many files are omitted.
fn held(table: &dyn Words, candidate: &Candidate, words: &[String]) -> Vec<String> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let common = table.files().count() / 3 + 3;
    for part in words.iter().flat_map(|word| tokens(word).parts) {
        let stem = tokens::stem(&part).unwrap_or_else(|| part.clone());
        let terms = [table.find(&part), table.find(&format!("{STEM}{stem}"))];
        let mut here = false;
        for term in terms.into_iter().flatten() {
            let own = [candidate.block.0];
            table.spots(term, Some(&own), &mut |_, spot| here |= spot.block == candidate.block.1);
        }
        let holders: usize = terms.into_iter().flatten().map(|term| table.holders(term).len()).sum();
        if here && holders <= common && !out.iter().any(|(_, known)| *known == part) {
            out.push((holders, part));
        }
    }
    out.sort();
    out.into_iter().map(|(_, word)| word).take(WORDS).collect()
}
