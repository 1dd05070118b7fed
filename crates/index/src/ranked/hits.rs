//! In which blocks the words of a query stand: each word, identifier or phrase as what it may be written as.

use crate::ranked::grammar::{Part, Word};
use crate::ranked::record::{PLACES, Place, STEM, Spot};
use crate::ranked::table::{Table, Term};
use crate::ranked::tokens::{self, folded, tokens};

/// A block: the number of its file, and its place in that.
pub(crate) type Block = (u32, u32);
/// How many places count: those of a block, and the path of its file.
pub(crate) const COUNTED: usize = PLACES + 1;
/// The path of a file, among the places that count.
pub(crate) const PATH: usize = PLACES;
/// The shortest part of a word of which two were written together.
const SHORTEST: usize = 3;
/// The most tokens that a pattern stands for.
const MOST: usize = 200_000;

/// A block that holds a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    pub(crate) block: Block,
    /// How often, in each place.
    pub(crate) counts: [u32; COUNTED],
}

impl Hit {
    /// Tells whether the block itself holds it, and not only what is around it.
    pub(crate) fn is_own(&self) -> bool {
        self.counts[..Place::Around as usize].iter().any(|count| *count > 0)
    }
}

/// Tokens of which any will do; of some only those in comments.
type Choice = Vec<(Term, Only)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Only {
    Comments,
    Anywhere,
}

/// What a word may be written as: choices that follow one another.
type Run = Vec<Choice>;

/// Finds a word of a query.
pub(crate) fn word(table: &Table, word: &Word, part: Option<Part>) -> Vec<Hit> {
    let text = word.text.as_str();
    let runs = if text.contains(['*', '?']) {
        vec![wild_run(table, text)]
    } else {
        written(table, text, word.fuzzy)
    };
    hits(table, &runs, part)
}

/// Finds words that follow one another as they are written.
pub(crate) fn phrase(table: &Table, text: &str, part: Option<Part>) -> Vec<Hit> {
    let parts = tokens::words(text).flat_map(|word| tokens(word.text).parts);
    let run: Run = parts.map(|part| exactly(table, &part)).collect();
    let mut runs = vec![run];
    let mut words = tokens::words(text);
    if let (Some(only), None) = (words.next(), words.next()) {
        runs.extend(tokens(only.text).whole.map(|whole| vec![exactly(table, &whole)]));
    }
    hits(table, &runs, part)
}

/// Lists the ways in which a word may be written.
fn written(table: &Table, text: &str, fuzzy: usize) -> Vec<Run> {
    let all: Vec<tokens::Tokens> = tokens::words(text).map(|word| tokens(word.text)).collect();
    let parts: Vec<&String> = all.iter().flat_map(|tokens| &tokens.parts).collect();
    if let [only] = parts.as_slice() {
        let mut choice = exactly(table, only);
        let stem = tokens::stem(only).unwrap_or_else(|| (*only).clone());
        choice.extend(table.find(&format!("{STEM}{stem}")).map(|term| (term, Only::Comments)));
        if stem != **only {
            choice.extend(table.find(&stem).map(|term| (term, Only::Comments)));
        }
        if fuzzy > 0 {
            choice.extend(near(table, only, fuzzy));
        }
        let mut runs = vec![choice_run(choice)];
        runs.extend(together(table, only));
        return runs;
    }
    let mut runs = vec![parts.iter().map(|part| exactly(table, part)).collect()];
    // `user_name` is also written `username`, and a call or a path is none of that.
    if let [one] = all.as_slice()
        && let Some(whole) = &one.whole
    {
        let mut choice = exactly(table, whole);
        if fuzzy > 0 {
            choice.extend(near(table, whole, fuzzy));
        }
        runs.push(choice_run(choice));
    }
    runs
}

fn choice_run(mut choice: Choice) -> Run {
    choice.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    let mut seen = std::collections::HashSet::new();
    choice.retain(|(term, _)| seen.insert(*term));
    vec![choice]
}

fn exactly(table: &Table, token: &str) -> Choice {
    table.find(token).map(|term| (term, Only::Anywhere)).into_iter().collect()
}

/// Finds where a word may have been written as two: `username` as `userName`.
fn together(table: &Table, word: &str) -> Vec<Run> {
    let cuts = (SHORTEST..word.len().saturating_sub(SHORTEST - 1)).filter(|at| word.is_char_boundary(*at));
    let two = |at: usize| {
        let (first, second) = word.split_at(at);
        let both = (table.find(first)?, table.find(second)?);
        Some(vec![vec![(both.0, Only::Anywhere)], vec![(both.1, Only::Anywhere)]])
    };
    cuts.filter_map(two).collect()
}

/// Lists tokens that are like a word but for some letters.
fn near(table: &Table, word: &str, letters: usize) -> Choice {
    let alike = |text: &str| {
        text.len().abs_diff(word.len()) <= if word.is_ascii() { letters } else { letters * 4 }
            && !text.starts_with(STEM)
            && toolpost_text::names::distance(text, word) <= letters
    };
    table.terms().filter(|(_, text)| alike(text)).map(|(term, _)| (term, Only::Anywhere)).take(MOST).collect()
}

