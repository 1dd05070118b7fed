//! The files that the wildcards and braces in a word of a command match, as the shell would expand the word now.

use crate::place::{self, CommandPath};
use std::path::{Path, PathBuf};
use toolpost_shell::{Places, Word};
use toolpost_workspace::{Kind, Workspace};

/// Maximum number of directory entries that are compared with the patterns of one word.
const MOST_NAMES: usize = 100_000;
/// Maximum number of words to which the braces of one word expand.
const MOST_WORDS: usize = 256;
/// Maximum depth of nested groups of braces.
const DEEPEST: usize = 50;

/// The locations that a word matches.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) places: Vec<CommandPath>,
    /// True if the word matches so much that not everything was compared.
    pub(crate) is_cut: bool,
}

/// Finds the locations that a word with wildcards or braces matches in the roots. Nothing for other words.
pub(crate) fn matches(
    word: &Word,
    places: &Places,
    (directory, roots): (&Path, &[PathBuf]),
    workspace: &Workspace,
) -> Matches {
    let mut found = Matches::default();
    let (Some(pattern), Places::Known(places)) = (&word.pattern, places) else { return found };
    let Some(mut patterns) = expanded(pattern) else { return Matches { is_cut: true, ..found } };
    // A shell other than bash may take the braces literally.
    if !patterns.contains(pattern) {
        patterns.push(pattern.clone());
    }
    let mut left = MOST_NAMES;
    for pattern in patterns.iter().filter_map(|pattern| outside_home(pattern)) {
        for place in places.iter().filter(|place| !place.starts_with('~')) {
            let base = if pattern.starts_with('/') { PathBuf::from("/") } else { directory.join(place) };
            let Some(paths) = paths(base, pattern, workspace, &mut left) else {
                found.is_cut = true;
                return found;
            };
            for path in paths {
                for place in place::ends(&path, roots, Some(workspace)) {
                    if !found.places.contains(&place) {
                        found.places.push(place);
                    }
                }
            }
        }
    }
    found
}

/// Returns a pattern without `~+/`, which is the working directory; `None` for one below the home directory. A
/// shell takes `~` before other characters literally if no user has that name.
fn outside_home(pattern: &str) -> Option<&str> {
    let rest = pattern.strip_prefix("~+/").unwrap_or(pattern);
    (rest != "~" && !rest.starts_with("~/")).then_some(rest)
}

/// Returns the paths that a pattern matches, with literal braces; `None` if there are too many names to compare.
fn paths(base: PathBuf, pattern: &str, workspace: &Workspace, left: &mut usize) -> Option<Vec<PathBuf>> {
    // A pattern that matches nothing stays in the command as a literal name.
    let unmatched = base.join(literal(pattern));
    let mut found = vec![base];
    let (mut has_wildcard, mut parts) = (false, pattern.split('/').peekable());
    while let Some(part) = parts.next() {
        if part.is_empty() || part == "." {
            continue;
        }
        let Some(matcher) = Matcher::of(part) else {
            let name = literal(part);
            found.iter_mut().for_each(|path| path.push(&name));
            continue;
        };
        has_wildcard = true;
        let is_last = parts.peek().is_none();
        let mut next = Vec::new();
        for path in found {
            let Some(opened) = path.to_str().and_then(|path| workspace.resolve(path).ok()) else { continue };
            let entries = workspace.list(&opened).unwrap_or_default();
            *left = left.checked_sub(entries.len())?;
            let fits = entries.into_iter().filter(|entry| {
                (is_last || matches!(entry.kind, Kind::Directory | Kind::Link))
                    && matcher.matches(Path::new(&entry.name))
            });
            next.extend(fits.map(|entry| path.join(entry.name)));
        }
        found = next;
    }
    if has_wildcard {
        // A word with wildcards expands to existing paths only. Without them, it also names missing files.
        let exists = |path: &PathBuf| {
            let path = path.to_str().and_then(|path| workspace.resolve_entry(path).ok());
            path.is_none_or(|path| workspace.stat(&path).is_ok())
        };
        found.push(unmatched);
        found.retain(exists);
    }
    Some(found)
}

/// A component of a pattern that has wildcards.
struct Matcher {
    /// The parts of the component; `None` for one that is matched by every name.
    parts: Option<Vec<Part>>,
    /// The component begins with a dot, so it also matches hidden names.
    is_hidden: bool,
}

/// A part of a component, which matches a byte of a name, or a character outside ASCII, or any text.
enum Part {
    /// A byte of a literal character.
    Byte(u8),
    /// `?`.
    One,
    /// `*`.
    Any,
    /// `[…]`.
    Class(Class),
}

