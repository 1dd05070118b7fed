//! The files that the wildcards and braces in a word of a command match, as the shell would expand the word now.

use crate::place::{self, Place};
use globset::{GlobBuilder, GlobMatcher};
use std::path::{Path, PathBuf};
use toolpost_shell::{Places, Word};
use toolpost_workspace::{Kind, Workspace};

/// Maximum number of directory entries that are compared with the patterns of one word.
const MOST_NAMES: usize = 100_000;
/// Maximum number of words to which the braces of one word expand.
const MOST_WORDS: usize = 256;

/// The locations that a word matches.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) places: Vec<Place>,
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
    let Some(patterns) = expanded(pattern) else { return Matches { is_cut: true, ..found } };
    let mut left = MOST_NAMES;
    for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('~')) {
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

/// Returns the paths that a pattern without braces matches; `None` if there are too many names to compare.
fn paths(base: PathBuf, pattern: &str, workspace: &Workspace, left: &mut usize) -> Option<Vec<PathBuf>> {
    let mut found = vec![base];
    let (mut has_wildcard, mut parts) = (false, parts(pattern).into_iter().peekable());
    while let Some(part) = parts.next() {
        if part.is_empty() || part == "." {
            continue;
        }
        let Some(matcher) = Matcher::of(&part) else {
            let name = literal(&part);
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
        found.retain(exists);
    }
    Some(found)
}

/// A component of a pattern that has wildcards.
struct Matcher {
    /// The compiled pattern; `None` for one that is matched by every name.
    glob: Option<GlobMatcher>,
    /// The component begins with a dot, so it also matches hidden names.
    is_hidden: bool,
}

impl Matcher {
    /// Compiles a component; `None` if it has no wildcards.
    fn of(part: &str) -> Option<Self> {
        let mut letters = part.chars();
        let mut has_wildcard = false;
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => {
                    letters.next();
                }
                '*' | '?' | '[' => has_wildcard = true,
                _ => {}
            }
        }
        if !has_wildcard {
            return None;
        }
        let is_hidden = part.starts_with('.') || part.starts_with("\\.");
        // Classes such as `[[:alpha:]]` and literal braces match any name here. The order of letters in `[a-z]` depends on
        // the language of the shell, so names in either case count.
        let is_odd = ["[:", "[=", "[.", "{", "}"].iter().any(|class| part.contains(class));
        let plain = part.replace("**", "*");
        let glob =
            GlobBuilder::new(&plain).backslash_escape(true).case_insensitive(part.contains('[')).build();
        let glob = glob.ok().filter(|_| !is_odd).map(|glob| glob.compile_matcher());
        Some(Self { glob, is_hidden })
    }

    fn matches(&self, name: &Path) -> bool {
        let hides = name.as_os_str().as_encoded_bytes().starts_with(b".");
        (self.is_hidden || !hides) && self.glob.as_ref().is_none_or(|glob| glob.is_match(name))
    }
}

/// Splits a pattern at its slashes.
fn parts(pattern: &str) -> Vec<String> {
    pattern.split('/').map(str::to_owned).collect()
}

/// Removes the backslashes from a component without wildcards.
fn literal(part: &str) -> String {
    let (mut out, mut letters) = (String::new(), part.chars());
    while let Some(letter) = letters.next() {
        out.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    out
}

/// Expands the braces of a pattern, as in `{a,b}c`; `None` if that gives too many patterns.
fn expanded(pattern: &str) -> Option<Vec<String>> {
    let (mut done, mut open) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(next) = open.pop() {
        if done.len() + open.len() > MOST_WORDS {
            return None;
        }
        match alternatives(&next) {
            Some(all) => open.extend(all),
            None => done.push(next),
        }
    }
    done.reverse();
    Some(done)
}

/// Replaces the first group of braces that has several alternatives by each of these; `None` if there is none.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let letters: Vec<(usize, char)> = pattern.char_indices().collect();
    let mut at = 0;
    while at < letters.len() {
        match letters[at].1 {
            '\\' => at += 1,
            '{' => {
                if let Some((commas, end)) = group(&letters, at).filter(|(commas, _)| !commas.is_empty()) {
                    let (before, after) = (&pattern[..letters[at].0], &pattern[letters[end].0 + 1..]);
                    let bounds: Vec<usize> =
                        std::iter::once(at).chain(commas).chain([end]).map(|at| letters[at].0).collect();
                    let each = bounds.windows(2).map(|pair| &pattern[pair[0] + 1..pair[1]]);
                    return Some(each.map(|one| format!("{before}{one}{after}")).collect());
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Finds the commas and the end of the group of braces that begins at `open`, as indices of letters.
fn group(letters: &[(usize, char)], open: usize) -> Option<(Vec<usize>, usize)> {
    let (mut depth, mut commas, mut at) = (0, Vec::new(), open);
    while at < letters.len() {
        match letters[at].1 {
            '\\' => at += 1,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => commas.push(at),
            _ => {}
        }
        if depth == 0 {
            return Some((commas, at));
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Matcher, expanded};
    use std::path::Path;
    use toolpost_test_rows::each;

    #[test]
    fn braces_expand_as_in_the_shell() {
        let rows: [(&str, &[&str]); 8] = [
            ("a", &["a"]),
            ("{a,b}c", &["ac", "bc"]),
            ("x{a,{b,c}d}", &["xa", "xbd", "xcd"]),
            ("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]),
            ("{a,}b", &["ab", "b"]),
            ("\\{a\\,b\\}", &["\\{a\\,b\\}"]),
            ("{a\\,b,c}", &["a\\,b", "c"]),
            ("{x{a,b}}", &["{xa}", "{xb}"]),
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
        ];
        each(rows, |(part, name, wanted)| {
            assert_eq!(Matcher::of(part).unwrap().matches(Path::new(name)), wanted, "{part} {name}");
        });
        assert!(Matcher::of("a\\*").is_none() && Matcher::of("a{b}").is_none());
    }
}
