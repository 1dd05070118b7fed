//! Extracts search terms from a question: names, paths, quoted texts and significant words.

use std::collections::HashSet;

/// The search terms of a question.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Terms {
    /// Names in the form of code: `get_user`, `Cart.total`, `HttpServer`.
    pub(crate) names: Vec<String>,
    /// Paths and file names.
    pub(crate) paths: Vec<String>,
    /// Quoted texts of more than one word.
    pub(crate) phrases: Vec<String>,
    /// All significant words of the question, also those in names and paths, in lower case.
    pub(crate) words: Vec<String>,
}

/// The maximum number of significant words. The first ones in the question are kept.
const MOST: usize = 24;
/// The maximum number of names, and of paths. The first ones in the question are kept.
const NAMES: usize = 8;

/// Stop words, which occur in any question and are not searched for.
const EMPTY: &str = "a about above after again all also an and any are as at be because been before being below between both but by can \
    cannot code codebase could describe did do does doing done down during each every explain few file files find first for from further had has \
    have having here how i if implementation implemented implements in instead into investigate is it its just like look made make makes \
    may might more most much must my need no nor not now of off on once one only or other our out over own please project \
    repo repository same see should show so some such than that the their them then there these they this those through to too \
    under understand until up us use used uses using very via want was we were what when where whether which while who whole why will with within work \
    works would you your across actually almost along already although always among another anything around away back became become \
    come comes certain different either else enough etc ever everything exactly go goes going good got happen \
    happens help hence however kind know known later less lets likely lot lots many maybe mean means mostly never nothing \
    often others particular per perhaps possible quite rather really regarding related said say says several simply \
    since something sometimes still thing things think toward towards upon usually various want \
    wants way ways well whatever whenever wherever whichever without yet";

/// Extracts the terms of a question.
pub(crate) fn read(objective: &str) -> Terms {
    let empty: HashSet<&str> = EMPTY.split_whitespace().collect();
    let mut terms = Terms { phrases: phrases(objective), ..Terms::default() };
    for piece in objective.split(|letter: char| letter.is_whitespace() || "\"`(),;[]{}<>|".contains(letter)) {
        let piece = piece.trim_matches(|letter: char| !letter.is_alphanumeric() && !"_/".contains(letter));
        let piece = piece.strip_suffix("'s").unwrap_or(piece);
        if piece.is_empty() || piece.contains("://") {
            continue;
        }
        if is_path(piece) {
            push(&mut terms.paths, piece.trim_matches('/'), NAMES);
        } else if is_name(piece) {
            push(&mut terms.names, piece, NAMES);
        }
        for word in piece.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            let word = word.trim_matches('_').to_lowercase();
            let says = word.chars().count() > 1 && !empty.contains(word.as_str());
            if says && !word.chars().all(|letter| letter.is_ascii_digit()) {
                push(&mut terms.words, &word, MOST);
            }
        }
    }
    terms
}

/// Returns a query that matches any of the terms of a question.
pub(crate) fn query(question: &str) -> String {
    read(question).query()
}

/// Lists the significant words of a question, in lower case.
pub(crate) fn words(question: &str) -> Vec<String> {
    read(question).words
}

impl Terms {
    /// Returns true if the question has no name, no path and no significant word.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.names.is_empty() && self.paths.is_empty()
    }

    /// Returns a query that matches any of the terms; the ranking of the results favours rare terms.
    pub(crate) fn query(&self) -> String {
        // Names are split at every separator except `_`. The index matches an identifier both as a whole and
        // by its parts.
        let names = self
            .names
            .iter()
            .flat_map(|name| name.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        let names = names.filter(|name| name.chars().count() > 1).map(str::to_owned);
        let mut seen = HashSet::new();
        let all = names.chain(self.words.iter().cloned()).filter(|word| seen.insert(word.to_lowercase()));
        all.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
    }
}

/// Lists the first four quoted texts of more than one word in a question; leaves out texts of several lines and of more
/// than 100 bytes.
fn phrases(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for quote in ['"', '`'] {
        for phrase in text.split(quote).skip(1).step_by(2) {
            let phrase = phrase.trim();
            if phrase.contains(' ') && phrase.len() <= 100 && !phrase.contains('\n') {
                push(&mut out, phrase, 4);
            }
        }
    }
    out
}

/// Returns true if a word has the form of a path or a file name.
fn is_path(piece: &str) -> bool {
    let last = piece.rsplit('/').next().unwrap_or(piece);
    let ending = last.rsplit_once('.').map(|(stem, ending)| (!stem.is_empty(), ending));
    let has_ending = ending.is_some_and(|(stem, ending)| {
        let fits = (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        stem && fits && toolpost_syntax::Language::of_path(std::path::Path::new(last)).is_some()
    });
    has_ending || (piece.contains('/') && piece.split('/').all(|part| part.len() > 1))
}

/// Returns true if a word has the form of a name in code.
fn is_name(piece: &str) -> bool {
    let letters = |letter: char| letter.is_alphanumeric() || "_.:#".contains(letter);
    let mixed = piece.chars().skip(1).any(char::is_uppercase) && piece.chars().any(char::is_lowercase);
    let joined = piece.trim_matches('_').contains('_');
    let dotted = piece.contains("::")
        || piece.contains('#')
        || (piece.contains('.')
            && !piece.ends_with('.')
            && piece.chars().filter(|letter| *letter == '.').count() < 4);
    piece.chars().all(letters) && piece.chars().any(char::is_alphabetic) && (mixed || joined || dotted)
}

fn push(list: &mut Vec<String>, item: &str, most: usize) {
    if list.len() < most && !item.is_empty() && !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use toolpost_test_rows::each;

    #[test]
    fn objective_is_split_into_names_paths_phrases_and_words() {
        let rows = [
            ("Where is Cart.total computed?", "Cart.total", "", "", "cart total computed"),
            ("Fix `get_user()` in src/auth.py", "get_user", "src/auth.py", "", "get_user fix src auth py"),
            (
                "How does \"session expired\" reach the user's HttpServer?",
                "HttpServer",
                "",
                "session expired",
                "session expired reach user httpserver",
            ),
            ("what is the code", "", "", "", ""),
            (
                "Parse config::load twice, see https://x.y/z #12",
                "config::load",
                "",
                "",
                "parse config load twice",
            ),
        ];
        each(rows, |(objective, names, paths, phrases, words)| {
            let terms = read(objective);
            let mut all = terms.words.clone();
            let mut wanted: Vec<&str> = words.split_whitespace().collect();
            all.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(
                (
                    terms.names.join(" ").as_str(),
                    terms.paths.join(" ").as_str(),
                    terms.phrases.join("|").as_str(),
                    all.join(" ")
                ),
                (names, paths, phrases, wanted.join(" ")),
                "{objective}"
            );
        });
    }
}