/// A bracket expression. The order of letters in `[a-z]` depends on the locale of the shell, so the expression
/// matches every character that could be in it.
struct Class {
    is_negated: bool,
    /// The first and the last characters of the ranges; equal for a single character.
    ranges: Vec<(char, char)>,
}

impl Matcher {
    /// Compiles a component; `None` if it has no wildcards.
    fn of(part: &str) -> Option<Self> {
        let letters = decoded(part);
        if !letters.iter().any(|letter| matches!(letter, (false, '*' | '?' | '['))) {
            return None;
        }
        let is_hidden = letters.first().is_some_and(|(_, letter)| *letter == '.');
        // A named class such as `[[:alpha:]]` matches any name here.
        let is_odd = ["[:", "[=", "[."].iter().any(|class| part.contains(class));
        Some(Self { parts: (!is_odd).then(|| parts(&letters)), is_hidden })
    }

    fn matches(&self, name: &Path) -> bool {
        let name = name.as_os_str().as_encoded_bytes();
        (self.is_hidden || !name.starts_with(b"."))
            && self.parts.as_ref().is_none_or(|parts| matches_all(parts, name))
    }
}

impl Class {
    /// Reads the bracket expression whose content begins at `at`. Returns it with the index after it; `None` if
    /// nothing closes it.
    fn read(letters: &[(bool, char)], mut at: usize) -> Option<(Self, usize)> {
        let is_negated = matches!(letters.get(at), Some((false, '!' | '^')));
        at += usize::from(is_negated);
        let (start, mut ranges) = (at, Vec::new());
        loop {
            let (is_quoted, first) = *letters.get(at)?;
            if first == ']' && !is_quoted && at > start {
                return Some((Self { is_negated, ranges }, at + 1));
            }
            let last = match letters.get(at + 1..at + 3) {
                Some(&[(false, '-'), (is_quoted, last)]) if is_quoted || last != ']' => Some(last),
                _ => None,
            };
            ranges.push((first, last.unwrap_or(first)));
            at += if last.is_some() { 3 } else { 1 };
        }
    }

    /// Returns whether the expression can match a byte of a name.
    fn may_match(&self, byte: u8) -> bool {
        let kind = |letter: char| {
            [char::is_lowercase as fn(char) -> bool, char::is_uppercase, char::is_numeric]
                .iter()
                .position(|kind| letter.is_ascii() && kind(letter))
        };
        let is_plain = |(first, last): (char, char)| {
            first == last || first < last && kind(first).is_some() && kind(first) == kind(last)
        };
        let letter = char::from(byte);
        let contains = |(first, last): (char, char)| (first..=last).contains(&letter);
        if self.is_negated {
            return !byte.is_ascii() || !self.ranges.iter().any(|range| is_plain(*range) && contains(*range));
        }
        let lower = |(first, last): (char, char)| (first.to_ascii_lowercase(), last.to_ascii_lowercase());
        self.ranges.iter().any(|range| {
            let (first, last) = lower(*range);
            let is_single = range.0 == range.1;
            !is_plain(*range)
                || contains(*range)
                || !is_single && (first..=last).contains(&letter.to_ascii_lowercase())
                || !(byte.is_ascii() || is_single && first.is_ascii())
        })
    }
}

/// Reads the characters of a component; the flag of a character is true if the character is quoted.
fn decoded(part: &str) -> Vec<(bool, char)> {
    let (mut out, mut letters) = (Vec::new(), part.chars());
    while let Some(letter) = letters.next() {
        out.push(if letter == '\\' { (true, letters.next().unwrap_or('\\')) } else { (false, letter) });
    }
    out
}

/// Compiles a component. A bracket that nothing closes is literal.
fn parts(letters: &[(bool, char)]) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(letter) = letters.get(at) {
        at += 1;
        match letter {
            (false, '*') => parts.push(Part::Any),
            (false, '?') => parts.push(Part::One),
            (false, '[') if let Some((class, end)) = Class::read(letters, at) => {
                parts.push(Part::Class(class));
                at = end;
            }
            (_, letter) => {
                parts.extend(letter.encode_utf8(&mut [0; 4]).bytes().map(Part::Byte));
            }
        }
    }
    parts
}

