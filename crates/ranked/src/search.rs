//! Keyword and literal searches, with ranked results in pages.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use toolpost_workspace::{ContentHash, WorkspacePath, memory};

use crate::error::SearchError;
use crate::exact;
use crate::find::Question;
use crate::grammar::Node;
use crate::hits::{self, Block};
use crate::index::IndexGuard;
use crate::index_access::Words;
use crate::query_reader::QueryReader;
use crate::score::ScoredBlock;
use crate::segment::Meta;
use crate::test_files::is_test;

/// The query or text that a search looks for.
#[derive(Debug, Clone, Copy)]
pub enum SearchCriterion<'a> {
    /// A parsed keyword query.
    Query(&'a Node),
    /// Literal text, without regard to case.
    Exactly(&'a str),
}

/// The choice to search or to leave out blocks that are tests, or are in test files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    /// Tests are searched.
    Searched,
    /// Tests are left out of the results, unless the searched path is itself that of a test; their number is reported.
    LeftOut,
}

/// A request for a keyword or literal search.
pub struct SearchRequest<'a> {
    /// The query or literal text to search for.
    pub what: SearchCriterion<'a>,
    /// The file or directory to search.
    pub base: &'a WorkspacePath,
    /// The choice to search or to leave out blocks that are tests, or are in test files.
    pub tests: Tests,
    /// Returns whether the access rules allow a file to be read.
    pub may: &'a dyn Fn(&WorkspacePath) -> bool,
    /// The last block of the previous page, after which the results start; `None` for the first page.
    pub after: Option<&'a Key>,
}

/// The position of a block in the ranking; results are ordered by score, path and line.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The score of the block for the query; a higher one is better.
    pub score: f64,
    /// The path of the block's file, as displayed to the user.
    pub path: String,
    /// The first line of the block.
    pub first: u32,
}

/// A block that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The position of the block in the ranking.
    pub key: Key,
    /// The path of the file that contains the block.
    pub path: WorkspacePath,
    /// The hash of the file content that was searched.
    pub hash: ContentHash,
    /// The lines, kind and name of the block.
    pub block: crate::Block,
}

/// The result of a keyword or literal search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResult {
    /// The blocks after the end of the previous page, best first.
    pub hits: Vec<Hit>,
    /// The total number of blocks that match, on all pages.
    pub total: usize,
    /// The number of matching blocks on the previous pages.
    pub before: usize,
    /// The number of files that contain the matching blocks of all pages.
    pub files: usize,
    /// The number of matching test blocks that were left out.
    pub tests: usize,
    /// The number of files that were searched.
    pub searched: usize,
    /// The number of files that the access rules exclude.
    pub withheld: usize,
}

/// The maximum number of matching blocks after the previous page that are ranked.
const MOST: usize = 10_000;
/// The minimum number of indexed files for which a search releases unused memory at its end.
const MANY: usize = 20_000;

impl IndexGuard<'_> {
    /// Runs a keyword or literal search.
    ///
    /// # Errors
    ///
    /// If a filter is invalid, if wildcards or an edit distance match too many words, or if a file that had to be read
    /// has changed since it was indexed or a part of the index is damaged.
    pub fn search(&self, ask: &SearchRequest<'_>) -> Result<SearchResult, SearchError> {
        let found = self.searched(ask);
        if self.state().table.slots() >= MANY {
            // The search needed much memory, and formatting its result needs little.
            memory::give_back();
        }
        found
    }

    fn searched(&self, ask: &SearchRequest<'_>) -> Result<SearchResult, SearchError> {
        let table = &self.state().table;
        let reading = QueryReader::new(table);
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
            SearchCriterion::Query(node) => {
                Question { words: &reading, within: &within }.find(node).map_err(SearchError::Filter)?
            }
            SearchCriterion::Exactly(text) => exact::find(self, &reading, text, &within)?,
        };
        if reading.is_wide() {
            return Err(SearchError::Wide(hits::MOST));
        }
        let (mut placed, mut left_out) = (Vec::with_capacity(blocks.len()), 0);
        // Blocks of one file follow one another, so the data of the last file is kept.
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
                placed.push(BlockMatch { found, first: facts.map_or(0, |facts| facts.first) });
            }
        }
        let total = placed.len();
        let holders = placed.iter().map(|placed| placed.found.block.0).collect::<HashSet<_>>();
        let (hits, left) = ordered(&reading, placed, ask.after);
        self.unbroken(&reading)?;
        let count = |reach: Reach| reaches.iter().filter(|own| **own == reach).count();
        Ok(SearchResult {
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

impl IndexGuard<'_> {
    /// Fails if an index segment that the query read is damaged, and makes the next update drop the segment and read
    /// its files again.
    pub(crate) fn unbroken(&self, reading: &QueryReader<'_>) -> Result<(), SearchError> {
        let broken = reading.broken();
        if broken.is_empty() {
            return Ok(());
        }
        self.drop_segments(&broken);
        Err(SearchError::Damaged)
    }
}

/// The reason why a search includes or excludes a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Outside,
    Searched,
    Test,
    Withheld,
}

/// A block that matches a query, and its first line.
struct BlockMatch {
    found: ScoredBlock,
    first: u32,
}

/// Ranks blocks. Returns those after the block `after`, and their number before it was limited.
fn ordered(words: &dyn Words, mut blocks: Vec<BlockMatch>, after: Option<&Key>) -> (Vec<Hit>, usize) {
    let path = |placed: &BlockMatch| words.file(placed.found.block.0).map_or("", |file| &*file.shown);
    let order = |one: &BlockMatch, other: &BlockMatch| -> Ordering {
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
    // The data of one file is read once for all its blocks, regardless of their ranks.
    let mut by_file: Vec<usize> = (0..blocks.len()).collect();
    by_file.sort_unstable_by_key(|at| blocks[*at].found.block);
    let mut last: Option<(u32, Option<Arc<Meta>>)> = None;
    let mut hits: Vec<Option<Hit>> = blocks.iter().map(|_| None).collect();
    for at in by_file {
        let ScoredBlock { block, score, .. } = blocks[at].found;
        if last.as_ref().is_none_or(|(file, _)| *file != block.0) {
            last = Some((block.0, words.meta(block.0)));
        }
        let meta = last.as_ref().and_then(|(_, meta)| meta.as_ref());
        hits[at] = meta.and_then(|meta| hit(words, meta, block, score));
    }
    (hits.into_iter().flatten().collect(), left)
}

/// Returns the search result for block `at` of file `number`.
pub(crate) fn hit(words: &dyn Words, meta: &Meta, (number, at): Block, score: f64) -> Option<Hit> {
    let file = words.file(number)?;
    let block = meta.block(at)?;
    let key = Key { score, path: file.shown.to_string(), first: block.first };
    Some(Hit { key, path: file.path.clone(), hash: file.hash, block })
}
