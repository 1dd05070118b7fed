//! Counts phrases that `docs/style.md` advises against; the count of a file may only fall.

use super::{Finding, counts};
use crate::tree::{Source, Tree};
use regex::Regex;
use std::sync::LazyLock;

/// The file with the allowed number of phrases in each file: `COUNT PATH` per line, sorted by path.
pub const BASELINE: &str = "xtask/prose.txt";

/// Files in which the phrases are not counted, because they quote them.
const EXEMPT: [&str; 4] = ["xtask/src/tidy/prose.rs", "xtask/tests/tidy.rs", "docs/style.md", BASELINE];

/// Regular expressions of phrases to avoid, each with a better wording.
const PATTERNS: &[(&str, &str)] = &[
    (r"(?i)\b(inside|outside|aside) of\b", "drop `of`"),
    (r"\bis no [a-z]+\b", "`is not a …`, `isn't …` or an adjective"),
    (r"\bbeside all else\b", "in the background"),
    (r"\bof (one's|its|their|his) own\b", "the possessive alone, or nothing"),
    (r"(?i)\bwhoever\b", "the role: the caller, the user, the client"),
    (r"(?i)\b(is|are|was|were) (told|said)\b", "reports, lists, warns; name who does it"),
    (r"\bsays so\b", "what is reported, or nothing"),
    (r"\bis to be\b|\bare to be\b", "must, or will"),
    (r"(?i)\banew\b", "again"),
    (r"(?i)\bcustomary\b", "default, usual, conventional"),
    (r"(?i)\bthe disk said\b|\bthe world moved\b", "what happened: an I/O error, a file that changed"),
    (r"(?i)\bpassed over\b", "skipped, ignored"),
    (r"\bstands? (there|in it|at the)\b", "is, appears"),
    (r"\bas (it|they) (is|are|stands?)\b", "unchanged, verbatim, literally, raw"),
    (
        r"//[/!] (Gives|Tells|Says|What|Whether|How|Where|Who|Which)\b",
        "open with a noun, or a verb such as `Returns`",
    ),
    (r"(?i)\bcan be made again\b", "cache"),
];

static COMPILED: LazyLock<Vec<(Option<Regex>, &'static str)>> = LazyLock::new(|| {
    PATTERNS.iter().map(|(pattern, instead)| (Regex::new(pattern).ok(), *instead)).collect()
});

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let allowed = tree.file(BASELINE).map(|file| counts::parse(&file.text)).unwrap_or_default();
    let mut findings = Vec::new();
    for file in prose(tree) {
        let places = places(&file.text);
        let limit = allowed.get(file.path.as_str()).copied().unwrap_or(0);
        if places.len() > limit {
            findings.extend(places.last().map(|place| finding(file, place, places.len(), limit)));
        }
    }
    findings
}

/// Returns new content for `BASELINE`: the current count of each file, but not more than the allowed count.
#[must_use]
pub fn ratchet(tree: &Tree) -> String {
    let current = prose(tree).map(|file| (file.path.as_str(), places(&file.text).len()));
    counts::lowered(tree.file(BASELINE), current)
}

struct PhraseMatch {
    line: usize,
    phrase: String,
    instead: &'static str,
}

fn prose(tree: &Tree) -> impl Iterator<Item = &Source> {
    let written = |file: &&Source| {
        let text = file.is_rust() || file.path.ends_with(".md") || file.path.ends_with(".toml");
        text && !file.is_data()
            && !file.path.starts_with("docs/reference/")
            && !EXEMPT.contains(&file.path.as_str())
    };
    tree.files().filter(written)
}

fn places(text: &str) -> Vec<PhraseMatch> {
    let mut places = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for (pattern, instead) in COMPILED.iter() {
            let Some(pattern) = pattern else { continue };
            // `is no longer` and `there is no …` are plain English, so they are not counted.
            let found = pattern.find_iter(line).filter(|found| {
                found.as_str() != "is no longer" && !line[..found.start()].ends_with("there ")
            });
            places.extend(found.map(|found| PhraseMatch {
                line: at + 1,
                phrase: found.as_str().to_owned(),
                instead,
            }));
        }
    }
    places
}

fn finding(file: &Source, place: &PhraseMatch, count: usize, limit: usize) -> Finding {
    Finding {
        path: file.path.clone(),
        line: place.line,
        what: format!(
            "phrases to avoid: {count} (allowed here: {limit}); the last one is `{}`; better: {}",
            place.phrase, place.instead
        ),
        why: "plain English is what users, contributors and models can read; docs/style.md has the patterns",
        next: "reword; after you removed some, run `cargo xtask tidy --ratchet` to lower the allowed count",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn phrase_patterns_compile() {
        assert!(super::COMPILED.iter().all(|(pattern, _)| pattern.is_some()));
    }
}