/// Returns whether the parts match a whole name. A character outside ASCII counts as one character and as several,
/// because that depends on the locale of the shell.
fn matches_all(parts: &[Part], name: &[u8]) -> bool {
    // The positions in the name up to which the parts so far can match.
    let mut ends = vec![false; name.len() + 1];
    ends[0] = true;
    for part in parts {
        let mut next = vec![false; name.len() + 1];
        for at in (0..=name.len()).filter(|at| ends[*at]) {
            let fits = |byte: u8| match part {
                Part::Byte(wanted) => *wanted == byte,
                Part::One | Part::Any => true,
                Part::Class(class) => class.may_match(byte),
            };
            if matches!(part, Part::Any) {
                next[at..].fill(true);
                break;
            }
            if name.get(at).is_none_or(|byte| !fits(*byte)) {
                continue;
            }
            next[at + 1] = true;
            if !matches!(part, Part::Byte(_)) && name[at] >= 0xc0 {
                let more = name[at + 1..].iter().take_while(|byte| (0x80..0xc0).contains(*byte));
                next[at + 1 + more.take(3).count()] = true;
            }
        }
        ends = next;
    }
    ends[name.len()]
}

/// Removes the backslashes that quote characters from a pattern.
fn literal(pattern: &str) -> String {
    decoded(pattern).into_iter().map(|(_, letter)| letter).collect()
}

/// Expands the braces of a pattern, as in `{a,b}c`; `None` if that gives too many patterns, or if the
/// groups are nested too deeply. The steps are those of bash: the text before the first group, the alternatives of the
/// group, and the expanded text after it.
fn expanded(pattern: &str) -> Option<Vec<String>> {
    let letters = decoded(pattern);
    let has_brackets = letters.contains(&(false, '['));
    let words = Braces { has_brackets }.expand(&letters, DEEPEST)?;
    Some(words.iter().map(|word| encoded(word)).collect())
}

/// Joins characters to a pattern.
fn encoded(letters: &[(bool, char)]) -> String {
    letters
        .iter()
        .flat_map(|(is_quoted, letter)| is_quoted.then_some('\\').into_iter().chain([*letter]))
        .collect()
}

type Letters = Vec<(bool, char)>;

/// The expansion of the braces of a word.
struct Braces {
    /// The word has brackets, so a sequence can be a part of a bracket expression.
    has_brackets: bool,
}

impl Braces {
    fn expand(&self, letters: &[(bool, char)], depth: usize) -> Option<Vec<Letters>> {
        let depth = depth.checked_sub(1)?;
        let opened = (0..letters.len()).find_map(|open| {
            let is_group = letters[open] == (false, '{');
            let end = is_group.then(|| group(letters, open + 1)).flatten()?;
            Some((open, end))
        });
        let Some((open, end)) = opened else { return Some(vec![letters.to_vec()]) };
        let (inner, rest) = (&letters[open + 1..end], &letters[end + 1..]);
        let mut words = if inner.contains(&(false, ',')) {
            let mut words = Vec::new();
            for one in alternatives(inner) {
                words.extend(self.expand(one, depth)?);
            }
            words
        } else {
            let plain = letters[open..=end].iter().map(|(_, letter)| (true, *letter));
            let is_sequence = is_sequence(&literal(&encoded(inner)));
            let sequence = if self.has_brackets { "[[:sequence:]]" } else { "*" };
            let sequence = is_sequence.then(|| sequence.chars().map(|letter| (false, letter)).collect());
            // The wildcards in braces that are not a sequence remain wildcards.
            let plain = plain.zip(&letters[open..=end]).map(|(quoted, letter)| match letter {
                (false, '{' | '}' | ',') => quoted,
                letter => *letter,
            });
            vec![sequence.unwrap_or_else(|| plain.collect())]
        };
        // A shell may take `{}` literally, so the word is expanded in both ways.
        if inner.first() == Some(&(false, '}')) {
            let mut plain = letters[open..].to_vec();
            plain[0].0 = true;
            words = [self.joined(&words, rest, depth)?, self.expand(&plain, depth)?].concat();
        } else {
            words = self.joined(&words, rest, depth)?;
        }
        let before = &letters[..open];
        Some(words.into_iter().map(|word| [before, &word].concat()).collect())
    }

    /// Appends the expanded rest of a word to each of the words.
    fn joined(&self, words: &[Letters], rest: &[(bool, char)], depth: usize) -> Option<Vec<Letters>> {
        let ends = self.expand(rest, depth)?;
        if words.len() * ends.len() > MOST_WORDS {
            return None;
        }
        let joined = words.iter().flat_map(|word| ends.iter().map(|end| [word.as_slice(), end].concat()));
        Some(joined.collect())
    }
}

