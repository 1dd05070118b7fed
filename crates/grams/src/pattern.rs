//! Conversion of a regular expression into the trigrams that a match requires.

mod parts;

use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use crate::gram::{Gram, grams};
use parts::Part;

/// The condition for a text to be a candidate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need<One> {
    /// Nothing: any text may match.
    Anything,
    /// This, as a trigram or as a piece of text.
    One(One),
    /// All of these.
    All(Vec<Self>),
    /// At least one of these.
    Any(Vec<Self>),
}

/// A regular expression, as far as an index can make use of it.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(crate) need: Need<Gram>,
    pub(crate) reach: Reach,
    /// Set if the pattern refers to the start or end of the text, which a part of a file does not have.
    pub(crate) edges: bool,
    texts: Need<Vec<u8>>,
}

/// The comparison of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// As they are written.
    AsWritten,
    /// Without regard to their case.
    AnyCase,
}

/// The extent of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Within one line.
    Line,
    /// It may begin in one line and end in another.
    Lines,
}

impl Pattern {
    /// Parses a regular expression; `None` if it is not valid or requires no trigram.
    ///
    /// If the caller's matcher is stricter than this parser, there are superfluous candidates but none is missing.
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
        (need != Need::Anything).then_some(Self { need, reach, edges, texts })
    }

    /// Returns the pieces of text that a match requires; a piece may span lines.
    #[must_use]
    pub fn texts(&self) -> &Need<Vec<u8>> {
        &self.texts
    }

    /// Returns the extent of a match.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }
}

impl Need<Vec<u8>> {
    /// Converts the pieces of text into trigrams.
    fn in_grams(&self) -> Need<Gram> {
        match self {
            Self::Anything => Need::Anything,
            Self::One(text) => Need::all(grams(text).take(MOST_GRAMS).map(Need::One)),
            Self::All(needs) => Need::all(needs.iter().map(Self::in_grams)),
            Self::Any(needs) => Need::any(needs.iter().map(Self::in_grams)),
        }
    }
}

impl<One: Ord> Need<One> {
    /// Asks for each of several needs.
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

    /// Asks for at least one of several needs.
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

fn one_of<One: Ord>(mut needs: BTreeSet<Need<One>>, several: fn(Vec<Need<One>>) -> Need<One>) -> Need<One> {
    match needs.len() {
        0 => Need::Anything,
        1 => needs.pop_first().unwrap_or(Need::Anything),
        _ => several(needs.into_iter().collect()),
    }
}

/// The maximum number of characters of a class to enumerate, with and without letters.
const SPELLED: usize = 16;
const MOST_SPELLED: usize = 32;

/// The maximum number of repetitions to write out.
const REPEATED: u32 = 3;

/// Converts an expression into its parts.
struct Reader {
    reach: Reach,
}

impl Reader {
    fn part(&self, hir: &Hir) -> Part {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Part::exactly([Vec::new()]),
            HirKind::Literal(literal) => Part::exactly([literal.0.to_vec()]),
            HirKind::Class(class) => self.spelled(class).map_or_else(Part::unknown, Part::exactly),
            HirKind::Capture(capture) => self.part(&capture.sub),
            HirKind::Repetition(repetition) => self.repeated(repetition),
            HirKind::Concat(parts) => {
                parts.iter().fold(Part::exactly([Vec::new()]), |before, next| before.then(self.part(next)))
            }
            HirKind::Alternation(ways) => {
                let mut ways = ways.iter().map(|way| self.part(way));
                let first = ways.next().unwrap_or_else(Part::unknown);
                ways.fold(first, Part::or)
            }
        }
    }

    fn repeated(&self, repetition: &Repetition) -> Part {
        let sub = || self.part(&repetition.sub);
        match (repetition.min, repetition.max) {
            (0, Some(0)) => Part::exactly([Vec::new()]),
            (0, Some(1)) => Part::exactly([Vec::new()]).or(sub()),
            (0, _) => Part::unknown(),
            (min, max) => {
                let one = sub();
                let several = (1..min.min(REPEATED)).fold(one.clone(), |before, _| before.then(one.clone()));
                if max == Some(min) && min <= REPEATED { several } else { several.open() }
            }
        }
    }

    /// Spells out the characters of a class; none if they are too many.
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
            // A match within a line holds nothing that ends one.
            spelled.retain(|letter| !matches!(letter.as_slice(), b"\n" | b"\r"));
        }
        // Any letter occurs next to nearly everything, so only classes of white space are useful here.
        let is_space = || spelled.iter().all(|letter| !letter.iter().any(u8::is_ascii_alphanumeric));
        (spelled.len() <= SPELLED || is_space()).then_some(spelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a text is a candidate.
    fn fits(need: &Need<Gram>, text: &str) -> bool {
        match need {
            Need::Anything => true,
            Need::One(gram) => grams(text.as_bytes()).any(|other| other == *gram),
            Need::All(needs) => needs.iter().all(|need| fits(need, text)),
            Need::Any(needs) => needs.iter().any(|need| fits(need, text)),
        }
    }

    /// Returns whether a text contains the required pieces.
    fn holds(need: &Need<Vec<u8>>, text: &str) -> bool {
        match need {
            Need::Anything => true,
            Need::One(piece) => text.as_bytes().windows(piece.len()).any(|part| part == piece),
            Need::All(needs) => needs.iter().all(|need| holds(need, text)),
            Need::Any(needs) => needs.iter().any(|need| holds(need, text)),
        }
    }

    #[track_caller]
    fn check(pattern: &str, candidates: &[&str], others: &[&str]) {
        let read = Pattern::read(pattern, Letters::AsWritten, Reach::Line).expect("it tells something");
        for text in candidates {
            assert!(fits(&read.need, text), "{pattern:?} leaves {text:?} out: {:?}", read.need);
        }
        for text in others {
            assert!(!fits(&read.need, text), "{pattern:?} lets {text:?} through: {:?}", read.need);
        }
    }

    #[test]
    fn expressions_tell_what_a_text_must_have() {
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
    fn what_tells_nothing_is_none() {
        for pattern in
            ["", "a", "ab", ".*", "a.b", "[a-z]+", "x*", "(abc)?", "abc|.", "a\nb", "(", r"\w\w\w", "^$"]
        {
            assert!(Pattern::read(pattern, Letters::AsWritten, Reach::Line).is_none(), "{pattern:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_that_matches_is_left_out(
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
