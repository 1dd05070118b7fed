//! Blocks and queries in a form without file numbers, for the shared index on another machine.

use std::collections::HashSet;
use std::path::Path;

use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_text::lines;

use crate::Block;
use crate::embeddings::text_of;
use crate::hits::{COUNTED, PATH};
use crate::index::LARGEST;
use crate::paths::way;
use crate::record::{PLACES, TokenPart, VERSION, make, spots};
use crate::score::{rarity, worth};
use crate::segment::told;
use crate::tokens::{self, tokens};
use crate::tokens::{DEFINED, STEM};

/// The version of this form. It changes whenever the blocks or tokens of the same content would change.
pub const FORMAT: u32 = VERSION;

/// The maximum size of a file that is divided into blocks, in bytes.
pub const LONGEST: u64 = LARGEST;

/// The number of occurrences of a token in each part of a block: name, signature, body, comments, enclosing names.
pub type Counts = [u8; PLACES];

/// The maximum count of a token in one part of a block; further occurrences are ignored.
const MOST: u8 = 15;

/// The parser key of C and C++ header files, whose content decides which of the two languages they are in.
const HEADER: &str = "header";

/// A block of a file with all data that a search in a shared index needs.
#[derive(Debug, Clone, PartialEq)]
pub struct PortableBlock {
    /// The lines, kind and name of the block.
    pub block: Block,
    /// The number of tokens in each part of the block.
    pub lengths: [u32; PLACES],
    /// The distinct tokens of the block, sorted, with their counts; stems of words start with a marker character.
    pub tokens: Vec<(String, Counts)>,
    /// The text from which the embedding of the block is computed.
    pub text: String,
}

/// Returns the parser key of a file: the language by its path, or `header`. Equal contents with the same key have the
/// same blocks.
#[must_use]
pub fn way_of(path: &Path) -> &'static str {
    let header = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("h"));
    if header { HEADER } else { Language::of_path(path).map_or("", Language::name) }
}

/// Divides the content of a file into blocks; `None` if it is not text. `way` is the key that [`way_of`] returns.
#[must_use]
pub fn cut(way: &str, bytes: Vec<u8>) -> Option<Vec<PortableBlock>> {
    let size = bytes.len() as u64;
    let text = Text::open(bytes, None).ok()?;
    let shown = text.shown(text.view());
    let language = match way {
        HEADER => Language::of_text(Path::new("a.h"), &shown),
        "" => None,
        name => Language::of_name(name),
    };
    let record = make(language, &shown, size);
    let all = lines::bare(&shown);
    let mut pieces: Vec<PortableBlock> = record
        .blocks
        .iter()
        .zip(&record.lengths)
        .map(|(block, lengths)| PortableBlock {
            block: block.clone(),
            lengths: *lengths,
            tokens: Vec::new(),
            text: text_of(block, &all),
        })
        .collect();
    let mut from = 0;
    for (term, end) in record.terms.iter().zip(&record.ends) {
        if term.starts_with(DEFINED) {
            from = *end as usize;
            continue;
        }
        spots(record.entries.get(from..*end as usize).unwrap_or_default(), |spot| {
            let Some(piece) = pieces.get_mut(spot.block as usize) else { return };
            if piece.tokens.last().is_none_or(|(last, _)| last != term) {
                piece.tokens.push((term.clone(), [0; PLACES]));
            }
            let count =
                piece.tokens.last_mut().and_then(|(_, counts)| counts.get_mut(usize::from(spot.place)));
            if let Some(count) = count {
                *count = (*count + 1).min(MOST);
            }
        });
        from = *end as usize;
    }
    Some(pieces)
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in lower case, for display to the user.
    pub shown: String,
    /// The index token that equals the word.
    pub token: String,
    /// The index tokens with the same stem, which match the word only in comments.
    pub stems: Vec<String>,
}

/// Lists the words of a question, each once.
#[must_use]
pub fn asked(question: &str) -> Vec<Word> {
    let mut known = HashSet::new();
    let word = |word: tokens::Word<'_>| {
        let found = tokens(word.text);
        let (token, stems) = match (found.whole, found.parts.as_slice()) {
            (Some(whole), _) => (whole, Vec::new()),
            (None, [only]) => {
                let stem = tokens::stem(only).unwrap_or_else(|| only.clone());
                let mut stems = vec![format!("{STEM}{stem}")];
                stems.extend((stem != *only).then_some(stem));
                (only.clone(), stems)
            }
            (None, _) => return None,
        };
        known.insert(token.clone()).then(|| Word { shown: word.text.to_lowercase(), token, stems })
    };
    tokens::words(question).filter_map(word).collect()
}

/// The totals over all blocks of an index, from which scores are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of blocks in the index.
    pub blocks: u64,
    /// For each part of a block, the number of tokens in that part, summed over all blocks.
    pub lengths: [u64; PLACES],
}

