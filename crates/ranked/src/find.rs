//! Evaluation of keyword queries: BM25 scores over the names, declaration, code and comments of blocks.

use std::sync::Arc;

use crate::definitions;
use crate::filter::{BadFilter, Filter};
use crate::grammar::{BlockPart, BooleanQuery, Node};
use crate::hits::{self, Block, Hit};
use crate::index_access::Words;
use crate::record::PLACES;
use crate::score::{ScoredBlock, rarity, worth};
use crate::segment::Meta;

/// The data that a query is evaluated on: the index, and the files to consider.
pub(crate) struct Question<'a> {
    pub(crate) words: &'a dyn Words,
    /// Returns whether the file with this number is searched.
    pub(crate) within: &'a dyn Fn(u32) -> bool,
}

/// The part of blocks to which `name:` and similar prefixes restrict a search, and the number of words in the whole
/// query.
#[derive(Clone, Copy)]
struct Scope {
    part: Option<BlockPart>,
    count: usize,
}

/// The factor for the score of a word that is not in a block itself, but in another part of the same long symbol.
const ELSEWHERE: f64 = 0.5;

/// The blocks that match a node of the query's syntax tree.
enum Set<'a> {
    Blocks(Vec<ScoredBlock>),
    /// The blocks that satisfy this condition.
    Filter(Box<dyn Fn(Block) -> bool + 'a>),
    /// All blocks except those in this sorted list.
    Except(Vec<Block>),
}

