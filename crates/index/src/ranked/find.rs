//! Evaluation of queries: BM25 over the parts of blocks.

use std::sync::Arc;

use crate::ranked::definitions;
use crate::ranked::filter::{BadFilter, Filter};
use crate::ranked::grammar::{Beside, Node, Part};
use crate::ranked::hits::{self, Block, COUNTED, Hit};
use crate::ranked::record::PLACES;
use crate::ranked::segment::Meta;
use crate::ranked::words::Words;

/// The settings of a query.
pub(crate) struct Question<'a> {
    pub(crate) words: &'a dyn Words,
    /// Returns whether a file is in the scope of the query.
    pub(crate) within: &'a dyn Fn(u32) -> bool,
}

/// A block that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) block: Block,
    pub(crate) score: f64,
    /// Set if the block itself, and not only its path, contains a word of the query.
    own: bool,
    /// True if the block defines the name that the query spells.
    pub(crate) defines: bool,
}

/// The part of blocks to search, and the number of words in the whole query.
#[derive(Clone, Copy)]
struct Scope {
    part: Option<Part>,
    count: usize,
}

impl Scored {
    /// Creates a block that matches by its own content.
    pub(crate) fn of(block: Block, score: f64) -> Self {
        Self { block, score, own: true, defines: false }
    }
}

/// The weight of a word in each part: name, signature, body, comments, enclosing names, path.
const WEIGHTS: [f64; COUNTED] = [6.0, 2.5, 1.0, 1.2, 1.5, 1.2];
/// The influence of the length of each part.
const LENGTHS: [f64; COUNTED] = [0.3, 0.4, 0.6, 0.5, 0.0, 0.0];
/// From how often on a word more counts little more.
const OFTEN: f64 = 1.2;

/// The share of a word's weight if it is in another part of a long symbol.
const ELSEWHERE: f64 = 0.5;

/// Blocks, as far as they are known yet.
enum Set<'a> {
    Blocks(Vec<Scored>),
    /// The blocks that satisfy a condition.
    Filter(Box<dyn Fn(Block) -> bool + 'a>),
    /// All but these, which are in order.
    Except(Vec<Block>),
}

impl<'a> Question<'a> {
    /// Finds all blocks that a query asks for, in no order that means anything.
    pub(crate) fn find(&self, node: &Node) -> Result<Vec<Scored>, BadFilter> {
        let set = self.set(node, Scope { part: None, count: definitions::word_count(node) })?;
        let mut blocks = self.all_of(set);
        // A path alone speaks for its file once.
        blocks.retain(|found| (found.own || found.block.1 == 0) && (self.within)(found.block.0));
        Ok(blocks)
    }

