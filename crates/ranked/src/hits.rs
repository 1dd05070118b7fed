//! Occurrences of the words of a query in blocks, in each spelling of a word, identifier or phrase.

use std::collections::{BTreeMap, HashSet};

use crate::grammar::{BlockPart, Word};
use crate::index_access::{Term, Words};
use crate::record::{PLACES, TokenOccurrence, TokenPart};
use crate::tokens::{self, STEM, folded, is_marked, tokens};

/// A block of the index: the number of its file, and its index among the file's blocks.
pub(crate) type Block = (u32, u32);
/// The number of parts with a score: the parts of a block, and the path of its file.
pub(crate) const COUNTED: usize = PLACES + 1;
/// The index of the file's path in an array of scored parts; it follows the parts of the block.
pub(crate) const PATH: usize = PLACES;
/// The minimum length of each part if a word of a query is tried as two words, such as `userName` for `username`.
const SHORTEST: usize = 3;
/// The maximum number of tokens that a word with wildcards or an edit distance may match; beyond it, the query fails.
pub(crate) const MOST: usize = 20_000;

/// A block that contains a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) block: Block,
    /// The number of occurrences of the word in each part of the block, and in the path of its file.
    pub(crate) counts: [u32; COUNTED],
}

impl Hit {
    /// Returns whether the block itself contains the word, and not only the path or the names of enclosing symbols.
    pub(crate) fn is_own(&self) -> bool {
        self.counts[..TokenPart::Around as usize].iter().any(|count| *count > 0)
    }
}

/// Alternative tokens for one part of an identifier, each with the parts of a block in which it may match.
type Choice = Vec<(Term, MatchScope)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchScope {
    Comments,
    Anywhere,
}

/// One spelling of a word of a query: the alternative tokens at each of consecutive positions.
type Run = Vec<Choice>;

/// Returns the blocks that contain a word of a query, in any of its spellings.
pub(crate) fn word(words: &dyn Words, word: &Word, part: Option<BlockPart>) -> Vec<Hit> {
    let text = word.text.as_str();
    let runs = if text.contains(['*', '?']) {
        vec![wild_run(words, text)]
    } else {
        written(words, text, word.fuzzy)
    };
    hits(words, &runs, part)
}

/// Returns the blocks that contain the words of a phrase next to one another, in the same order.
pub(crate) fn phrase(words: &dyn Words, text: &str, part: Option<BlockPart>) -> Vec<Hit> {
    let parts = tokens::words(text).flat_map(|word| tokens(word.text).parts);
    let run: Run = parts.map(|part| exactly(words, &part)).collect();
    let mut runs = vec![run];
    let mut all = tokens::words(text);
    if let (Some(only), None) = (all.next(), all.next()) {
        runs.extend(tokens(only.text).whole.map(|whole| vec![exactly(words, &whole)]));
    }
    hits(words, &runs, part)
}

/// Returns the possible spellings of a word without wildcards.
fn written(words: &dyn Words, text: &str, fuzzy: usize) -> Vec<Run> {
    let all: Vec<tokens::Tokens> = tokens::words(text).map(|word| tokens(word.text)).collect();
    let parts: Vec<&String> = all.iter().flat_map(|tokens| &tokens.parts).collect();
    if let [only] = parts.as_slice() {
        let mut choice = exactly(words, only);
        let stem = tokens::stem(only).unwrap_or_else(|| (*only).clone());
        choice.extend(words.find(&format!("{STEM}{stem}")).map(|term| (term, MatchScope::Comments)));
        if stem != **only {
            choice.extend(words.find(&stem).map(|term| (term, MatchScope::Comments)));
        }
        if fuzzy > 0 {
            choice.extend(near(words, only, fuzzy));
        }
        let mut runs = vec![choice_run(choice)];
        runs.extend(together(words, only));
        return runs;
    }
    let mut runs = vec![parts.iter().map(|part| exactly(words, part)).collect()];
    // `user_name` can also be spelled `username`; the parts of a qualified name or a path cannot be joined like that.
    if let [one] = all.as_slice()
        && let Some(whole) = &one.whole
    {
        let mut choice = exactly(words, whole);
        if fuzzy > 0 {
            choice.extend(near(words, whole, fuzzy));
        }
        runs.push(choice_run(choice));
    }
    runs
}

