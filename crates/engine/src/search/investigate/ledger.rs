//! Ledger of the places that were found, with the evidence for each.

use crate::{
    code::symbols,
    search::{
        keyword,
        semantic::{self, Alike},
    },
};
use std::collections::HashMap;

/// A place with its evidence.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) score: f64,
    /// The reasons other than its terms and its meaning, each as the predicate of a sentence.
    pub(crate) why: Vec<String>,
    /// The semantic similarity to the objective: 1 for equal meaning, 0 if it is unknown.
    pub(crate) likeness: f64,
    /// The numbers of the lines that show it.
    pub(crate) evidence: Vec<u64>,
    /// The terms of the objective that it contains.
    pub(crate) holds: Vec<String>,
    /// The places that use it, outside tests and in tests.
    pub(crate) users: Vec<String>,
    pub(crate) tests: Vec<String>,
    /// The ways it was found.
    pub(crate) by: By,
    /// Its id, if it is a known symbol.
    pub(crate) symbol: Option<String>,
    /// The first and the last line of that symbol; the place may be a part of it.
    pub(crate) extent: Option<(u64, u64)>,
    /// True if its users were looked up.
    pub(crate) followed: bool,
}

/// The ways to find a place: keyword search, semantic search, name, or links from other places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct By {
    pub(crate) words: bool,
    pub(crate) meaning: bool,
    pub(crate) name: bool,
    pub(crate) graph: bool,
}

/// The places that were found.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) places: Vec<Place>,
    at: HashMap<(String, u64), usize>,
}

/// The weights of the ways to find a place: keyword and semantic scores count relative to the best one, the
/// others absolutely.
pub(crate) const WORDS: f64 = 1.0;
pub(crate) const MEANING: f64 = 1.0;
pub(crate) const NAME: f64 = 0.8;
pub(crate) const PATH: f64 = 0.6;
pub(crate) const GRAPH: f64 = 0.25;
/// The weights of the second, third and fourth place of a file in the score of a place in it.
const OTHERS: [f64; 3] = [0.3, 0.15, 0.08];
/// The maximum number of lines of evidence for one place.
const SHOWN: usize = 3;

impl Ledger {
    /// Finds a place, or adds it.
    pub(crate) fn place(&mut self, path: &str, first: u64, last: u64, kind: &str, name: &str) -> &mut Place {
        let key = (path.to_owned(), first);
        let known = self.at.get(&key).copied().or_else(|| {
            // A symbol and the block that was cut around it are one place.
            let same = |place: &Place| place.path == path && !name.is_empty() && place.name == name;
            self.places.iter().position(same)
        });
        let at = known.unwrap_or(self.places.len());
        if known.is_none() {
            self.places.push(Place {
                path: path.to_owned(),
                first,
                last,
                kind: kind.to_owned(),
                name: name.to_owned(),
                score: 0.0,
                why: Vec::new(),
                likeness: 0.0,
                evidence: Vec::new(),
                holds: Vec::new(),
                users: Vec::new(),
                tests: Vec::new(),
                by: By::default(),
                symbol: None,
                extent: None,
                followed: false,
            });
        }
        self.at.insert(key, at);
        &mut self.places[at]
    }

    /// Adds the results of a keyword search.
    pub(crate) fn words(&mut self, output: &keyword::Output, words: &[String], share: f64) {
        let best = output.blocks.first().map_or(1.0, |block| block.score).max(f64::MIN_POSITIVE);
        for block in &output.blocks {
            let held = held(block.lines.iter().map(|line| (line.number, line.text)), words);
            let place = self.place(&block.path, block.first_line, block.last_line, &block.kind, &block.name);
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
            let place = self.place(&block.path, block.first_line, block.last_line, &block.kind, &block.name);
            place.score += MEANING * block.score / best;
            place.by.meaning = true;
            if let Some(likeness) = likeness.filter(|likeness| *likeness > 0.0) {
                place.likeness = place.likeness.max(likeness);
            }
        }
    }

    /// Adds the symbols with a name from the objective.
    pub(crate) fn symbols(&mut self, output: &symbols::Output, said: &str) {
        for hit in output
            .symbols
            .iter()
            .filter(|hit| ["exact", "inherited", "ignoring case"].contains(&hit.fit.as_str()))
        {
            let symbol = &hit.symbol;
            let (first, last) = (u64::from(symbol.first_line), u64::from(symbol.last_line));
            let place = self.place(&symbol.path, first, last, &symbol.kind, &symbol.qualified);
            place.score += NAME;
            place.by.name = true;
            place.symbol = Some(symbol.id.clone());
            place.extent = Some((first, last));
            place.because(match hit.fit.as_str() {
                "exact" => format!("has the name {said}"),
                fit => format!("has the name {said} ({fit})"),
            });
        }
    }

