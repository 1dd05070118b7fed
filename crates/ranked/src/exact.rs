//! Literal search: the keyword index selects candidate files, and their contents decide.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use regex::{Regex, RegexBuilder};
use toolpost_index_lifecycle::EACH;
use toolpost_text::encoding::Text;
use toolpost_text::lines::LineIndex;
use toolpost_workspace::on_threads;

use crate::error::SearchError;
use crate::index::IndexGuard;
use crate::index_access::{Term, Words};
use crate::score::ScoredBlock;
use crate::table::File;
use crate::tokens::{self, LONGEST, folded, is_marked};

/// The maximum size of a file that is searched, in bytes.
const MOST: u64 = 64 << 20;

/// Returns the blocks in which a literal match of `text` starts, ignoring case. Fails if a candidate file has changed
/// since it was indexed.
pub(crate) fn find(
    lent: &IndexGuard<'_>,
    words: &dyn Words,
    text: &str,
    within: &dyn Fn(u32) -> bool,
) -> Result<Vec<ScoredBlock>, SearchError> {
    let Ok(pattern) =
        RegexBuilder::new(&regex::escape(text)).case_insensitive(true).size_limit(64 << 20).build()
    else {
        return Ok(Vec::new());
    };
    let number = |number: u32| words.file(number).filter(|_| within(number)).map(|file| (number, file));
    let files: Vec<(u32, &File)> = candidates(words, text).into_iter().filter_map(number).collect();
    let stale = AtomicBool::new(false);
    let found = on_threads(
        &files,
        EACH,
        &|(number, file)| match lines(lent, file, &pattern) {
            Some(lines) => (*number, lines),
            None => {
                stale.store(true, Ordering::Relaxed);
                (*number, Vec::new())
            }
        },
        &|| stale.load(Ordering::Relaxed),
    );
    if stale.into_inner() {
        return Err(SearchError::Stale);
    }
    let mut out = Vec::new();
    for (number, lines) in found.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        let Some(meta) = words.meta(number) else { return Err(SearchError::Damaged) };
        let mut blocks: BTreeMap<u32, u32> = BTreeMap::new();
        for line in lines {
            let block = meta.facts.partition_point(|block| block.last < line);
            *blocks.entry(u32::try_from(block).unwrap_or(u32::MAX)).or_default() += 1;
        }
        out.extend(
            blocks.into_iter().map(|(block, count)| ScoredBlock::of((number, block), f64::from(count))),
        );
    }
    Ok(out)
}

/// Returns the line of each match of a pattern in a file; `None` if the file has changed since it was indexed, or
/// cannot be read.
fn lines(lent: &IndexGuard<'_>, file: &File, pattern: &Regex) -> Option<Vec<u32>> {
    let read = lent.workspace().read(&file.path, MOST).ok().filter(|read| read.hash == file.hash)?;
    let Ok(opened) = Text::open(read.bytes, lent.encoding()) else { return Some(Vec::new()) };
    let shown = opened.shown(opened.view());
    let mut found = pattern.find_iter(&shown).peekable();
    if found.peek().is_none() {
        return Some(Vec::new());
    }
    let index = LineIndex::new(&shown);
    Some(found.map(|place| u32::try_from(index.line(place.start())).unwrap_or(u32::MAX)).collect())
}

/// Returns the files that can contain a text: those whose words include all words of the text. The first and the last
/// word of the text may be parts of longer words. Files with truncated tokens are always included, and all files if no
/// word narrows the search.
fn candidates(held: &dyn Words, text: &str) -> Vec<u32> {
    let words: Vec<tokens::Word<'_>> = tokens::words(text).collect();
    let mut files: Option<BTreeSet<u32>> = None;
    for (at, word) in words.iter().enumerate() {
        let begins = at == 0 && word.at == 0;
        let ends = at + 1 == words.len() && word.at + word.text.len() == text.len();
        let shape = folded(word.text);
        // A word without letters or digits, or too long for the index, does not narrow the search; neither does a text
        // that is not ASCII.
        if shape.is_empty() || shape.len() > LONGEST || !text.is_ascii() {
            continue;
        }
        let terms = terms(held, &shape, begins, ends);
        let own: BTreeSet<u32> = terms.into_iter().flat_map(|term| held.holders(term)).collect();
        files = Some(match files {
            None => own,
            Some(known) => known.intersection(&own).copied().collect(),
        });
    }
    let Some(mut files) = files else { return held.files().map(|(number, _)| number).collect() };
    files.extend(held.files().filter(|(_, file)| file.cut).map(|(number, _)| number));
    files.into_iter().collect()
}

/// Returns the tokens of the index that match a word of a literal text. At an end of the text, the word may be a part
/// of the token.
fn terms(held: &dyn Words, shape: &str, begins: bool, ends: bool) -> Vec<Term> {
    if !begins && !ends {
        return held.find(shape).into_iter().collect();
    }
    let finder = memchr::memmem::Finder::new(shape);
    let (begin, fits): (&str, &(dyn Fn(&str) -> bool + Sync)) = match (begins, ends) {
        (true, true) => ("", &|text| text.len() >= shape.len() && finder.find(text.as_bytes()).is_some()),
        (true, false) => ("", &|text| text.ends_with(shape)),
        // The word ends the text, so it matches every token that it begins.
        (false, _) => (shape, &|_| true),
    };
    held.fitting(begin, &|text| fits(text) && !is_marked(text), usize::MAX)
}