fn choice_run(mut choice: Choice) -> Run {
    choice.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    let mut seen = HashSet::new();
    choice.retain(|(term, _)| seen.insert(*term));
    vec![choice]
}

fn exactly(words: &dyn Words, token: &str) -> Choice {
    words.find(token).map(|term| (term, MatchScope::Anywhere)).into_iter().collect()
}

/// Returns the spellings of a word as two words that the index has, such as `userName` for `username`.
fn together(words: &dyn Words, word: &str) -> Vec<Run> {
    let cuts = (SHORTEST..word.len().saturating_sub(SHORTEST - 1)).filter(|at| word.is_char_boundary(*at));
    let two = |at: usize| {
        let (first, second) = word.split_at(at);
        let both = (words.find(first)?, words.find(second)?);
        Some(vec![vec![(both.0, MatchScope::Anywhere)], vec![(both.1, MatchScope::Anywhere)]])
    };
    cuts.filter_map(two).collect()
}

/// Lists the tokens of the index that are at most `letters` edits from a word.
fn near(words: &dyn Words, word: &str, letters: usize) -> Choice {
    let alike = |text: &str| {
        text.len().abs_diff(word.len()) <= if word.is_ascii() { letters } else { letters * 4 }
            && !is_marked(text)
            && toolpost_text::names::distance(text, word) <= letters
    };
    words.fitting("", &alike, MOST).into_iter().map(|term| (term, MatchScope::Anywhere)).collect()
}

/// Returns the spelling of a word with wildcards: for each of its parts, the tokens that match the part.
fn wild_run(words: &dyn Words, text: &str) -> Run {
    let apart = |letter: char| !(tokens::is_word(letter) || letter == '*' || letter == '?');
    let all = text.split(apart).filter(|word| !word.is_empty());
    let choice = |word: &str| {
        let shape = folded(word);
        if !shape.contains(['*', '?']) {
            return exactly(words, &shape);
        }
        let begin = shape.split(['*', '?']).next().unwrap_or_default();
        let fitting = words.fitting(begin, &|text| !is_marked(text) && fits(&shape, text), MOST);
        fitting.into_iter().map(|term| (term, MatchScope::Anywhere)).collect()
    };
    all.map(choice).collect()
}

/// Returns whether a text matches a pattern with the wildcards `*` and `?`.
pub(crate) fn fits(shape: &str, text: &str) -> bool {
    let (shape, text) = (shape.as_bytes(), text.as_bytes());
    let (mut at, mut place) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while place < text.len() {
        match shape.get(at) {
            Some(b'*') => {
                again = Some((at, place));
                at += 1;
            }
            Some(b'?') => {
                place += 1;
                while text.get(place).is_some_and(|byte| byte & 0xc0 == 0x80) {
                    place += 1;
                }
                at += 1;
            }
            Some(letter) if *letter == text[place] => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((star, from)) = again else { return false };
                again = Some((star, from + 1));
                at = star + 1;
                place = from + 1;
            }
        }
    }
    shape[at.min(shape.len())..].iter().all(|letter| *letter == b'*')
}

/// Positions of tokens, each with the number of the file.
type TokenPositions = Vec<(u32, TokenOccurrence)>;

/// Returns the blocks that contain any of the spellings of a word; `part` restricts the search to one part of each
/// block.
fn hits(words: &dyn Words, runs: &[Run], part: Option<BlockPart>) -> Vec<Hit> {
    let mut all: TokenPositions = Vec::new();
    for run in runs {
        all.extend(stands(words, run));
    }
    if runs.len() > 1 || runs.iter().flatten().any(|choice| choice.len() > 1) {
        all.sort_unstable_by_key(|(file, spot)| (*file, spot.block, spot.position, spot.place));
        all.dedup_by_key(|(file, spot)| (*file, spot.block, spot.position));
    }
    let mut out: Vec<Hit> = Vec::new();
    for (file, spot) in all {
        if part.is_some_and(|part| place_of(part) != spot.place) {
            continue;
        }
        let block = (file, spot.block);
        match out.last_mut().filter(|last| last.block == block) {
            Some(last) => last.counts[spot.place as usize] += 1,
            None => {
                let mut hit = Hit { block, counts: [0; COUNTED] };
                hit.counts[spot.place as usize] = 1;
                out.push(hit);
            }
        }
    }
    if part.is_none() { with_paths(words, runs, out) } else { out }
}

