//! Names that the sandbox looks for in the directories of a root: single names, paths of several components, and
//! patterns with `*`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The names of a plan that apply in every directory of a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The names that programs may not change.
    pub(crate) held: NameList,
    /// The names of files whose changes are reported to the user.
    pub(crate) reported: NameList,
}

/// A list of names, relative paths and patterns that apply in every directory of a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NameList(Vec<Name>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Single(OsString),
    /// A relative path of several components, and its last component.
    Path(PathBuf, OsString),
    /// A name with `*`, which stands for any text without a slash.
    Pattern(OsString),
}

impl Names {
    /// Returns the relative paths among the protected and the reported paths of a plan.
    pub(crate) fn of(protected: &[PathBuf], reported: &[PathBuf]) -> Self {
        Self { held: NameList::of(protected), reported: NameList::of(reported) }
    }
}

impl NameList {
    /// Keeps the relative paths of a list, which apply in every directory of a root. Other paths are left out,
    /// because they apply in one place only.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let name = |path: &PathBuf| {
            let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            let last = path.file_name().filter(|_| is_plain)?.to_owned();
            Some(match pattern(path) {
                Some(pattern) => Name::Pattern(pattern.to_owned()),
                None if last == path.as_os_str() => Name::Single(last),
                None => Name::Path(path.clone(), last),
            })
        };
        Self(paths.iter().filter_map(name).collect())
    }

    /// Checks whether an entry of a directory has one of the names.
    pub(crate) fn has(&self, directory: &Path, entry: &OsStr) -> bool {
        self.0.iter().any(|name| match name {
            Name::Single(single) => single == entry,
            Name::Path(path, last) => last == entry && directory.join(entry).ends_with(path),
            Name::Pattern(pattern) => matches(pattern.as_bytes(), entry.as_bytes()),
        })
    }

    /// Lists the patterns.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter().filter_map(|name| match name {
            Name::Pattern(pattern) => Some(pattern.as_os_str()),
            Name::Single(_) | Name::Path(..) => None,
        })
    }
}

/// Returns a path if it is a pattern of names: a single relative name with `*`.
pub(crate) fn pattern(path: &Path) -> Option<&OsStr> {
    let name = path.file_name().filter(|name| *name == path.as_os_str())?;
    name.as_bytes().contains(&b'*').then_some(name)
}

/// Checks whether a pattern matches a name, ignoring case, because some file systems do. Allocates nothing.
pub(crate) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut star, mut rest) = (0, None, 0);
    let mut next = 0;
    while next < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                (star, rest) = (Some(at), next);
                at += 1;
            }
            Some(byte) if byte.eq_ignore_ascii_case(&name[next]) => {
                at += 1;
                next += 1;
            }
            // Let the last `*` cover one more byte.
            _ => {
                let Some(star) = star else { return false };
                rest += 1;
                (at, next) = (star + 1, rest);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn names_apply_in_every_directory() {
        let all =
            [".envrc", ".cargo/config.toml", "*.code-workspace", "/abs/x", "../up", ""].map(PathBuf::from);
        let names = NameList::of(&all);
        let rows = [
            ("", ".envrc", true),
            ("a/b", ".envrc", true),
            ("a", "envrc", false),
            (".cargo", "config.toml", true),
            ("a/.cargo", "config.toml", true),
            ("a", "config.toml", false),
            ("a", "x.code-workspace", true),
            ("a", ".CODE-workspace", true),
            ("a", "x.code-workspace2", false),
            ("abs", "x", false),
            ("..", "up", false),
        ];
        each(rows, |(directory, entry, wanted)| {
            assert_eq!(names.has(Path::new(directory), OsStr::new(entry)), wanted, "{directory} {entry}");
        });
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let rows = [
            ("*.x", ".x", true),
            ("*.x", "a.x.x", true),
            ("*.x", "a.xy", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*", "A", true),
            ("*", "", true),
            ("a", "", false),
        ];
        each(rows, |(pattern, name, wanted)| {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), wanted, "{pattern} {name}");
        });
    }
}
