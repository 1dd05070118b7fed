//! Finds a text as it stands in the files: the words tell which files can hold it, and their bytes whether they do.

use std::collections::{BTreeMap, BTreeSet};

use regex::RegexBuilder;
use toolpost_text::encoding::Text;
use toolpost_text::lines::LineIndex;

use crate::ranked::find::Scored;
use crate::ranked::hits;
use crate::ranked::index::Lent;
use crate::ranked::record::STEM;
use crate::ranked::search::Unanswered;
use crate::ranked::tokens::{self, LONGEST, folded};
use crate::ranked::words::{Term, Words};

/// The most bytes that are read of a file.
const MOST: u64 = 64 << 20;

/// Finds the blocks in which a text begins.
pub(crate) fn find(
    lent: &Lent<'_>,
    words: &dyn Words,
    text: &str,
    within: &dyn Fn(u32) -> bool,
) -> Result<Vec<Scored>, Unanswered> {
    let Ok(pattern) =
        RegexBuilder::new(&regex::escape(text)).case_insensitive(true).size_limit(64 << 20).build()
    else {
        return Ok(Vec::new());
    };
    let mut out = Vec::new();
    for number in candidates(words, text) {
        let Some(file) = words.file(number).filter(|_| within(number)) else { continue };
        let read = lent.workspace().read(&file.path, MOST).map_err(|_| Unanswered::Stale)?;
        if read.hash != file.hash {
            return Err(Unanswered::Stale);
        }
        let Ok(opened) = Text::open(read.bytes, lent.encoding()) else { continue };
        let shown = opened.shown(opened.view());
        let mut found = pattern.find_iter(&shown).peekable();
        if found.peek().is_none() {
            continue;
        }
        let Some(meta) = words.meta(number) else { return Err(Unanswered::Stale) };
        let index = LineIndex::new(&shown);
        let mut blocks: BTreeMap<u32, u32> = BTreeMap::new();
        for place in found {
            let line = u32::try_from(index.line(place.start())).unwrap_or(u32::MAX);
            let block = meta.facts.partition_point(|block| block.last < line);
            *blocks.entry(u32::try_from(block).unwrap_or(u32::MAX)).or_default() += 1;
        }
        out.extend(blocks.into_iter().map(|(block, count)| Scored::of((number, block), f64::from(count))));
    }
    Ok(out)
}

/// Lists the files that can hold a text: all those that hold its words, of which the first and the last may be parts.
fn candidates(held: &dyn Words, text: &str) -> Vec<u32> {
    let words: Vec<tokens::Word<'_>> = tokens::words(text).collect();
    let mut files: Option<BTreeSet<u32>> = None;
    for (at, word) in words.iter().enumerate() {
        let begins = at == 0 && word.at == 0;
        let ends = at + 1 == words.len() && word.at + word.text.len() == text.len();
        let shape = folded(word.text);
        // What has no letter of its own, and what is too long to be kept, tells nothing.
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

/// Lists the tokens of which a word can be all, or a part where the text ends.
fn terms(held: &dyn Words, shape: &str, begins: bool, ends: bool) -> Vec<Term> {
    if !begins && !ends {
        return held.find(shape).into_iter().collect();
    }
    let pattern = format!("{}{shape}{}", if begins { "*" } else { "" }, if ends { "*" } else { "" });
    let begin = if begins { "" } else { shape };
    held.fitting(begin, &|text| !text.starts_with(STEM) && hits::fits(&pattern, text), usize::MAX)
}
