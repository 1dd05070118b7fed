//! Search of a list of files for terms, while the keyword index does not cover these files yet.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::Read;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use toolpost_trigrams::{Letters, Pattern, Reach, Sieve, TrigramIndex};
use toolpost_workspace::walk::{HiddenFiles, Prune, Rules, found_below};
use toolpost_workspace::{Workspace, WorkspacePath, on_threads};

use crate::Control;

/// The files of a list that contain a term.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermFiles {
    /// The files, ordered: first those with the most terms, and among equals those that probably define a term.
    pub files: Vec<WorkspacePath>,
    /// The number of files that were searched, or in which the trigram index rules out a match.
    pub searched: usize,
    /// The number of files in the list.
    pub listed: usize,
}

/// The maximum number of bytes of a file that are searched; text after them is ignored.
const LARGEST: u64 = 4 << 20;
/// The initial capacity of the buffer for a file's content, in bytes.
const USUAL: usize = 64 << 10;
/// The maximum number of occurrences of a term in a file that are checked for a definition.
const OCCURRENCES: usize = 200;
/// The number of files for each further thread.
const EACH: usize = 16;
/// The minimum number of letters and digits of a term; shorter terms are ignored.
const SHORTEST: usize = 3;

/// Keywords that a definition has directly before its name.
const KEYWORDS: [&[u8]; 22] = [
    b"fn",
    b"def",
    b"class",
    b"struct",
    b"enum",
    b"trait",
    b"interface",
    b"type",
    b"func",
    b"function",
    b"const",
    b"static",
    b"let",
    b"var",
    b"mod",
    b"module",
    b"union",
    b"macro_rules!",
    b"define",
    b"record",
    b"object",
    b"namespace",
];

/// The resemblance of an occurrence of a term to the definition of the term, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Definition,
    DefinitionOfLonger,
    Word,
    Part,
}

/// A file that contains terms, with the data that order the results.
struct RankedFile {
    terms: usize,
    likeness: Likeness,
    len: usize,
    path: WorkspacePath,
}

/// Finds the files of a list that contain at least one term, in any letter case and with up to three separators
/// between the parts of the term. The trigram index, if it is given, excludes files without reading them.
#[must_use]
pub fn with_terms(
    workspace: &Workspace,
    listed: &[WorkspacePath],
    terms: &[String],
    control: &Control,
    index: Option<&TrigramIndex>,
) -> TermFiles {
    let patterns: Vec<String> = terms.iter().filter_map(|term| pattern(term)).collect();
    let matchers: Vec<RegexMatcher> = patterns.iter().filter_map(|pattern| matcher(pattern)).collect();
    if matchers.is_empty() {
        return TermFiles { listed: listed.len(), ..TermFiles::default() };
    }
    let candidates = index.and_then(|index| candidates(workspace, index, &patterns.join("|"), control));
    let is_candidate = |path: &&WorkspacePath| candidates.as_ref().is_none_or(|all| all.contains(*path));
    let read: Vec<&WorkspacePath> = listed.iter().filter(is_candidate).collect();
    let one = |path: &&WorkspacePath| holder(workspace, path, &matchers);
    let found = on_threads(&read, EACH, &one, &|| control.stops());
    let searched = listed.len() - read.len() + found.len();
    let mut holders: Vec<RankedFile> = found.into_iter().flatten().collect();
    holders.sort_by(|one, other| {
        let key = |holder: &RankedFile| (Reverse(holder.terms), holder.likeness, holder.len);
        key(one).cmp(&key(other)).then_with(|| one.path.cmp(&other.path))
    });
    TermFiles {
        files: holders.into_iter().map(|holder| holder.path).collect(),
        searched,
        listed: listed.len(),
    }
}

/// Lists the files of the workspace that can contain a match; `None` if the trigram index cannot answer.
fn candidates(
    workspace: &Workspace,
    index: &TrigramIndex,
    pattern: &str,
    control: &Control,
) -> Option<HashSet<WorkspacePath>> {
    let pattern = Pattern::read(pattern, Letters::AnyCase, Reach::Line)?;
    let options = control.options(Rules::Git, HiddenFiles::Skip, Prune::Dependencies);
    let mut out = HashSet::new();
    for root in workspace.roots() {
        let base = workspace.resolve(&root.path().to_string_lossy()).ok()?;
        let sieve = Sieve { base: base.clone(), judge: None, may_read: None, name: String::new() };
        let list = index.shortlist(&pattern, &options, sieve, &|| control.stops()).ok()?;
        out.extend(list.files.iter().filter_map(|file| found_below(&base, &file.relative())));
    }
    Some(out)
}

/// Searches a file for all terms; `None` if it contains no term, or cannot be read.
fn holder(workspace: &Workspace, path: &WorkspacePath, matchers: &[RegexMatcher]) -> Option<RankedFile> {
    let opened = workspace.open_file(path).ok()?;
    let mut text = Vec::with_capacity(USUAL);
    opened.take(LARGEST).read_to_end(&mut text).ok()?;
    let likenesses: Vec<Likeness> = matchers.iter().filter_map(|matcher| likeness(&text, matcher)).collect();
    let likeness = likenesses.iter().copied().min()?;
    Some(RankedFile { terms: likenesses.len(), likeness, len: text.len(), path: path.clone() })
}

