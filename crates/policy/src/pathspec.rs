//! Pathspecs, with which git commands select and exclude files.

use globset::{GlobBuilder, GlobMatcher};
use std::path::{Component, Path, PathBuf};
use toolpost_shell::Word;

/// The files that the pathspecs of a command select.
#[derive(Debug, Default)]
pub(crate) struct Pathspecs {
    /// Files must match one of these, unless there are none.
    include: Vec<Pathspec>,
    exclude: Vec<Pathspec>,
}

/// Files that one pathspec matches.
#[derive(Debug)]
enum Pathspec {
    /// Any file, because the pathspec is unknown, or has a form that is not supported here.
    Any,
    /// A file, or the files below a directory, by its path below the top of the repository.
    At(String),
    /// Files whose paths match a pattern.
    Like(GlobMatcher),
}

impl Pathspecs {
    /// Parses the pathspecs of a command that runs in `directory`, in the repository `top`.
    pub(crate) fn of<'w>(words: impl IntoIterator<Item = &'w Word>, top: &Path, directory: &Path) -> Self {
        let mut out = Self::default();
        for word in words {
            let Some(text) = word.known() else {
                out.include.push(Pathspec::Any);
                continue;
            };
            let Some(magic) = Magic::of(text) else {
                out.include.push(Pathspec::Any);
                continue;
            };
            let Some(path) = below(top, if magic.is_from_top { top } else { directory }, magic.rest) else {
                continue;
            };
            match (magic.excludes, pathspec(&path, &magic)) {
                // A file counts as excluded only if that is certain.
                (true, Some(Pathspec::Any) | None) => {}
                (true, Some(spec)) => out.exclude.push(spec),
                (false, spec) => out.include.push(spec.unwrap_or(Pathspec::Any)),
            }
        }
        out
    }

    /// Returns true if a file may be selected.
    pub(crate) fn selects(&self, path: &str) -> bool {
        (self.include.is_empty() || self.include.iter().any(|spec| spec.matches(path)))
            && !self.exclude.iter().any(|spec| spec.matches(path))
    }
}

impl Pathspec {
    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Any => true,
            Self::At(at) => {
                at.is_empty()
                    || path
                        .strip_prefix(at.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Self::Like(glob) => {
                // A pattern that matches a directory selects the files below it.
                Path::new(path)
                    .ancestors()
                    .filter(|part| !part.as_os_str().is_empty())
                    .any(|part| glob.is_match(part))
            }
        }
    }
}

/// The parts of a pathspec.
struct Magic<'t> {
    excludes: bool,
    is_from_top: bool,
    is_literal: bool,
    is_glob: bool,
    rest: &'t str,
}

impl<'t> Magic<'t> {
    /// Parses the signs before the path of a pathspec; `None` for signs that are not supported.
    fn of(text: &'t str) -> Option<Self> {
        let plain =
            Self { excludes: false, is_from_top: false, is_literal: false, is_glob: false, rest: text };
        let Some(signs) = text.strip_prefix(':') else { return Some(plain) };
        if let Some((words, rest)) = signs.strip_prefix('(').and_then(|signs| signs.split_once(')')) {
            let mut magic = Self { rest, ..plain };
            for word in words.split(',').filter(|word| !word.is_empty()) {
                match word {
                    "exclude" => magic.excludes = true,
                    "top" => magic.is_from_top = true,
                    "literal" => magic.is_literal = true,
                    "glob" => magic.is_glob = true,
                    _ => return None,
                }
            }
            return Some(magic);
        }
        let mut magic = Self { rest: signs, ..plain };
        while let Some(sign) = magic.rest.chars().next() {
            match sign {
                '!' | '^' => magic.excludes = true,
                '/' => magic.is_from_top = true,
                ':' => {
                    magic.rest = &magic.rest[1..];
                    break;
                }
                _ => break,
            }
            magic.rest = &magic.rest[1..];
        }
        Some(magic)
    }
}

fn pathspec(path: &str, magic: &Magic<'_>) -> Option<Pathspec> {
    if magic.is_literal || !path.contains(['*', '?', '[', '\\']) {
        return Some(Pathspec::At(path.to_owned()));
    }
    // Without the word `glob`, a wildcard also matches slashes.
    let glob = GlobBuilder::new(path).literal_separator(magic.is_glob).backslash_escape(true).build();
    glob.ok().map(|glob| Pathspec::Like(glob.compile_matcher()))
}

/// Returns the path of a pathspec below the top of the repository; `None` if it leads out of it.
fn below(top: &Path, directory: &Path, path: &str) -> Option<String> {
    let mut out = PathBuf::new();
    for part in directory.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    Some(out.strip_prefix(top).ok()?.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Pathspecs;
    use std::path::Path;
    use toolpost_shell::Word;
    use toolpost_test_rows::each;

    #[test]
    fn pathspecs_select_and_exclude_as_in_git() {
        let rows: [(&[&str], &str, bool); 22] = [
            (&[], "a/.env", true),
            (&["."], "sub/a", true),
            (&["."], "a", false),
            (&["a"], "sub/a/.env", true),
            (&["a"], "sub/ab", false),
            (&["../a"], "a/.env", true),
            (&[":/"], "a/.env", true),
            (&[":/a"], "a/.env", true),
            (&[":(top)a"], "sub/a", false),
            (&["*.rs"], "sub/a/b.rs", true),
            (&["*.rs"], "sub/.env", false),
            (&[":(glob)*.rs"], "sub/a/b.rs", false),
            (&[":!.env"], "sub/.env", false),
            (&[":!.env"], "a/.env", true),
            (&[":(exclude,top).env"], ".env", false),
            (&[":(top,exclude)a/.env"], "a/.env", false),
            (&[":/", ":^*.env"], "sub/x.env", false),
            (&[":(exclude,icase).ENV"], "sub/.env", true),
            (&[":(icase)A"], "sub/b", true),
            (&[":!/a"], "a/.env", false),
            (&["a*"], "sub/ab/c", true),
            (&[":(literal)*"], "sub/a", false),
        ];
        each(rows, |(words, path, wanted)| {
            let words: Vec<Word> = words.iter().map(|word| Word::known_as(word)).collect();
            let specs = Pathspecs::of(&words, Path::new("/top"), Path::new("/top/sub"));
            assert_eq!(specs.selects(path), wanted, "{words:?} {path}");
        });
    }
}
