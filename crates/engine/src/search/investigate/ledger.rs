//! The ledger of an investigation: the locations that were found, with the evidence for each.

use crate::{
    code::symbols,
    search::{
        keyword,
        semantic::{self, Alike},
    },
};
use std::collections::HashMap;
use toolpost_ranked::BlockKind;

#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) kind: BlockKind,
    pub(crate) name: String,
    pub(crate) score: f64,
    /// The reasons why the location was found, each as the predicate of a sentence, such as `has the name f`. Matching
    /// terms and meaning are not here, but in `holds` and `likeness`.
    pub(crate) why: Vec<String>,
    /// The semantic similarity to the objective (the question): 1 for equal meaning, 0 if it is unknown.
    pub(crate) likeness: f64,
    /// The numbers of the location's lines to cite as evidence.
    pub(crate) evidence: Vec<u64>,
    /// The terms of the objective that the location contains.
    pub(crate) holds: Vec<String>,
    /// The locations outside tests that use the symbol.
    pub(crate) users: Vec<String>,
    /// The locations in tests that use the symbol.
    pub(crate) tests: Vec<String>,
    /// The kinds of search that found the location.
    pub(crate) by: MatchSources,
    /// The id of the symbol at the location, if it is known.
    pub(crate) symbol: Option<String>,
    /// The first and the last line of the symbol, if they are known; the location may be a part of it.
    pub(crate) extent: Option<(u64, u64)>,
    /// The line with the name of the symbol, after its comments and decorators, if it is known.
    pub(crate) named: Option<u64>,
    /// True if the uses of the symbol were looked up.
    pub(crate) followed: bool,
}

/// The kinds of search that found a location: keywords, meaning, name, or links from other locations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MatchSources {
    pub(crate) words: bool,
    pub(crate) meaning: bool,
    pub(crate) name: bool,
    pub(crate) graph: bool,
}

/// The locations that an investigation found, each with its evidence.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) places: Vec<Place>,
    at: HashMap<(String, u64), usize>,
}

/// The weights of the kinds of search in the score of a location. Keyword and semantic scores are relative to the best
/// score. `NAME` and `PATH` are added unscaled; `GRAPH` is scaled by the score of the linking location and the certainty
/// of the link.
pub(crate) const WORDS: f64 = 1.0;
pub(crate) const MEANING: f64 = 1.0;
pub(crate) const NAME: f64 = 0.8;
pub(crate) const PATH: f64 = 0.6;
pub(crate) const GRAPH: f64 = 0.25;
/// The weights with which the second, third and fourth best location of a file raise the score of its
/// locations.
const OTHERS: [f64; 3] = [0.3, 0.15, 0.08];
/// The maximum number of lines of evidence for one location.
const SHOWN: usize = 3;

impl Ledger {
    /// Returns the location in the file that begins at line `first`, or a location of this name that may belong to the
    /// same symbol; adds the location if neither is known.
    pub(crate) fn place(
        &mut self,
        path: &str,
        first: u64,
        last: u64,
        kind: BlockKind,
        name: &str,
    ) -> &mut Place {
        self.place_if(path, (first, last), kind, name, |place| {
            place.extent.is_none_or(|extent| overlap(extent, (first, last)))
        })
    }

    /// Returns the location of a symbol, or of a part of the symbol; adds the location if none is known.
    pub(crate) fn symbol(&mut self, symbol: &symbols::Symbol) -> &mut Place {
        let (first, last) = (u64::from(symbol.first_line), u64::from(symbol.last_line));
        let (kind, name) = (BlockKind::Symbol(symbol.kind), &symbol.qualified);
        let place = self.place_if(&symbol.path, (first, last), kind, name, |place| {
            overlap(place.extent.unwrap_or((place.first, place.last)), (first, last))
        });
        if place.extent.is_none() {
            place.extent = Some((first, last));
            place.named = Some(u64::from(symbol.line));
        }
        place
    }

    /// Returns the location that begins at line `first`, or a location of this name that satisfies `fits`; adds
    /// the location if neither is known.
    fn place_if(
        &mut self,
        path: &str,
        (first, last): (u64, u64),
        kind: BlockKind,
        name: &str,
        fits: impl Fn(&Place) -> bool,
    ) -> &mut Place {
        let key = (path.to_owned(), first);
        let known = self.at.get(&key).copied().or_else(|| {
            // A symbol and a block of the keyword index with the same name are one location, but overloads, which
            // also have the same name, are not, because their lines differ.
            let same = |place: &Place| place.path == path && !name.is_empty() && place.name == name;
            self.places.iter().position(|place| same(place) && fits(place))
        });
        let at = known.unwrap_or(self.places.len());
        if known.is_none() {
            self.places.push(Place {
                path: path.to_owned(),
                first,
                last,
                kind,
                name: name.to_owned(),
                score: 0.0,
                why: Vec::new(),
                likeness: 0.0,
                evidence: Vec::new(),
                holds: Vec::new(),
                users: Vec::new(),
                tests: Vec::new(),
                by: MatchSources::default(),
                symbol: None,
                extent: None,
                named: None,
                followed: false,
            });
        }
        self.at.insert(key, at);
        &mut self.places[at]
    }