/// Makes choices of a word with wildcards: of each of its words the tokens that have its shape.
fn wild_run(table: &Table, text: &str) -> Run {
    let apart = |letter: char| !(tokens::is_word(letter) || letter == '*' || letter == '?');
    let words = text.split(apart).filter(|word| !word.is_empty());
    let choice = |word: &str| {
        let shape = folded(word);
        if !shape.contains(['*', '?']) {
            return exactly(table, &shape);
        }
        let fits = table.terms().filter(|(_, text)| !text.starts_with(STEM) && fits(&shape, text));
        fits.map(|(term, _)| (term, Only::Anywhere)).take(MOST).collect()
    };
    words.map(choice).collect()
}

/// Tells whether a text has a shape in which `*` stands for any letters and `?` for one.
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

/// Where one of some tokens stands.
type Stands = Vec<(u32, Spot)>;

/// Finds the blocks in which any of some runs stands.
fn hits(table: &Table, runs: &[Run], part: Option<Part>) -> Vec<Hit> {
    let mut all: Stands = Vec::new();
    for run in runs {
        all.extend(stands(table, run));
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
    if part.is_none() { with_paths(table, runs, out) } else { out }
}

fn place_of(part: Part) -> u8 {
    match part {
        Part::Name => Place::Name as u8,
        Part::Signature => Place::Signature as u8,
        Part::Body => Place::Body as u8,
        Part::Comments => Place::Comments as u8,
    }
}

/// Finds where choices follow one another; of one alone, where it stands.
fn stands(table: &Table, run: &Run) -> Stands {
    let Some((first, rest)) = run.split_first() else { return Vec::new() };
    if run.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    if rest.is_empty() {
        return of_choice(table, first, None);
    }
    let mut files: Option<Vec<u32>> = None;
    let mut order: Vec<&Choice> = run.iter().collect();
    order.sort_by_key(|choice| choice.len());
    for choice in order {
        let mut own: Vec<u32> =
            choice.iter().flat_map(|(term, _)| table.holders(*term).map(|(file, _)| file)).collect();
        own.sort_unstable();
        own.dedup();
        files = Some(match files {
            None => own,
            Some(known) => known.into_iter().filter(|file| own.binary_search(file).is_ok()).collect(),
        });
    }
    let files = files.unwrap_or_default();
    let mut found = of_choice(table, first, Some(&files));
    for (distance, choice) in (1..).zip(rest) {
        let next = of_choice(table, choice, Some(&files));
        let key = |(file, spot): &(u32, Spot)| (*file, spot.block, spot.position);
        found.retain_mut(|(file, spot)| {
            let wanted = (*file, spot.block, spot.position + distance);
            let Ok(at) = next.binary_search_by_key(&wanted, key) else { return false };
            // It stands where its last word does: the first may be the name of what is around.
            spot.place = next[at].1.place;
            true
        });
    }
    found
}

/// Finds where any token of a choice stands, in order; in some files, or in all.
fn of_choice(table: &Table, choice: &Choice, files: Option<&[u32]>) -> Stands {
    let mut out = Vec::new();
    for (term, only) in choice {
        let take = |file: u32, spot: Spot, out: &mut Stands| {
            if *only == Only::Anywhere || spot.place == Place::Comments as u8 {
                out.push((file, spot));
            }
        };
        match files {
            Some(files) => {
                for (number, file) in files.iter().filter_map(|number| Some((*number, table.file(*number)?)))
                {
                    file.spots(*term, |spot| take(number, spot, &mut out));
                }
            }
            None => table.holders(*term).for_each(|(number, file)| {
                file.spots(*term, |spot| take(number, spot, &mut out));
            }),
        }
    }
    if choice.len() > 1 {
        out.sort_unstable_by_key(|(file, spot)| (*file, spot.block, spot.position, spot.place));
        out.dedup_by_key(|(file, spot)| (*file, spot.block, spot.position));
    }
    out
}

/// Adds what the paths of the files hold to what their blocks do.
fn with_paths(table: &Table, runs: &[Run], hits: Vec<Hit>) -> Vec<Hit> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (number, file) in table.files() {
        let count: usize = runs.iter().map(|run| on_the_way(&file.way, run)).sum();
        if count > 0 {
            found.push((number, u32::try_from(count).unwrap_or(u32::MAX)));
        }
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
        let blocks = table.file(number).map_or(0, |file| file.blocks.len());
        for block in 0..u32::try_from(blocks).unwrap_or(u32::MAX) {
            let own = hits.next_if(|hit| hit.block == (number, block));
            let mut hit = own.unwrap_or(Hit { block: (number, block), counts: [0; COUNTED] });
            hit.counts[PATH] = count;
            out.push(hit);
        }
    }
    out.extend(hits);
    out
}

/// Counts where choices follow one another in a path.
fn on_the_way(way: &[(u32, Term)], run: &Run) -> usize {
    let is = |choice: &Choice, term: Term| {
        choice.iter().any(|(own, only)| *own == term && *only == Only::Anywhere)
    };
    let Some((first, rest)) = run.split_first() else { return 0 };
    let follows = |position: u32, distance: u32, choice: &Choice| {
        way.iter().any(|(other, term)| *other == position + distance && is(choice, *term))
    };
    let begins = way.iter().filter(|(_, term)| is(first, *term));
    let whole = begins.filter(|(position, _)| {
        (1..).zip(rest).all(|(distance, choice)| follows(*position, distance, choice))
    });
    whole.count()
}
