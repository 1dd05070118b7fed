//! Conversion of a regular expression into the trigrams that a match requires.

mod parts;

use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::gram::{Gram, grams};
use parts::ExtractedLiterals;

/// A condition on a text. Only a text that fulfils it can contain a match of the pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IndexQuery<One> {
    /// No condition: any text may match.
    Anything,
    /// The text contains this trigram or piece of text.
    One(One),
    /// All of these conditions hold.
    All(Vec<Self>),
    /// At least one of these conditions holds.
    Any(Vec<Self>),
}

/// A regular expression, converted to the conditions that an index can check.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(crate) need: IndexQuery<Gram>,
    pub(crate) reach: Reach,
    /// Set if the pattern refers to the start or end of the text, which a part of a file does not have.
    pub(crate) edges: bool,
    texts: IndexQuery<Vec<u8>>,
}

/// Case sensitivity of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Case-sensitive.
    AsWritten,
    /// Case-insensitive.
    AnyCase,
}

/// The extent of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A match is within one line.
    Line,
    /// A match may begin in one line and end in another.
    Lines,
}

impl Pattern {
    /// Parses a regular expression; `None` if it is not valid or requires no trigram.
    ///
    /// If the caller's regex engine matches fewer texts than this parser assumes, there are superfluous
    /// candidates, but no candidate is missing.
    #[must_use]
    pub fn read(pattern: &str, letters: Letters, reach: Reach) -> Option<Self> {
        let hir = ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(reach == Reach::Lines)
            .case_insensitive(letters == Letters::AnyCase)
            .nest_limit(200)
            .build()
            .parse(pattern)
            .ok()?;
        let texts = Reader { reach }.part(&hir).need();
        let need = texts.in_grams();
        let looks = hir.properties().look_set();
        let edges = looks.contains(Look::Start) || looks.contains(Look::End);
        (need != IndexQuery::Anything).then_some(Self { need, reach, edges, texts })
    }

    /// Returns the pieces of text that a match requires; a piece may span lines.
    #[must_use]
    pub fn texts(&self) -> &IndexQuery<Vec<u8>> {
        &self.texts
    }

    /// Returns the extent of a match.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }
}

impl IndexQuery<Vec<u8>> {
    /// Converts the pieces of text into trigrams.
    fn in_grams(&self) -> IndexQuery<Gram> {
        match self {
            Self::Anything => IndexQuery::Anything,
            Self::One(text) => IndexQuery::all(grams(text).take(MOST_GRAMS).map(IndexQuery::One)),
            Self::All(needs) => IndexQuery::all(needs.iter().map(Self::in_grams)),
            Self::Any(needs) => IndexQuery::any(needs.iter().map(Self::in_grams)),
        }
    }
}

impl<One: Ord> IndexQuery<One> {
    /// Combines conditions that must all hold.
    pub(crate) fn all(needs: impl IntoIterator<Item = Self>) -> Self {
        let mut all = BTreeSet::new();
        for need in needs {
            match need {
                Self::Anything => {}
                Self::All(inner) => all.extend(inner),
                other => {
                    all.insert(other);
                }
            }
        }
        one_of(all, Self::All)
    }

    /// Combines conditions of which at least one must hold.
    pub(crate) fn any(needs: impl IntoIterator<Item = Self>) -> Self {
        let mut any = BTreeSet::new();
        for need in needs {
            match need {
                Self::Anything => return Self::Anything,
                Self::Any(inner) => any.extend(inner),
                other => {
                    any.insert(other);
                }
            }
        }
        one_of(any, Self::Any)
    }
}

/// The maximum number of trigrams of one literal; more would hardly narrow the search.
const MOST_GRAMS: usize = 48;

fn one_of<One: Ord>(
    mut needs: BTreeSet<IndexQuery<One>>,
    several: fn(Vec<IndexQuery<One>>) -> IndexQuery<One>,
) -> IndexQuery<One> {
    match needs.len() {
        0 => IndexQuery::Anything,
        1 => needs.pop_first().unwrap_or(IndexQuery::Anything),
        _ => several(needs.into_iter().collect()),
    }
}

