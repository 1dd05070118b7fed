//! Keyword searches, ranked and paged.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use toolpost_workspace::{ContentHash, WorkspacePath, memory};

use crate::ranked::exact;
use crate::ranked::filter::BadFilter;
use crate::ranked::find::{Question, Scored};
use crate::ranked::grammar::Node;
use crate::ranked::hits::{self, Block};
use crate::ranked::index::Lent;
use crate::ranked::reading::Reading;
use crate::ranked::segment::Meta;
use crate::ranked::test_files::is_test;
use crate::ranked::words::Words;

/// The criterion of a search.
#[derive(Debug, Clone, Copy)]
pub enum What<'a> {
    /// A query.
    Query(&'a Node),
    /// Literal text, without regard to case.
    Exactly(&'a str),
}

/// The treatment of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    /// They are.
    Searched,
    /// They are left out, and counted.
    LeftOut,
}

/// A search.
pub struct Ask<'a> {
    /// The criterion.
    pub what: What<'a>,
    /// The file or directory to search.
    pub base: &'a WorkspacePath,
    /// The treatment of tests.
    pub tests: Tests,
    /// Returns whether a file may be read.
    pub may: &'a dyn Fn(&WorkspacePath) -> bool,
    /// The last block that was shown before.
    pub after: Option<&'a Key>,
}

/// The position of a block in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The score.
    pub score: f64,
    /// The displayed path of its file.
    pub path: String,
    /// Its first line.
    pub first: u32,
}

/// A block that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The position in the ranking.
    pub key: Key,
    /// The file.
    pub path: WorkspacePath,
    /// The content that was searched.
    pub hash: ContentHash,
    /// The block.
    pub block: crate::ranked::Block,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The blocks from where it was asked on, those that fit best first.
    pub hits: Vec<Hit>,
    /// The total number of blocks.
    pub total: usize,
    /// The number of blocks before the starting position.
    pub before: usize,
    /// The number of their files.
    pub files: usize,
    /// The number of excluded test blocks.
    pub tests: usize,
    /// The number of searched files.
    pub searched: usize,
    /// The number of files that must not be read.
    pub withheld: usize,
}

/// The reason for which a search has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// A filter cannot be used.
    Filter(BadFilter),
    /// The wildcards or the edit distance of the query match more distinct words than this.
    Wide(usize),
    /// A file differs from the index, which has to be updated.
    Stale,
}

/// The maximum number of blocks to rank, from the first wanted one.
const MOST: usize = 10_000;
/// The number of searched files from which memory is released after the search.
const MANY: usize = 20_000;

impl Lent<'_> {
    /// Searches.
    ///
    /// # Errors
    ///
    /// When a filter cannot be used, when wildcards say too little, or when a file that had to be read has changed.
    pub fn search(&self, ask: &Ask<'_>) -> Result<Found, Unanswered> {
        let found = self.searched(ask);
        if self.state().table.slots() >= MANY {
            // The following steps need less memory than the search.
            memory::give_back();
        }
        found
    }

    fn searched(&self, ask: &Ask<'_>) -> Result<Found, Unanswered> {
        let table = &self.state().table;
        let reading = Reading::new(table);
        let named = is_test(&ask.base.relative().to_string_lossy());
        let tests = if named { Tests::Searched } else { ask.tests };
        let mut reaches = vec![Reach::Outside; table.slots()];
        for (number, file) in table.files().filter(|(_, file)| ask.base.contains(&file.path)) {
            reaches[number as usize] = match () {
                () if !(ask.may)(&file.path) => Reach::Withheld,
                () if tests == Tests::LeftOut && file.test => Reach::Test,
                () => Reach::Searched,
            };
        }
        let reach = |number: u32| reaches.get(number as usize).copied().unwrap_or(Reach::Outside);
        let within = |number: u32| matches!(reach(number), Reach::Searched | Reach::Test);
        let blocks = match ask.what {
            What::Query(node) => {
                Question { words: &reading, within: &within }.find(node).map_err(Unanswered::Filter)?
            }
            What::Exactly(text) => exact::find(self, &reading, text, &within)?,
        };
        if reading.is_wide() {
            return Err(Unanswered::Wide(hits::MOST));
        }
        let (mut placed, mut left_out) = (Vec::with_capacity(blocks.len()), 0);
        // Blocks of one file follow one another.
        let mut last: Option<(u32, Option<Arc<Meta>>)> = None;
        for found in blocks {
            let number = found.block.0;
            if last.as_ref().is_none_or(|(file, _)| *file != number) {
                last = Some((number, reading.meta(number)));
            }
            let meta = last.as_ref().and_then(|(_, meta)| meta.as_ref());
            let facts = meta.and_then(|meta| meta.facts.get(found.block.1 as usize));
            let own = tests == Tests::LeftOut && facts.is_some_and(|facts| facts.test);
            if own || reach(number) == Reach::Test {
                left_out += 1;
            } else {
                placed.push(Placed { found, first: facts.map_or(0, |facts| facts.first) });
            }
        }
        let total = placed.len();
        let holders = placed.iter().map(|placed| placed.found.block.0).collect::<HashSet<_>>();
        let (hits, left) = ordered(&reading, placed, ask.after);
        self.unbroken(&reading)?;
        let count = |reach: Reach| reaches.iter().filter(|own| **own == reach).count();
        Ok(Found {
            total,
            before: total - left,
            files: holders.len(),
            tests: left_out,
            searched: count(Reach::Searched),
            withheld: count(Reach::Withheld),
            hits,
        })
    }
}