    /// Adds the results of a keyword search, with those of the terms `words` that their lines contain. The scores are
    /// multiplied by `share`, which is below 1 for results that contain only the beginning of a term.
    pub(crate) fn words(&mut self, output: &keyword::Output, words: &[String], share: f64) {
        let best = output.blocks.first().map_or(1.0, |block| block.score).max(f64::MIN_POSITIVE);
        for block in &output.blocks {
            let held = held(block.lines.iter().map(|line| (line.number, line.text)), words);
            let place = self.place(&block.path, block.first_line, block.last_line, block.kind, &block.name);
            place.score += share * WORDS * block.score / best;
            place.by.words = true;
            for word in held.0 {
                if !place.holds.contains(&word) {
                    place.holds.push(word);
                }
            }
            place.show(&held.1);
        }
    }

    /// Adds the results of a semantic search.
    pub(crate) fn meaning(&mut self, output: &semantic::Output) {
        let best = output.blocks.first().map_or(1.0, |found| found.block.score).max(f64::MIN_POSITIVE);
        for Alike { block, likeness, .. } in &output.blocks {
            let place = self.place(&block.path, block.first_line, block.last_line, block.kind, &block.name);
            place.score += MEANING * block.score / best;
            place.by.meaning = true;
            if let Some(likeness) = likeness.filter(|likeness| *likeness > 0.0) {
                place.likeness = place.likeness.max(likeness);
            }
        }
    }

    /// Adds the symbols with a name from the objective.
    pub(crate) fn symbols(&mut self, output: &symbols::Output, name: &str) {
        for hit in output
            .symbols
            .iter()
            .filter(|hit| ["exact", "inherited", "ignoring case"].contains(&hit.fit.as_str()))
        {
            let symbol = &hit.symbol;
            let place = self.symbol(symbol);
            place.score += NAME;
            place.by.name = true;
            place.symbol = Some(symbol.id.clone());
            place.because(match hit.fit.as_str() {
                "exact" => format!("has the name {name}"),
                fit => format!("has the name {name} ({fit})"),
            });
        }
    }

    /// Raises the score of locations in a file or directory that the objective mentions.
    pub(crate) fn paths(&mut self, paths: &[String]) {
        for place in &mut self.places {
            let fits = |path: &&String| {
                place.path == **path
                    || place.path.ends_with(&format!("/{path}"))
                    || place.path.starts_with(&format!("{path}/"))
            };
            if let Some(path) = paths.iter().find(fits) {
                place.score += PATH;
                place.because(format!("is in {path}"));
            }
        }
    }

    /// Keeps only the locations whose path satisfies the condition `holds`.
    pub(crate) fn keep(&mut self, holds: impl Fn(&str) -> bool) {
        self.places.retain(|place| holds(&place.path));
        self.at = self
            .places
            .iter()
            .enumerate()
            .map(|(at, place)| ((place.path.clone(), place.first), at))
            .collect();
    }

    /// Lists the locations with their scores, best first. Other locations in the same file raise the score.
    pub(crate) fn ranked(&self) -> Vec<(&Place, f64)> {
        let mut files: HashMap<&str, Vec<f64>> = HashMap::new();
        for place in &self.places {
            files.entry(&place.path).or_default().push(place.score);
        }
        files.values_mut().for_each(|scores| scores.sort_by(|one, other| other.total_cmp(one)));
        let beside = |place: &Place| -> f64 {
            let scores = files.get(place.path.as_str()).into_iter().flatten().skip(1);
            scores.zip(OTHERS).map(|(score, share)| score * share).sum()
        };
        let mut all: Vec<(&Place, f64)> =
            self.places.iter().map(|place| (place, place.score + beside(place))).collect();
        all.sort_by(|(one, first), (other, second)| {
            second.total_cmp(first).then_with(|| (&one.path, one.first).cmp(&(&other.path, other.first)))
        });
        all
    }
}

impl Place {
    pub(crate) fn because(&mut self, why: String) {
        if !self.why.contains(&why) {
            self.why.push(why);
        }
    }