fn place_of(part: BlockPart) -> u8 {
    match part {
        BlockPart::Name => TokenPart::Name as u8,
        BlockPart::Signature => TokenPart::Signature as u8,
        BlockPart::Body => TokenPart::Body as u8,
        BlockPart::Comments => TokenPart::Comments as u8,
    }
}

/// Returns the positions at which the tokens of a spelling occur one after the other.
fn stands(words: &dyn Words, run: &Run) -> TokenPositions {
    let Some((first, rest)) = run.split_first() else { return Vec::new() };
    if run.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    if rest.is_empty() {
        return of_choice(words, first, None);
    }
    let mut files: Option<Vec<u32>> = None;
    let mut order: Vec<&Choice> = run.iter().collect();
    order.sort_by_key(|choice| choice.len());
    for choice in order {
        let mut own: Vec<u32> = choice.iter().flat_map(|(term, _)| words.holders(*term)).collect();
        own.sort_unstable();
        own.dedup();
        files = Some(match files {
            None => own,
            Some(known) => known.into_iter().filter(|file| own.binary_search(file).is_ok()).collect(),
        });
    }
    let files = files.unwrap_or_default();
    let mut found = of_choice(words, first, Some(&files));
    for (distance, choice) in (1..).zip(rest) {
        let next = of_choice(words, choice, Some(&files));
        let key = |(file, spot): &(u32, TokenOccurrence)| (*file, spot.block, spot.position);
        found.retain_mut(|(file, spot)| {
            let wanted = (*file, spot.block, spot.position + distance);
            let Ok(at) = next.binary_search_by_key(&wanted, key) else { return false };
            // The last token determines the part of the block, because the first may be the name of an enclosing
            // symbol.
            spot.place = next[at].1.place;
            true
        });
    }
    found
}

/// Returns the sorted positions of all of the alternative tokens, in the given files or in all.
fn of_choice(words: &dyn Words, choice: &Choice, files: Option<&[u32]>) -> TokenPositions {
    let mut out = Vec::new();
    for (term, only) in choice {
        words.spots(*term, files, &mut |file, spot| {
            if *only == MatchScope::Anywhere || spot.place == TokenPart::Comments as u8 {
                out.push((file, spot));
            }
        });
    }
    if choice.len() > 1 {
        out.sort_unstable_by_key(|(file, spot)| (*file, spot.block, spot.position, spot.place));
        out.dedup_by_key(|(file, spot)| (*file, spot.block, spot.position));
    }
    out
}

/// Adds the occurrences in the paths of files to the hits in their contents; each block of such a file becomes a hit.
fn with_paths(words: &dyn Words, runs: &[Run], hits: Vec<Hit>) -> Vec<Hit> {
    let mut found: BTreeMap<u32, u32> = BTreeMap::new();
    for run in runs {
        on_paths(words, run, &mut found);
    }
    if found.is_empty() {
        return hits;
    }
    let mut out = Vec::with_capacity(hits.len());
    let mut hits = hits.into_iter().peekable();
    for (number, count) in found {
        while let Some(hit) = hits.next_if(|hit| hit.block.0 < number) {
            out.push(hit);
        }
        for block in 0..words.file(number).map_or(0, |file| file.blocks) {
            let own = hits.next_if(|hit| hit.block == (number, block));
            let mut hit = own.unwrap_or(Hit { block: (number, block), counts: [0; COUNTED] });
            hit.counts[PATH] = count;
            out.push(hit);
        }
    }
    out.extend(hits);
    out
}

/// Counts the occurrences of a spelling in the path of each file, and adds them to `found`.
fn on_paths(words: &dyn Words, run: &Run, found: &mut BTreeMap<u32, u32>) {
    let stands = |choice: &Choice| {
        let mut places: Vec<(u32, u32)> = Vec::new();
        for (term, _) in choice.iter().filter(|(_, only)| *only == MatchScope::Anywhere) {
            words.on_paths(*term, &mut |file, position| places.push((file, position)));
        }
        places
    };
    let Some((first, rest)) = run.split_first() else { return };
    let mut begins = stands(first);
    for (distance, choice) in (1..).zip(rest) {
        if begins.is_empty() {
            return;
        }
        let next: HashSet<(u32, u32)> = stands(choice).into_iter().collect();
        begins.retain(|(file, position)| next.contains(&(*file, position + distance)));
    }
    for (file, _) in begins {
        *found.entry(file).or_default() += 1;
    }
}