impl Lent<'_> {
    /// Fails if a part of the index was damaged; it is rebuilt.
    pub(crate) fn unbroken(&self, reading: &Reading<'_>) -> Result<(), Unanswered> {
        let broken = reading.broken();
        if broken.is_empty() {
            return Ok(());
        }
        self.drop_segments(&broken);
        Err(Unanswered::Stale)
    }
}

/// The treatment of a file in the scope of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Outside,
    Searched,
    Test,
    Withheld,
}

/// A block that was found, and its first line.
struct Placed {
    found: Scored,
    first: u32,
}

/// Ranks blocks; returns those after a given one, and their number.
fn ordered(words: &dyn Words, mut blocks: Vec<Placed>, after: Option<&Key>) -> (Vec<Hit>, usize) {
    let path = |placed: &Placed| words.file(placed.found.block.0).map_or("", |file| &*file.shown);
    let order = |one: &Placed, other: &Placed| -> Ordering {
        let by_score = other.found.score.total_cmp(&one.found.score);
        by_score.then_with(|| (path(one), one.first).cmp(&(path(other), other.first)))
    };
    if let Some(after) = after {
        blocks.retain(|placed| {
            let by_score = after.score.total_cmp(&placed.found.score);
            let key = (after.path.as_str(), after.first);
            by_score.then_with(|| (path(placed), placed.first).cmp(&key)).is_gt()
        });
    }
    let left = blocks.len();
    if left > MOST {
        blocks.select_nth_unstable_by(MOST, order);
        blocks.truncate(MOST);
    }
    blocks.sort_unstable_by(order);
    // The blocks of each file are read together, regardless of their ranks.
    let mut by_file: Vec<usize> = (0..blocks.len()).collect();
    by_file.sort_unstable_by_key(|at| blocks[*at].found.block);
    let mut last: Option<(u32, Option<Arc<Meta>>)> = None;
    let mut hits: Vec<Option<Hit>> = blocks.iter().map(|_| None).collect();
    for at in by_file {
        let Scored { block, score, .. } = blocks[at].found;
        if last.as_ref().is_none_or(|(file, _)| *file != block.0) {
            last = Some((block.0, words.meta(block.0)));
        }
        let meta = last.as_ref().and_then(|(_, meta)| meta.as_ref());
        hits[at] = meta.and_then(|meta| hit(words, meta, block, score));
    }
    (hits.into_iter().flatten().collect(), left)
}

/// Returns a block with its data.
pub(crate) fn hit(words: &dyn Words, meta: &Meta, (number, at): Block, score: f64) -> Option<Hit> {
    let file = words.file(number)?;
    let block = meta.block(at)?;
    let key = Key { score, path: file.shown.to_string(), first: block.first };
    Some(Hit { key, path: file.path.clone(), hash: file.hash, block })
}