    /// Returns the reasons why the location was found, as the predicate of a sentence.
    pub(crate) fn reasons(&self) -> String {
        let mut parts = self.why.clone();
        if !self.holds.is_empty() {
            let words = if self.holds.len() == 1 { "word" } else { "words" };
            parts.push(format!("contains the {words} {}", listed(&self.holds)));
        }
        if self.likeness > 0.0 {
            parts.push(format!("is similar in meaning to the objective ({:.2})", self.likeness));
        }
        if parts.is_empty() { "was found".to_owned() } else { listed(&parts) }
    }

    pub(crate) fn show(&mut self, lines: &[u64]) {
        for line in lines {
            if self.evidence.len() < SHOWN && !self.evidence.contains(line) {
                self.evidence.push(*line);
            }
        }
    }

    /// Returns the first and the last line of the location. A whole symbol begins at the line with its name, as in the
    /// replies of the symbol tools, and not at its comments.
    pub(crate) fn lines(&self) -> (u64, u64) {
        match self.extent {
            Some((first, last)) if first >= self.first => (self.named.unwrap_or(first), last),
            _ => (self.first, self.last),
        }
    }

    /// Formats the location: `function f (a.js:1-9)`, or `a.js:4-6 in function f (lines 1-9)` for a part of a
    /// symbol. If the extent of the symbol is unknown, the location is shown as a part; without a name, only its lines are
    /// shown.
    pub(crate) fn shown(&self) -> String {
        let range = |first: u64, last: u64| match first == last {
            true => format!("{}:{first}", self.path),
            false => format!("{}:{first}-{last}", self.path),
        };
        let lines = range(self.first, self.last);
        let symbol = format!("{} {}", self.kind, self.name);
        match self.extent {
            _ if self.name.is_empty() => lines,
            Some((first, last)) if first < self.first => {
                format!("{lines} in {symbol} (lines {first}-{last})")
            }
            Some(_) => {
                let (first, last) = self.lines();
                format!("{symbol} ({})", range(first, last))
            }
            None => format!("{lines} in {symbol}"),
        }
    }

    /// Returns true if the last part of the location's name is one of `words`, which are in lower case.
    pub(crate) fn is_named(&self, words: &[String]) -> bool {
        let last = self.name.rsplit(['.', ':', '#']).next().unwrap_or_default().to_lowercase();
        !last.is_empty() && words.contains(&last)
    }
}

/// Returns true if two ranges of lines have a line in common.
fn overlap((first, last): (u64, u64), (start, end): (u64, u64)) -> bool {
    first <= end && start <= last
}

/// Joins the parts of a sentence: `a`, `a and b`, `a, b, and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
    }
}

/// Finds the terms that occur in the lines; also returns the first line of each term.
fn held<'l>(lines: impl Iterator<Item = (u64, &'l str)>, words: &[String]) -> (Vec<String>, Vec<u64>) {
    let (mut found, mut at): (Vec<String>, Vec<u64>) = (Vec::new(), Vec::new());
    for (number, line) in lines {
        for word in words {
            if !found.contains(word) && holds(line, word) {
                found.push(word.clone());
                if !at.contains(&number) {
                    at.push(number);
                }
            }
        }
    }
    (found, at)
}

/// The maximum number of characters that an inflected form may add to a word, as in `prices`.
const ENDING: usize = 3;

/// Returns true if a line contains a word or an inflected form: as an identifier, or as a part of one
/// (`total` in `cartTotal`). `auth*` matches words with this beginning.
fn holds(line: &str, word: &str) -> bool {
    let lower = line.to_lowercase();
    if let Some(beginning) = word.strip_suffix('*') {
        return parts(line).any(|part| part.to_lowercase().starts_with(beginning));
    }
    // A text of several words is compared literally, and so is text in a language without spaces between words.
    if !word.is_ascii() || word.contains(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        return lower.contains(word);
    }
    let stem = if word.len() > 5 { &word[..word.len() - 2] } else { word };
    if !lower.contains(stem) {
        return false;
    }
    let is_form = |part: &str| {
        let part = part.to_lowercase();
        part.starts_with(stem) && part.len() <= word.len() + ENDING
    };
    let mut identifiers = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    identifiers.any(|identifier| is_form(identifier.trim_matches('_'))) || parts(line).any(is_form)
}