/// Returns how much the most similar occurrence of a term resembles a definition; `None` without an occurrence.
fn likeness(text: &[u8], matcher: &RegexMatcher) -> Option<Likeness> {
    let (mut best, mut at) = (None, 0);
    for _ in 0..OCCURRENCES {
        let Some(found) = matcher.find_at(text, at).ok().flatten() else { break };
        let own = likeness_at(text, found.start(), found.end());
        best = Some(best.map_or(own, |best: Likeness| best.min(own)));
        if best == Some(Likeness::Definition) {
            break;
        }
        at = found.end().max(found.start() + 1);
    }
    best
}

fn likeness_at(text: &[u8], start: usize, end: usize) -> Likeness {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let name = before.len() - before.iter().rev().take_while(|byte| is_name(byte)).count();
    let is_whole = name == start && !after.first().is_some_and(is_name);
    let line = before.get(..name).unwrap_or_default();
    let line = line.get(memchr::memrchr(b'\n', line).map_or(0, |end| end + 1)..).unwrap_or_default();
    let word = line.trim_ascii_end();
    let word = word.get(word.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1)..);
    let keyword = word.unwrap_or_default().trim_ascii_start();
    let is_defined =
        KEYWORDS.contains(&keyword.strip_prefix(b"#").unwrap_or(keyword)) || is_function(line, after);
    match (is_defined, is_whole) {
        (true, true) => Likeness::Definition,
        (true, false) => Likeness::DefinitionOfLonger,
        (false, true) => Likeness::Word,
        (false, false) => Likeness::Part,
    }
}

/// Returns whether a line looks like the head of a function definition in C: it begins in the first column and is not a
/// statement. `before` and `after` are the text of the line around the name.
fn is_function(before: &[u8], after: &[u8]) -> bool {
    let is_head = before.first().is_some_and(u8::is_ascii_alphabetic) && !before.contains(&b'=');
    let rest = after.get(..memchr::memchr(b'\n', after).unwrap_or(after.len())).unwrap_or_default();
    is_head && after.first() == Some(&b'(') && !rest.trim_ascii_end().ends_with(b";")
}

fn matcher(pattern: &str) -> Option<RegexMatcher> {
    RegexMatcherBuilder::new().case_insensitive(true).build(pattern).ok()
}

/// Builds a regular expression from a term: its parts, with up to three separators between them. `None` for a term that
/// is too short.
fn pattern(term: &str) -> Option<String> {
    let parts = parts(term);
    let letters: usize = parts.iter().map(|part| part.chars().count()).sum();
    if letters < SHORTEST {
        return None;
    }
    // An expression without Unicode classes is cheaper to search for.
    Some(match term.is_ascii() {
        true => format!("(?-u:{})", parts.join("[^0-9A-Za-z\\n\\x80-\\xFF]{0,3}")),
        false => parts.join("[^\\pL\\pN\\n]{0,3}"),
    })
}

/// Splits a term at separators and before upper-case letters that follow a lower-case one.
fn parts(term: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    for letter in term.chars() {
        let is_new = last
            .is_none_or(|last: char| !last.is_alphanumeric() || last.is_lowercase() && letter.is_uppercase());
        if letter.is_alphanumeric() {
            match parts.last_mut() {
                Some(part) if !is_new => part.push(letter),
                _ => parts.push(letter.to_string()),
            }
        }
        last = Some(letter);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn a_term_is_split_at_separators_and_capitals() {
        let rows = [
            ("spawn_blocking", Some("(?-u:spawn[^0-9A-Za-z\\n\\x80-\\xFF]{0,3}blocking)")),
            ("JSONDecoder", Some("(?-u:JSONDecoder)")),
            ("spawnÄnderung", Some("spawn[^\\pL\\pN\\n]{0,3}Änderung")),
            ("a::ok", Some("(?-u:a[^0-9A-Za-z\\n\\x80-\\xFF]{0,3}ok)")),
            ("ok", None),
            ("→", None),
        ];
        each(rows, |(term, wanted)| {
            assert_eq!(pattern(term).as_deref(), wanted, "{term}");
        });
    }

    #[test]
    fn occurrences_are_classified_by_likeness_to_a_definition() {
        let rows = [
            ("pub fn alpha(", Likeness::Definition),
            ("    def alpha(self):", Likeness::Definition),
            ("#define alpha 1", Likeness::Definition),
            ("static int alpha(void)\n{", Likeness::Definition),
            ("static int alpha(void);", Likeness::Word),
            ("int x = alpha(1)", Likeness::Word),
            ("    return alpha(1);", Likeness::Word),
            ("fn alphabet(", Likeness::DefinitionOfLonger),
            ("fn my_alpha(", Likeness::DefinitionOfLonger),
            ("let x = alphabet;", Likeness::Part),
        ];
        let matcher = matcher(&pattern("alpha").unwrap()).unwrap();
        each(rows, |(line, wanted)| {
            assert!(likeness(line.as_bytes(), &matcher) == Some(wanted), "{line}");
        });
        assert!(likeness(b"fn beta() {}", &matcher).is_none());
    }
}