    fn set(&self, node: &Node, scope: Scope) -> Result<Set<'a>, BadFilter> {
        let sets =
            |nodes: &[Node]| nodes.iter().map(|node| self.set(node, scope)).collect::<Result<Vec<_>, _>>();
        Ok(match node {
            Node::Word(word) => {
                Set::Blocks(self.named(hits::word(self.words, word, scope.part), &word.text, scope))
            }
            Node::Phrase(text) => {
                Set::Blocks(self.named(hits::phrase(self.words, text, scope.part), text, scope))
            }
            Node::Filter(field, values) => {
                let (filter, words) = (Filter::new(*field, values)?, self.words);
                let of_blocks = filter.is_of_blocks();
                Set::Filter(Box::new(move |(number, block)| {
                    let Some(file) = words.file(number) else { return false };
                    let meta = if of_blocks { words.meta(number) } else { None };
                    filter.holds(file, meta.as_ref().and_then(|meta| meta.kinds(block)))
                }))
            }
            Node::In(part, node) => self.set(node, Scope { part: Some(*part), ..scope })?,
            Node::All(nodes) => self.joined_names(self.all(sets(nodes)?), nodes, scope),
            Node::Any(nodes) => self.any(sets(nodes)?),
            Node::Not(node) => self.not(self.set(node, scope)?),
            Node::Beside(beside) => self.beside(beside, scope)?,
            Node::Weighed(node, weight) => match self.set(node, scope)? {
                Set::Blocks(mut blocks) => {
                    blocks.iter_mut().for_each(|found| found.score *= weight);
                    Set::Blocks(blocks)
                }
                other => other,
            },
        })
    }

    fn beside(&self, beside: &Beside, scope: Scope) -> Result<Set<'a>, BadFilter> {
        let sets =
            |nodes: &[Node]| nodes.iter().map(|node| self.set(node, scope)).collect::<Result<Vec<_>, _>>();
        let mut must = sets(&beside.must)?;
        let should = sets(&beside.should)?;
        for set in sets(&beside.never)? {
            must.push(self.not(set));
        }
        if should.is_empty() {
            return Ok(self.all(must));
        }
        let should = self.joined_names(self.any(should), &beside.should, scope);
        if beside.must.iter().all(Node::is_filter) {
            must.insert(0, should);
            return Ok(self.all(must));
        }
        let blocks = self.all_of(self.all(must));
        let more = self.all_of(should);
        Ok(Set::Blocks(joined(blocks, &more)))
    }

    fn all(&self, sets: Vec<Set<'a>>) -> Set<'a> {
        let mut known: Option<Vec<Scored>> = None;
        let (mut filters, mut except): (Vec<_>, Vec<Vec<Block>>) = (Vec::new(), Vec::new());
        for set in sets {
            match set {
                Set::Blocks(blocks) => {
                    known = Some(match known {
                        None => blocks,
                        Some(known) => self.both(&known, &blocks),
                    });
                }
                Set::Filter(filter) => filters.push(filter),
                Set::Except(blocks) => except.push(blocks),
            }
        }
        let mut blocks = match known {
            Some(known) => known,
            None if except.is_empty() => {
                return Set::Filter(Box::new(move |block| filters.iter().all(|filter| filter(block))));
            }
            None if filters.is_empty() => {
                let mut all: Vec<Block> = except.into_iter().flatten().collect();
                all.sort_unstable();
                all.dedup();
                return Set::Except(all);
            }
            None => self.everything(&|_| true),
        };
        blocks.retain(|found| {
            filters.iter().all(|filter| filter(found.block))
                && except.iter().all(|blocks| blocks.binary_search(&found.block).is_err())
        });
        Set::Blocks(blocks)
    }

    fn any(&self, sets: Vec<Set<'a>>) -> Set<'a> {
        if sets.iter().all(|set| matches!(set, Set::Filter(_))) {
            return Set::Filter(Box::new(move |block| {
                sets.iter().any(|set| matches!(set, Set::Filter(filter) if filter(block)))
            }));
        }
        let mut sets = sets.into_iter().map(|set| self.all_of(set));
        let first = sets.next().unwrap_or_default();
        Set::Blocks(sets.fold(first, |known, next| either(&known, &next)))
    }

    fn not(&self, set: Set<'a>) -> Set<'a> {
        match set {
            // Terms that are only in the path are not in the block.
            Set::Blocks(blocks) => {
                let own = blocks.iter().filter(|found| found.own);
                let mut all: Vec<Block> = own.flat_map(|found| self.unit(found.block)).collect();
                all.sort_unstable();
                all.dedup();
                Set::Except(all)
            }
            Set::Filter(filter) => Set::Filter(Box::new(move |block| !filter(block))),
            Set::Except(blocks) => {
                Set::Blocks(blocks.into_iter().map(|block| Scored::of(block, 0.0)).collect())
            }
        }
    }

    /// Lists the blocks that are one with a block, and it.
    fn unit(&self, (number, at): Block) -> impl Iterator<Item = Block> + use<> {
        let parted = self.words.file(number).is_some_and(|file| file.parted);
        let meta = if parted { self.words.meta(number) } else { None };
        meta.map_or(at..at + 1, |meta| meta.unit(at)).map(move |at| (number, at))
    }

    /// Returns the intersection of two ordered lists. For parts of a long symbol, a part in one list is sufficient.
    fn both(&self, one: &[Scored], other: &[Scored]) -> Vec<Scored> {
        let (mut out, mut one, mut other) = (Vec::new(), one, other);
        while let (Some(first), Some(second)) = (one.first(), other.first()) {
            let next = first.block.min(second.block);
            let end = self.unit(next).last().unwrap_or(next);
            let (here, rest) = one.split_at(one.partition_point(|found| found.block <= end));
            let (there, others) = other.split_at(other.partition_point(|found| found.block <= end));
            (one, other) = (rest, others);
            joint(here, there, &mut out);
        }
        out
    }

    /// Lists the blocks of a set.
    fn all_of(&self, set: Set<'a>) -> Vec<Scored> {
        match set {
            Set::Blocks(blocks) => blocks,
            Set::Filter(filter) => self.everything(&filter),
            Set::Except(blocks) => self.everything(&|block| blocks.binary_search(&block).is_err()),
        }
    }

    fn everything(&self, holds: &dyn Fn(Block) -> bool) -> Vec<Scored> {
        let mut out = Vec::new();
        for (number, file) in self.words.files().filter(|(number, _)| (self.within)(*number)) {
            let blocks = (0..file.blocks).map(|block| (number, block));
            out.extend(blocks.filter(|block| holds(*block)).map(|block| Scored::of(block, 0.0)));
        }
        out
    }

    /// Scores the hits of a word, and raises those that define it.
    fn named(&self, hits: Vec<Hit>, text: &str, scope: Scope) -> Vec<Scored> {
        let mut blocks = self.scored(hits);
        if scope.part.is_none_or(|part| part == Part::Name) {
            definitions::raise(self.words, &mut blocks, text, scope.count);
        }
        blocks
    }

    /// Raises the blocks that define a name which adjacent words form.
    fn joined_names(&self, mut set: Set<'a>, nodes: &[Node], scope: Scope) -> Set<'a> {
        if let Set::Blocks(blocks) = &mut set
            && scope.part.is_none_or(|part| part == Part::Name)
        {
            definitions::raise_joined(self.words, blocks, nodes, scope.count);
        }
        set
    }

    /// Scores each hit.
    fn scored(&self, hits: Vec<Hit>) -> Vec<Scored> {
        let (blocks, lengths) = self.words.totals();
        let total = blocks.max(1) as f64;
        let holding = hits.iter().filter(|hit| hit.is_own() || hit.block.1 == 0).count() as f64;
        let rare = rarity(total, holding);
        let mut usual = [1.0; PLACES];
        for (usual, sum) in usual.iter_mut().zip(lengths) {
            *usual = (sum as f64 / total).max(0.5);
        }
        // Hits of one file follow one another.
        let mut last: Option<(u32, Option<Arc<Meta>>)> = None;
        let mut score = |hit: &Hit| {
            if last.as_ref().is_none_or(|(file, _)| *file != hit.block.0) {
                last = Some((hit.block.0, self.words.meta(hit.block.0)));
            }
            let meta = last.as_ref().and_then(|(_, meta)| meta.as_ref());
            let lengths = meta.and_then(|meta| meta.facts.get(hit.block.1 as usize));
            let lengths = lengths.map(|facts| &facts.lengths);
            rare * worth(&hit.counts, lengths, &usual)
        };
        let scored = |hit: &Hit| Scored { own: hit.is_own(), ..Scored::of(hit.block, score(hit)) };
        hits.iter().map(scored).collect()
    }
}

/// Returns the inverse document frequency of a word in `holding` of `total` blocks.
pub(crate) fn rarity(total: f64, holding: f64) -> f64 {
    (1.0 + (total - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

/// Returns the saturated frequency of a word in a block, relative to the usual lengths of its parts: at most 1.
pub(crate) fn worth(counts: &[u32; COUNTED], lengths: Option<&[u16; PLACES]>, usual: &[f64; PLACES]) -> f64 {
    let mut often = 0.0;
    for (place, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let length = lengths.and_then(|lengths| lengths.get(place)).map_or(0.0, |own| f64::from(*own));
        let usual = usual.get(place).copied().unwrap_or(1.0);
        let fair = 1.0 - LENGTHS[place] + LENGTHS[place] * length / usual;
        often += WEIGHTS[place] * f64::from(*count) / fair;
    }
    often / (OFTEN + often)
}

/// Adds the parts of one unit that are in both, or in one where the other is elsewhere in the unit.
fn joint(one: &[Scored], other: &[Scored], out: &mut Vec<Scored>) {
    let best = |all: &[Scored]| all.iter().map(|found| found.score).fold(0.0, f64::max) * ELSEWHERE;
    let (first, second) = (best(one), best(other));
    if one.is_empty() || other.is_empty() {
        return;
    }
    merge(one, other, |left, right| match (left, right) {
        (Some(left), Some(right)) => out.push(sum(left, right)),
        // A part that only the path speaks for holds nothing of either.
        (Some(only), None) if only.own => out.push(Scored { score: only.score + second, ..only }),
        (None, Some(only)) if only.own => out.push(Scored { score: only.score + first, ..only }),
        _ => {}
    });
}

/// Returns the union of two ordered lists.
fn either(one: &[Scored], other: &[Scored]) -> Vec<Scored> {
    let mut out = Vec::with_capacity(one.len() + other.len());
    merge(one, other, |one, other| match (one, other) {
        (Some(one), Some(other)) => out.push(sum(one, other)),
        (Some(only), None) | (None, Some(only)) => out.push(only),
        (None, None) => {}
    });
    out
}

/// Returns the first list, with the scores of the second one added.
fn joined(one: Vec<Scored>, more: &[Scored]) -> Vec<Scored> {
    let mut out = Vec::with_capacity(one.len());
    merge(&one, more, |one, other| {
        if let Some(one) = one {
            out.push(other.map_or(one, |other| sum(one, other)));
        }
    });
    out
}

fn sum(one: Scored, other: Scored) -> Scored {
    Scored {
        score: one.score + other.score,
        own: one.own || other.own,
        defines: one.defines || other.defines,
        ..one
    }
}

fn merge(one: &[Scored], other: &[Scored], mut take: impl FnMut(Option<Scored>, Option<Scored>)) {
    let (mut first, mut second) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    loop {
        match (first.peek(), second.peek()) {
            (None, None) => return,
            (Some(_), None) => take(first.next(), None),
            (None, Some(_)) => take(None, second.next()),
            (Some(left), Some(right)) if left.block < right.block => take(first.next(), None),
            (Some(left), Some(right)) if left.block > right.block => take(None, second.next()),
            (Some(_), Some(_)) => take(first.next(), second.next()),
        }
    }
}