    /// Raises the score of places below a path from the objective.
    pub(crate) fn paths(&mut self, said: &[String]) {
        for place in &mut self.places {
            let fits = |said: &&String| {
                place.path == **said
                    || place.path.ends_with(&format!("/{said}"))
                    || place.path.starts_with(&format!("{said}/"))
            };
            if let Some(said) = said.iter().find(fits) {
                place.score += PATH;
                place.because(format!("is in {said}"));
            }
        }
    }

    /// Keeps only the places whose path satisfies the condition.
    pub(crate) fn keep(&mut self, holds: impl Fn(&str) -> bool) {
        self.places.retain(|place| holds(&place.path));
        self.at = self
            .places
            .iter()
            .enumerate()
            .map(|(at, place)| ((place.path.clone(), place.first), at))
            .collect();
    }

    /// Lists the places, best first: the other places of a file add to the score of each.
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

    /// Returns the reasons why the place was found, as the predicate of a sentence.
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

    /// Returns the place as displayed: `function f (a.js:1-9)`, or `a.js:4-6 in function f (lines 1-9)` if it
    /// is a part of the symbol. Without a known extent, a place may be a part.
    pub(crate) fn shown(&self) -> String {
        let lines = format!("{}:{}-{}", self.path, self.first, self.last);
        let symbol = format!("{} {}", self.kind, self.name);
        match self.extent {
            _ if self.name.is_empty() => lines,
            Some((first, last)) if first < self.first => {
                format!("{lines} in {symbol} (lines {first}-{last})")
            }
            Some((first, last)) => format!("{symbol} ({}:{first}-{last})", self.path),
            None => format!("{lines} in {symbol}"),
        }
    }

    /// Returns whether the last part of its name is one of the words, whatever its case.
    pub(crate) fn is_named(&self, words: &[String]) -> bool {
        let last = self.name.rsplit(['.', ':', '#']).next().unwrap_or_default().to_lowercase();
        !last.is_empty() && words.contains(&last)
    }
}

/// Joins parts of a sentence: `a`, `a and b`, `a, b, and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
    }
}

/// Finds the terms that occur in the lines, each with the first line that contains it.
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

/// The number of letters by which a form of a word may be longer than the word: `prices`, `parsing`.
const ENDING: usize = 3;

/// Returns true if a line contains a word: as an identifier, or as a part of one (`total` in `cartTotal`), in
/// any form. `auth*` stands for words with this beginning.
fn holds(line: &str, word: &str) -> bool {
    let lower = line.to_lowercase();
    if let Some(beginning) = word.strip_suffix('*') {
        return parts(line).any(|part| part.to_lowercase().starts_with(beginning));
    }
    // A text of several words is literal; scripts without spaces have no words to compare.
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
    use super::{Ledger, holds};

    #[test]
    fn a_line_contains_a_word_in_its_forms_but_not_inside_of_another() {
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
        for (line, word, wanted) in rows {
            assert_eq!(holds(line, word), wanted, "{word} in {line}");
        }
    }

    #[test]
    fn a_part_of_a_symbol_is_not_shown_as_the_symbol() {
        let rows = [
            (None, "a.js:465-549 in function fastify"),
            (Some((118, 702)), "a.js:465-549 in function fastify (lines 118-702)"),
            (Some((465, 549)), "function fastify (a.js:465-549)"),
            (Some((466, 702)), "function fastify (a.js:466-702)"),
        ];
        for (extent, wanted) in rows {
            let mut ledger = Ledger::default();
            let place = ledger.place("a.js", 465, 549, "function", "fastify");
            place.extent = extent;
            assert_eq!(place.shown(), wanted);
        }
    }

    #[test]
    fn a_place_has_the_name_that_a_question_gives() {
        let rows = [("FastifyInstance.inject", true), ("inject", true), ("injectAll", false), ("", false)];
        for (name, wanted) in rows {
            let mut ledger = Ledger::default();
            let place = ledger.place("a.js", 1, 2, "function", name);
            assert_eq!(place.is_named(&["inject".to_owned()]), wanted, "{name}");
        }
    }
}