/// Lists the parts of the identifiers in a line: `get`, `User` and `id` of `getUser_id`.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric()).flat_map(|word| {
        let mut starts = vec![0];
        let letters: Vec<(usize, char)> = word.char_indices().collect();
        for at in 1..letters.len() {
            let next_is_lower = letters.get(at + 1).is_some_and(|(_, next)| next.is_lowercase());
            let (before, (start, here)) = (letters[at - 1].1, letters[at]);
            if here.is_uppercase() && (!before.is_uppercase() || next_is_lower) {
                starts.push(start);
            }
        }
        starts.push(word.len());
        let ends: Vec<(usize, usize)> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
        ends.into_iter().map(move |(from, to)| &word[from..to])
    })
}

#[cfg(test)]
mod tests {
    use super::{BlockKind, Ledger, holds, overlap};
    use crate::operations::symbols;
    use toolpost_syntax::Kind;
    use toolpost_test_rows::each;

    #[test]
    fn lines_match_word_forms_but_not_parts_of_other_words() {
        let rows = [
            ("const { kReplySerializerDefault } = require('./symbols')", "kreplyserializer", false),
            ("this[kReplySerializer] = null", "kreplyserializer", true),
            ("  \"\"\"Adds up the prices.\"\"\"", "add", true),
            ("  return sum(self.prices)", "price", true),
            ("let cartTotal = 0", "total", true),
            ("let HTTPServer = 0", "server", true),
            ("let subtotal = 0", "total", false),
            ("def get_user(id):", "get_user", true),
            ("def get_user_by_id(id):", "get_user", false),
            ("class HttpServer:", "httpserver", true),
            ("authenticate(user)", "auth", false),
            ("authenticate(user)", "auth*", true),
            ("raise Gone('the session expired')", "session expired", true),
            ("这是会话超时", "会话", true),
        ];
        each(rows, |(line, word, wanted)| {
            assert_eq!(holds(line, word), wanted, "{word} in {line}");
        });
    }

    #[test]
    fn partial_symbol_range_is_shown_as_part_of_the_symbol() {
        let rows = [
            (None, None, "a.js:465-549 in function fastify", (465, 549)),
            (Some((118, 702)), Some(120), "a.js:465-549 in function fastify (lines 118-702)", (465, 549)),
            (Some((465, 548)), Some(465), "function fastify (a.js:465-548)", (465, 548)),
            (Some((465, 548)), Some(470), "function fastify (a.js:470-548)", (470, 548)),
            (Some((466, 702)), None, "function fastify (a.js:466-702)", (466, 702)),
            (Some((465, 465)), Some(465), "function fastify (a.js:465)", (465, 465)),
        ];
        each(rows, |(extent, named, wanted, lines)| {
            let mut ledger = Ledger::default();
            let place = ledger.place("a.js", 465, 549, BlockKind::Symbol(Kind::Function), "fastify");
            (place.extent, place.named) = (extent, named);
            assert_eq!((place.shown().as_str(), place.lines()), (wanted, lines));
        });
    }

    #[test]
    fn overloads_keep_separate_line_ranges() {
        // Two overloads of a function, its implementation, and blocks of the implementation; each rotation of the list
        // is tested.
        let found =
            [(138, 150, true), (152, 166, true), (168, 286, true), (168, 286, false), (230, 286, false)];
        for turn in 0..found.len() {
            let mut ledger = Ledger::default();
            let function = BlockKind::Symbol(Kind::Function);
            for (first, last, is_symbol) in found.iter().cycle().skip(turn).take(found.len()) {
                if *is_symbol {
                    ledger.symbol(&symbols::Symbol {
                        id: format!("python:a.py#prompt(function)@{first}"),
                        name: "prompt".to_owned(),
                        qualified: "prompt".to_owned(),
                        kind: Kind::Function,
                        path: "a.py".to_owned(),
                        line: *first,
                        first_line: *first,
                        last_line: *last,
                        signature: String::new(),
                    });
                } else {
                    ledger.place("a.py", u64::from(*first), u64::from(*last), function, "prompt");
                }
            }
            for place in &ledger.places {
                let extent = place.extent.unwrap();
                assert!(overlap(extent, (place.first, place.last)), "{turn}: {}", place.shown());
            }
            assert_eq!(ledger.places.len(), 3, "{turn}");
        }
    }

    #[test]
    fn qualified_symbol_names_match_by_their_last_part() {
        let rows = [("FastifyInstance.inject", true), ("inject", true), ("injectAll", false), ("", false)];
        each(rows, |(name, wanted)| {
            let mut ledger = Ledger::default();
            let place = ledger.place("a.js", 1, 2, BlockKind::Symbol(Kind::Function), name);
            assert_eq!(place.is_named(&["inject".to_owned()]), wanted, "{name}");
        });
    }
}