/// Finds the end of the group of braces whose content begins at `start`: the first closing brace after a comma or `..`
/// outside inner groups.
fn group(letters: &[(bool, char)], start: usize) -> Option<usize> {
    let (mut depth, mut has_parts) = (0, false);
    for at in start..letters.len() {
        match letters[at] {
            (false, '}') if depth == 0 && has_parts => return Some(at),
            (false, '{') => depth += 1,
            (false, '}') if depth > 0 => depth -= 1,
            (false, ',') if depth == 0 => has_parts = true,
            (false, '.') if depth == 0 && letters.get(at + 1) == Some(&(false, '.')) => {
                has_parts |= letters.get(at + 2) != Some(&(false, '}'));
            }
            _ => {}
        }
    }
    None
}

/// Splits the content of a group at the commas outside inner groups.
fn alternatives(inner: &[(bool, char)]) -> Vec<&[(bool, char)]> {
    let mut depth = 0_usize;
    let ends = |letter: &(bool, char)| {
        match letter {
            (false, '{') => depth += 1,
            (false, '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        *letter == (false, ',') && depth == 0
    };
    inner.split(ends).collect()
}

/// Returns whether the content of a group is a sequence: two numbers or two letters, and perhaps a step.
fn is_sequence(inner: &str) -> bool {
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    let is_letter = |text: &str| matches!(text.as_bytes(), [letter] if letter.is_ascii_alphabetic());
    match *inner.split("..").collect::<Vec<_>>() {
        [first, last] | [first, last, _] => {
            is_number(first) && is_number(last) || is_letter(first) && is_letter(last)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Matcher, expanded};
    use std::path::Path;
    use toolpost_test_rows::each;

    #[test]
    fn braces_expand_as_in_the_shell() {
        let rows: [(&str, &[&str]); 20] = [
            ("a", &["a"]),
            ("{a,b}c", &["ac", "bc"]),
            ("x{a,{b,c}d}", &["xa", "xbd", "xcd"]),
            ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
            ("{a,}b", &["ab", "b"]),
            ("\\{a\\,b\\}", &["\\{a\\,b\\}"]),
            ("{a\\,b,c}", &["a\\,b", "c"]),
            ("{x{a,b}}", &["{xa}", "{xb}"]),
            ("{{a,b}", &["{a", "{b"]),
            ("{a", &["{a"]),
            ("{a},b}", &["a}", "b"]),
            ("{},b}", &["\\{},b}", "b", "}"]),
            ("{a\\.\\.b},c}", &["a\\.\\.b}", "c"]),
            ("{a..d}x", &["*x"]),
            ("{a,{1..3}}", &["*", "a"]),
            ("{a..{b,c}}", &["a..b", "a..c"]),
            ("{ab..c}{d,e}", &["\\{ab..c\\}d", "\\{ab..c\\}e"]),
            ("[{a..d}]", &["[[[:sequence:]]]"]),
            ("{a,b", &["{a,b"]),
            ("a,b}", &["a,b}"]),
        ];
        each(rows, |(pattern, wanted)| {
            let mut found = expanded(pattern).unwrap();
            found.sort();
            assert_eq!(found, wanted, "{pattern}");
        });
        assert_eq!(expanded(&"{a,b}".repeat(20)), None);
    }

    #[test]
    fn components_match_names_as_in_the_shell() {
        let rows = [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("?.md", "a.md", true),
            ("?.md", ".md", false),
            ("[ab]x", "ax", true),
            ("[!ab]x", "ax", false),
            ("[!ab]x", "cx", true),
            ("[a-c]*", "Bx", true),
            ("[[:alpha:]]x", "ax", true),
            ("a\\**", "a*b", true),
            ("a\\**", "ab", false),
            ("**", "ab", true),
            ("[\\!b]", "b", true),
            ("[\\!b]", "a", false),
            ("[a\\-c]", "-", true),
            ("[a\\-c]", "b", false),
            ("[\\]a]", "]", true),
            ("[]a]", "]", true),
            ("[!b]", "B", true),
            ("[!a-c]", "b", false),
            ("[[ab]b", "ab", true),
            ("[a*", "[ab", true),
            ("[a*", "ab", false),
            ("{*", "{a", true),
            ("{*", "a", false),
            ("\\.*", ".a", true),
            ("?x", "éx", true),
            ("??x", "éx", true),
        ];
        each(rows, |(part, name, wanted)| {
            assert_eq!(Matcher::of(part).unwrap().matches(Path::new(name)), wanted, "{part} {name}");
        });
        assert!(Matcher::of("a\\*").is_none() && Matcher::of("a{b}").is_none());
    }
}