/// The maximum size of a character class that is replaced by an alternation of its characters.
const SPELLED: usize = 16;
/// The same maximum for a class without ASCII letters and digits, which narrows a search more.
const MOST_SPELLED: usize = 32;

/// The maximum number of copies by which a repetition such as `(ab){3}` is replaced.
const REPEATED: u32 = 3;

/// Extracts the literals of an expression.
struct Reader {
    reach: Reach,
}

impl Reader {
    fn part(&self, hir: &Hir) -> ExtractedLiterals {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => ExtractedLiterals::exactly([Vec::new()]),
            HirKind::Literal(literal) => ExtractedLiterals::exactly([literal.0.to_vec()]),
            HirKind::Class(class) => {
                self.spelled(class).map_or_else(ExtractedLiterals::unknown, ExtractedLiterals::exactly)
            }
            HirKind::Capture(capture) => self.part(&capture.sub),
            HirKind::Repetition(repetition) => self.repeated(repetition),
            HirKind::Concat(parts) => parts
                .iter()
                .fold(ExtractedLiterals::exactly([Vec::new()]), |before, next| before.then(self.part(next))),
            HirKind::Alternation(ways) => {
                let mut ways = ways.iter().map(|way| self.part(way));
                let first = ways.next().unwrap_or_else(ExtractedLiterals::unknown);
                ways.fold(first, ExtractedLiterals::or)
            }
        }
    }

    fn repeated(&self, repetition: &Repetition) -> ExtractedLiterals {
        let sub = || self.part(&repetition.sub);
        match (repetition.min, repetition.max) {
            (0, Some(0)) => ExtractedLiterals::exactly([Vec::new()]),
            (0, Some(1)) => ExtractedLiterals::exactly([Vec::new()]).or(sub()),
            (0, _) => ExtractedLiterals::unknown(),
            (min, max) => {
                let one = sub();
                let several = (1..min.min(REPEATED)).fold(one.clone(), |before, _| before.then(one.clone()));
                if max == Some(min) && min <= REPEATED { several } else { several.open() }
            }
        }
    }

    /// Returns the characters of a character class; `None` if there are too many.
    fn spelled(&self, class: &Class) -> Option<BTreeSet<Vec<u8>>> {
        let mut spelled: BTreeSet<Vec<u8>> = match class {
            Class::Unicode(class) => {
                let count: usize = class.iter().map(regex_syntax::hir::ClassUnicodeRange::len).sum();
                if count > MOST_SPELLED {
                    return None;
                }
                let letters = class.iter().flat_map(|range| range.start()..=range.end());
                letters.map(|letter| letter.to_string().into_bytes()).collect()
            }
            Class::Bytes(class) => {
                let count: usize = class.iter().map(regex_syntax::hir::ClassBytesRange::len).sum();
                if count > MOST_SPELLED {
                    return None;
                }
                class.iter().flat_map(|range| range.start()..=range.end()).map(|byte| vec![byte]).collect()
            }
        };
        if self.reach == Reach::Line {
            // A match within a line contains no line break.
            spelled.retain(|letter| !matches!(letter.as_slice(), b"\n" | b"\r"));
        }
        // Large classes with letters or digits hardly narrow a search, because nearly every text contains one
        // of them.
        let is_space = || spelled.iter().all(|letter| !letter.iter().any(u8::is_ascii_alphanumeric));
        (spelled.len() <= SPELLED || is_space()).then_some(spelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    /// Returns whether a text contains the required trigrams, so that a search with the index reads it.
    fn fits(need: &IndexQuery<Gram>, text: &str) -> bool {
        match need {
            IndexQuery::Anything => true,
            IndexQuery::One(gram) => grams(text.as_bytes()).any(|other| other == *gram),
            IndexQuery::All(needs) => needs.iter().all(|need| fits(need, text)),
            IndexQuery::Any(needs) => needs.iter().any(|need| fits(need, text)),
        }
    }

    /// Returns whether a text contains the required pieces.
    fn holds(need: &IndexQuery<Vec<u8>>, text: &str) -> bool {
        match need {
            IndexQuery::Anything => true,
            IndexQuery::One(piece) => text.as_bytes().windows(piece.len()).any(|part| part == piece),
            IndexQuery::All(needs) => needs.iter().all(|need| holds(need, text)),
            IndexQuery::Any(needs) => needs.iter().any(|need| holds(need, text)),
        }
    }

    #[track_caller]
    fn check(pattern: &str, candidates: &[&str], others: &[&str]) {
        let read = Pattern::read(pattern, Letters::AsWritten, Reach::Line).expect("a trigram is required");
        for text in candidates {
            assert!(fits(&read.need, text), "{pattern:?} excludes {text:?}: {:?}", read.need);
        }
        for text in others {
            assert!(!fits(&read.need, text), "{pattern:?} does not exclude {text:?}: {:?}", read.need);
        }
    }

    #[test]
    fn required_trigrams_select_matching_texts() {
        check("PM_RESUME", &["x PM_RESUME y"], &["PM_RESUM", "pm_resume"]);
        check("foo|bar", &["a foo", "a bar"], &["fo bo", ""]);
        check(r"\bspin_lock\b", &["spin_lock("], &["spin_loc"]);
        check("(?i)todo.*deprecated", &["TODO: Deprecated", "todo deprecated"], &["todo", "deprecated"]);
        check(r"[A-Za-z_]+_probe\(struct", &["x_probe(struct y)"], &["_probe", "(struct"]);
        check("return -E[A-Z]+;", &["return -EINVAL;"], &["return 0"]);
        check("ab[cd]ef", &["abcef", "abdef"], &["abeef"]);
        check("a(bc)+d", &["abcd", "abcbcd"], &["bcd", "abc"]);
        check("x(ab)?cde", &["xcde", "xabcde"], &["xab"]);
        check("colou?r", &["color", "colour"], &["colxr"]);
        check("(abc|abd)e", &["abce", "abde"], &["abe"]);
        check("a{5}", &["aaaaa"], &["aa"]);
        check("straße", &["straße"], &["strasse"]);
        check("(?i)straße", &["STRAẞE", "straße"], &["sss"]);
        check("(?i)kelvin", &["KELVIN", "\u{212a}elvin"], &["elvi"]);
        check("abc.def", &["abcxdef"], &["abc", "def"]);
        check(r"fn\s+new\(", &["fn new(", "fn \t new(", "fn\u{2003}new("], &["x_new(", "fnnew(", "fn(new("]);
        check(r"class\s+\w+:", &["class\u{a0}A:"], &["class", "classes"]);
    }

    #[test]
    fn patterns_without_required_trigrams_are_none() {
        each(
            ["", "a", "ab", ".*", "a.b", "[a-z]+", "x*", "(abc)?", "abc|.", "a\nb", "(", r"\w\w\w", "^$"],
            |pattern| {
                assert!(Pattern::read(pattern, Letters::AsWritten, Reach::Line).is_none(), "{pattern:?}");
            },
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig {
            failure_persistence: Some(Box::new(proptest::test_runner::FileFailurePersistence::Direct("proptest-regressions/pattern.txt"))),
            ..proptest::prelude::ProptestConfig::default()
        })]

        #[test]
        fn matching_texts_are_never_excluded(
            pattern in r"(\(\?i\))?([abkß]{0,2}(\[abk\]|\(ab|ba\)|\(a|\)|\.|b\?|k\{1,2\}|(ab)\+)?){1,6}",
            text in "[abkABKß ]{0,12}",
        ) {
            if let (Some(read), Ok(regex)) =
                (Pattern::read(&pattern, Letters::AsWritten, Reach::Line), regex::Regex::new(&pattern))
                && regex.is_match(&text)
            {
                proptest::prop_assert!(fits(&read.need, &text), "{pattern:?} in {text:?}: {:?}", read.need);
                proptest::prop_assert!(holds(read.texts(), &text), "{pattern:?} in {text:?}: {:?}", read.texts());
            }
        }
    }
}