impl<'a> Question<'a> {
    /// Finds all blocks that match a query, in arbitrary order.
    pub(crate) fn find(&self, node: &Node) -> Result<Vec<ScoredBlock>, BadFilter> {
        let set = self.set(node, Scope { part: None, count: definitions::word_count(node) })?;
        let mut blocks = self.all_of(set);
        // A file that matches only by its path is found once, as its first block.
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

    fn beside(&self, beside: &BooleanQuery, scope: Scope) -> Result<Set<'a>, BadFilter> {
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
        let mut known: Option<Vec<ScoredBlock>> = None;
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
            // A block is excluded only if it contains the word itself, not if only the path of its file does.
            Set::Blocks(blocks) => {
                let own = blocks.iter().filter(|found| found.own);
                let mut all: Vec<Block> = own.flat_map(|found| self.unit(found.block)).collect();
                all.sort_unstable();
                all.dedup();
                Set::Except(all)
            }
            Set::Filter(filter) => Set::Filter(Box::new(move |block| !filter(block))),
            Set::Except(blocks) => {
                Set::Blocks(blocks.into_iter().map(|block| ScoredBlock::of(block, 0.0)).collect())
            }
        }
    }

    /// Lists all blocks of the symbol that a block belongs to, including the block.
    fn unit(&self, (number, at): Block) -> impl Iterator<Item = Block> + use<> {
        let parted = self.words.file(number).is_some_and(|file| file.parted);
        let meta = if parted { self.words.meta(number) } else { None };
        meta.map_or(at..at + 1, |meta| meta.unit(at)).map(move |at| (number, at))
    }

    /// Returns the blocks that are in both ordered lists. If a long symbol was split into several blocks, a block in
    /// only one list also counts if the other list contains another block of that symbol.
    fn both(&self, one: &[ScoredBlock], other: &[ScoredBlock]) -> Vec<ScoredBlock> {
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

    /// Lists all blocks of a set.
    fn all_of(&self, set: Set<'a>) -> Vec<ScoredBlock> {
        match set {
            Set::Blocks(blocks) => blocks,
            Set::Filter(filter) => self.everything(&filter),
            Set::Except(blocks) => self.everything(&|block| blocks.binary_search(&block).is_err()),
        }
    }

    fn everything(&self, holds: &dyn Fn(Block) -> bool) -> Vec<ScoredBlock> {
        let mut out = Vec::new();
        for (number, file) in self.words.files().filter(|(number, _)| (self.within)(*number)) {
            let blocks = (0..file.blocks).map(|block| (number, block));
            out.extend(blocks.filter(|block| holds(*block)).map(|block| ScoredBlock::of(block, 0.0)));
        }
        out
    }

    /// Scores the blocks that contain a word, and raises the scores of those that define it.
    fn named(&self, hits: Vec<Hit>, text: &str, scope: Scope) -> Vec<ScoredBlock> {
        let mut blocks = self.scored(hits);
        if scope.part.is_none_or(|part| part == BlockPart::Name) {
            definitions::raise(self.words, &mut blocks, text, scope.count);
        }
        blocks
    }

    /// Raises the scores of the blocks that define a name which adjacent words form, such as `RedirectView` for
    /// `redirect view`.
    fn joined_names(&self, mut set: Set<'a>, nodes: &[Node], scope: Scope) -> Set<'a> {
        if let Set::Blocks(blocks) = &mut set
            && scope.part.is_none_or(|part| part == BlockPart::Name)
        {
            definitions::raise_joined(self.words, blocks, nodes, scope.count);
        }
        set
    }

    /// Computes the BM25 score of each block that contains a word.
    fn scored(&self, hits: Vec<Hit>) -> Vec<ScoredBlock> {
        let (blocks, lengths) = self.words.totals();
        let total = blocks.max(1) as f64;
        let holding = hits.iter().filter(|hit| hit.is_own() || hit.block.1 == 0).count() as f64;
        let rare = rarity(total, holding);
        let mut usual = [1.0; PLACES];
        for (usual, sum) in usual.iter_mut().zip(lengths) {
            *usual = (sum as f64 / total).max(0.5);
        }
        // The hits are ordered by file, so the data of the last file is kept.
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
        let scored = |hit: &Hit| ScoredBlock { own: hit.is_own(), ..ScoredBlock::of(hit.block, score(hit)) };
        hits.iter().map(scored).collect()
    }
}

/// Adds the blocks of one symbol that are in both lists. A block in only one list is added too if the other list
/// contains another block of the symbol.
fn joint(one: &[ScoredBlock], other: &[ScoredBlock], out: &mut Vec<ScoredBlock>) {
    let best = |all: &[ScoredBlock]| all.iter().map(|found| found.score).fold(0.0, f64::max) * ELSEWHERE;
    let (first, second) = (best(one), best(other));
    if one.is_empty() || other.is_empty() {
        return;
    }
    merge(one, other, |left, right| match (left, right) {
        (Some(left), Some(right)) => out.push(sum(left, right)),
        // A block that matches only by its file's path contains none of the words.
        (Some(only), None) if only.own => out.push(ScoredBlock { score: only.score + second, ..only }),
        (None, Some(only)) if only.own => out.push(ScoredBlock { score: only.score + first, ..only }),
        _ => {}
    });
}

/// Returns the union of two ordered lists; a block in both lists has the sum of its scores.
fn either(one: &[ScoredBlock], other: &[ScoredBlock]) -> Vec<ScoredBlock> {
    let mut out = Vec::with_capacity(one.len() + other.len());
    merge(one, other, |one, other| match (one, other) {
        (Some(one), Some(other)) => out.push(sum(one, other)),
        (Some(only), None) | (None, Some(only)) => out.push(only),
        (None, None) => {}
    });
    out
}

/// Returns the blocks of the first list, with the scores that they have in the second list added.
fn joined(one: Vec<ScoredBlock>, more: &[ScoredBlock]) -> Vec<ScoredBlock> {
    let mut out = Vec::with_capacity(one.len());
    merge(&one, more, |one, other| {
        if let Some(one) = one {
            out.push(other.map_or(one, |other| sum(one, other)));
        }
    });
    out
}

fn sum(one: ScoredBlock, other: ScoredBlock) -> ScoredBlock {
    ScoredBlock {
        score: one.score + other.score,
        own: one.own || other.own,
        defines: one.defines || other.defines,
        ..one
    }
}

fn merge(
    one: &[ScoredBlock],
    other: &[ScoredBlock],
    mut take: impl FnMut(Option<ScoredBlock>, Option<ScoredBlock>),
) {
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
