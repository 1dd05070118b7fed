//! One search by meaning: how near each block is to a question, together with how well its words fit.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use toolpost_workspace::WorkspacePath;

use super::Meaning;
use super::kept::Kept;
use crate::embed::Vector;
use crate::ranked::find::{Question, Scored};
use crate::ranked::grammar::{Beside, Node, Word};
use crate::ranked::hits::Block;
use crate::ranked::index::Lent;
use crate::ranked::reading::Reading;
use crate::ranked::search::{Hit, hit};
use crate::ranked::table::File;
use crate::ranked::tokens::STEM;
use crate::ranked::tokens::{self, tokens};
use crate::ranked::words::Words;

/// A query by meaning.
pub struct Meant<'a> {
    /// The question, in words.
    pub question: &'a str,
    /// Its vector.
    pub vector: &'a Vector,
    /// The files and directories to search.
    pub bases: &'a [WorkspacePath],
    /// Returns whether a file may be read.
    pub may: &'a dyn Fn(&WorkspacePath) -> bool,
    /// The maximum number of blocks.
    pub most: usize,
    /// The combination of both rankings.
    pub fusion: Fusion,
}

/// The combination of the semantic and the keyword ranking: by scores or by ranks, with the weight of the semantic
/// one from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// Both scores as shares of the best one of their kind, added.
    Scores(f64),
    /// The reciprocals of both ranks, added.
    Ranks(f64),
}

impl Fusion {
    /// The best setting on the packages and histories used for tuning, see `docs/quality.md`.
    pub const BEST: Self = Self::Scores(Self::SHARE);

    /// The weight of the semantic ranking in it.
    const SHARE: f64 = 0.75;
    /// The minimum weight of the semantic ranking, and the numbers of words between which it falls to that: a long
    /// query names its subject.
    const LONG_SHARE: f64 = 0.5;
    const LONG: (f64, f64) = (8.0, 20.0);

    /// The best way for a question: the longer it is, the more its words count.
    #[must_use]
    pub fn of_question(question: &str) -> Self {
        let words = tokens::words(question).count() as f64;
        let long = ((words - Self::LONG.0) / (Self::LONG.1 - Self::LONG.0)).clamp(0.0, 1.0);
        Self::Scores(Self::SHARE - (Self::SHARE - Self::LONG_SHARE) * long)
    }

    /// Combines a similarity and a keyword score in the best way, each relative to the best of its kind.
    #[must_use]
    pub fn best(near: f64, nearest: f64, fits: f64, fittest: f64) -> f64 {
        added(Self::SHARE, near / nearest, fits / fittest)
    }
}

/// The result of a query by meaning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fused {
    /// The blocks, those that fit best first, each with why.
    pub hits: Vec<(Hit, Reason)>,
    /// The number of searched files.
    pub searched: usize,
    /// The number of their blocks.
    pub blocks: usize,
    /// The number of files without embeddings, ranked by keywords alone.
    pub without: usize,
    /// The number of files that must not be read.
    pub withheld: usize,
    /// Set if a part of the index was damaged, so that the query has to be repeated.
    pub stale: bool,
}

/// The evidence for a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reason {
    /// The similarity to the query, at most 1; `None` without an embedding.
    pub likeness: Option<f32>,
    /// The words of the question that it holds, rare ones first.
    pub words: Vec<String>,
    /// The keyword score, comparable across indexes for the same query.
    pub fits: f64,
}

/// After which rank a reciprocal falls slowly.
const RANK: f64 = 60.0;
/// From how many blocks on several threads look at them.
const MANY: usize = 20_000;
/// The maximum number of words in the evidence.
const WORDS: usize = 6;

/// A block, and what speaks for it.
#[derive(Clone, Copy)]
struct Candidate {
    block: Block,
    likeness: Option<f32>,
    words: f64,
    score: f64,
    /// True if it defines the name that the question spells.
    defines: bool,
}

/// A file that is searched.
type Searched<'t> = (u32, &'t File, Option<Kept>);

impl Lent<'_> {
    /// Searches by meaning and by words at once.
    #[must_use]
    pub fn search_meaning(&self, meaning: &Meaning, ask: &Meant<'_>) -> Fused {
        let table = &self.state().table;
        let reading = Reading::new(table);
        let mut found = Fused::default();
        let mut files: Vec<Searched<'_>> = Vec::new();
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
            files.push((number, file, kept));
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
        let mut all = candidates(&files, &worded, ask.vector, &lose);
        found.without += lost.into_inner();
        ask.fusion.score(&mut all);
        all.retain(|candidate| candidate.score > 0.0);
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

/// Finds the blocks that hold any of the words, in order.
fn by_words(held: &dyn Words, words: &[String], within: &dyn Fn(u32) -> bool) -> Vec<Scored> {
    let mut known = HashSet::new();
    let distinct = words.iter().filter(|word| known.insert(word.to_lowercase()));
    let words = distinct.map(|word| Node::Word(Word { text: word.clone(), fuzzy: 0 })).collect();
    let all = Beside { should: words, ..Beside::default() };
    // A question of words has no filter that could be wrong.
    let mut found = Question { words: held, within }.find(&Node::Beside(all)).unwrap_or_default();
    found.sort_unstable_by_key(|found| found.block);
    found
}

/// Collects the evidence for each block.
fn candidates(
    files: &[Searched<'_>],
    worded: &[Scored],
    question: &Vector,
    lose: &(dyn Fn(&File) + Sync),
) -> Vec<Candidate> {
    let of_file = |(number, file, kept): &Searched<'_>, out: &mut Vec<Candidate>| {
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
                out.push(Candidate { block, likeness, words: fits, score: 0.0, defines });
            }
        }
    };
    let blocks: usize = files.iter().map(|(_, file, _)| file.blocks as usize).sum();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    if blocks < MANY || threads == 1 {
        let mut out = Vec::with_capacity(blocks);
        files.iter().for_each(|file| of_file(file, &mut out));
        return out;
    }
    let out = Mutex::new(Vec::with_capacity(blocks));
    std::thread::scope(|scope| {
        for part in files.chunks(files.len().div_ceil(threads)) {
            let (out, of_file) = (&out, &of_file);
            scope.spawn(move || {
                let mut own = Vec::new();
                part.iter().for_each(|file| of_file(file, &mut own));
                out.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
            });
        }
    });
    out.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl Fusion {
    /// Scores each candidate.
    fn score(self, all: &mut [Candidate]) {
        match self {
            Self::Scores(share) => {
                let best =
                    |of: &dyn Fn(&Candidate) -> f64| all.iter().map(of).fold(f64::MIN_POSITIVE, f64::max);
                let nearest = best(&|candidate| candidate.likeness.map_or(0.0, f64::from));
                let fittest = best(&|candidate| candidate.words);
                for candidate in all {
                    let near = candidate.likeness.map_or(0.0, |likeness| f64::from(likeness).max(0.0));
                    // A definition of a name in the query counts as the most similar block.
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

/// Adds two shares of the best of their kind.
fn added(share: f64, near: f64, fits: f64) -> f64 {
    share * near + (1.0 - share) * fits
}

fn reasoned(held: &dyn Words, words: &[String], candidate: &Candidate) -> Option<(Hit, Reason)> {
    let words = self::held(held, candidate, words);
    let reason = Reason { likeness: candidate.likeness, words, fits: candidate.words };
    let meta = held.meta(candidate.block.0)?;
    Some((hit(held, &meta, candidate.block, candidate.score)?, reason))
}

/// Lists the words of a question that a block holds, rare ones first; what most files hold says nothing.
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