impl Word {
    /// Returns the BM25 score of a block for the word. `counts` returns the occurrences of a token in the block, and
    /// `holding` is the number of blocks with the word. 0 if neither the block nor its path contains it.
    #[must_use]
    pub fn fits(
        &self,
        counts: &dyn Fn(&str) -> Option<Counts>,
        path: &str,
        lengths: &[u32; PLACES],
        totals: &Totals,
        holding: u64,
    ) -> f64 {
        let mut sum = [0_u32; COUNTED];
        if let Some(own) = counts(&self.token) {
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum = u32::from(own));
        }
        let comments = TokenPart::Comments as usize;
        for stem in &self.stems {
            // An occurrence of the word may also be counted for its stem; the maximum avoids counting it twice.
            let own = counts(stem).map_or(0, |own| u32::from(own[comments]));
            sum[comments] = sum[comments].max(own);
        }
        let mut on_path = 0;
        way(path, |token, _| on_path += u32::from(token == self.token));
        sum[PATH] = on_path;
        if sum.iter().all(|count| *count == 0) {
            return 0.0;
        }
        let total = totals.blocks.max(1) as f64;
        let mut usual = [1.0; PLACES];
        for (usual, sum) in usual.iter_mut().zip(totals.lengths) {
            *usual = (sum as f64 / total).max(0.5);
        }
        rarity(total, holding as f64) * worth(&sum, Some(&told(lengths)), &usual)
    }

    /// Returns whether the block itself contains the word, and not only the path or the names of enclosing symbols.
    #[must_use]
    pub fn is_held(&self, counts: &dyn Fn(&str) -> Option<Counts>) -> bool {
        let comments = TokenPart::Comments as usize;
        counts(&self.token)
            .is_some_and(|own| own[..TokenPart::Around as usize].iter().any(|count| *count > 0))
            || self.stems.iter().any(|stem| counts(stem).is_some_and(|own| own[comments] > 0))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Totals, asked, cut, way_of};

    #[test]
    fn content_is_cut_into_blocks_with_token_counts() {
        let text = "/// Parses the user's names.\nfn parseName(x: u8) { x }\n\nstruct Other { parse: u8 }\n";
        let pieces = cut("rust", text.into()).unwrap();
        let names: Vec<_> =
            pieces.iter().map(|piece| (piece.block.kind.name(), &*piece.block.name)).collect();
        assert_eq!(names, [("function", "parseName"), ("struct", "Other")]);
        let held = |at: usize, token: &str| {
            pieces[at].tokens.iter().find(|(known, _)| known == token).map(|(_, counts)| *counts)
        };
        assert_eq!(held(0, "parsename"), Some([1, 0, 0, 0, 0]));
        assert_eq!(held(0, "\u{1}pars"), Some([0, 0, 0, 1, 0]));
        assert_eq!(held(1, "parsename"), None);
        assert!(pieces.iter().all(|piece| piece.tokens.is_sorted_by(|one, other| one.0 < other.0)));
        assert!(pieces[0].text.starts_with("/// Parses") && pieces[0].text.ends_with("\nparseName"));
        assert_eq!(cut("rust", vec![0, 1, 2, 0]), None);
        let rows = [
            ("a.rs", "rust"),
            ("a/b.H", "header"),
            ("x.unknown", ""),
            ("Makefile", way_of(Path::new("Makefile"))),
        ];
        rows.into_iter().for_each(|(path, wanted)| assert_eq!(way_of(Path::new(path)), wanted));
        let kinds = |text: &str| {
            cut("header", text.into())
                .unwrap()
                .into_iter()
                .map(|piece| piece.block.kind.name())
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds("class A {\npublic:\n  int b() { return 1; }\n};\n")[0], "class");
    }

    #[test]
    fn questions_are_matched_by_words_and_stems() {
        let words = asked("where parsing of user_names, Parsing");
        let tokens: Vec<&str> = words.iter().map(|word| &*word.token).collect();
        assert_eq!(tokens, ["where", "parsing", "of", "usernames"]);
        assert_eq!(words[1].stems, ["\u{1}pars", "pars"]);
        let totals = Totals { blocks: 100, lengths: [200, 600, 4_000, 1_000, 50] };
        let fits = |counts: [u8; 5], path: &str, holding: u64| {
            let held = |token: &str| (token == "parsing").then_some(counts);
            words[1].fits(&held, path, &[2, 6, 40, 10, 1], &totals, holding)
        };
        let name = fits([1, 0, 0, 0, 0], "a.rs", 5);
        let body = fits([0, 0, 1, 0, 0], "a.rs", 5);
        assert!(name > body && body > 0.0 && fits([0; 5], "a.rs", 5) == 0.0);
        assert!(fits([0; 5], "src/parsing.rs", 5) > 0.0, "a match in the path must count");
        assert!(body > fits([0, 0, 1, 0, 0], "a.rs", 50), "a word of many blocks must count less");
        assert!(fits([0, 0, 3, 0, 0], "a.rs", 5) > body, "a repeated word must count more");
        let stem = |token: &str| (token == "\u{1}pars").then_some([0, 0, 0, 1, 0]);
        assert!(words[1].is_held(&stem) && !words[0].is_held(&stem));
    }
}
