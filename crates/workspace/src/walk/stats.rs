//! Statistics of a walk: entries that it skipped or could not read.

use std::collections::BTreeSet;

/// Entries that a walk excluded. The content of an excluded directory is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedEntries {
    /// Files that an ignore rule excluded.
    pub ignored_files: u64,
    /// Directories that an ignore rule excluded.
    pub ignored_directories: u64,
    /// Hidden files that were excluded.
    pub hidden_files: u64,
    /// Hidden directories that were excluded.
    pub hidden_directories: u64,
    /// Version control directories, such as `.git`, that were excluded.
    pub version_control: u64,
    /// Directories of installed packages, caches and build output that were excluded.
    pub dependencies: u64,
    /// Paths of the first few excluded directories, sorted, without version control directories.
    pub directories: BTreeSet<String>,
}

/// Entries that a walk could not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// Number of unreadable directories and files.
    pub count: u64,
    /// Paths of the first few unreadable entries, sorted, each with the reason.
    pub names: BTreeSet<String>,
}

/// Maximum number of excluded directories that are listed by name.
const SKIPPED_NAMES: usize = 5;

/// Maximum number of unreadable entries that are listed by name.
const UNREADABLE_NAMES: usize = 20;

impl SkippedEntries {
    /// Returns whether the walk excluded nothing except version control directories.
    pub fn is_empty(&self) -> bool {
        self.ignored_files
            + self.ignored_directories
            + self.hidden_files
            + self.hidden_directories
            + self.dependencies
            == 0
    }

    /// Adds the counts of another thread of the walk.
    pub fn add(&mut self, other: Self) {
        self.ignored_files += other.ignored_files;
        self.ignored_directories += other.ignored_directories;
        self.hidden_files += other.hidden_files;
        self.hidden_directories += other.hidden_directories;
        self.version_control += other.version_control;
        self.dependencies += other.dependencies;
        for name in other.directories {
            keep(&mut self.directories, SKIPPED_NAMES, name);
        }
    }

    /// Counts a directory that the caller, and not the walk, has excluded as a dependency directory.
    pub fn leave_out(&mut self, name: impl FnOnce() -> String) {
        self.count(Reason::Dependency, EntryType::Directory, name);
    }

    /// Counts an excluded entry, and lists it if it is a directory, but not a version control directory. Cache
    /// directories of Python tools are not counted, because they contain nothing of interest.
    pub fn count(&mut self, reason: Reason, what: EntryType, name: impl FnOnce() -> String) {
        let tally = match (reason, what) {
            (Reason::Ignored, EntryType::File) => &mut self.ignored_files,
            (Reason::Ignored, EntryType::Directory) => &mut self.ignored_directories,
            (Reason::Hidden, EntryType::File) => &mut self.hidden_files,
            (Reason::Hidden, EntryType::Directory) => &mut self.hidden_directories,
            (Reason::VersionControl, _) => &mut self.version_control,
            (Reason::Dependency, _) => &mut self.dependencies,
        };
        let name = (what == EntryType::Directory && reason != Reason::VersionControl).then(name);
        if name.as_deref().is_some_and(is_cache) {
            return;
        }
        *tally += 1;
        if let Some(name) = name {
            keep(&mut self.directories, SKIPPED_NAMES, name);
        }
    }
}

impl Unreadable {
    /// Counts an entry that could not be read.
    pub fn note(&mut self, name: String) {
        self.count += 1;
        keep(&mut self.names, UNREADABLE_NAMES, name);
    }

    /// Adds the unreadable entries of another thread of the walk.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        for name in other.names {
            keep(&mut self.names, UNREADABLE_NAMES, name);
        }
    }
}

/// Returns whether a line of [`Unreadable::names`] is about the displayed path `place`, or about an entry below it.
#[must_use]
pub fn is_unreadable_at(line: &str, place: &str) -> bool {
    // The paths in the first root are relative to it.
    if place == "." {
        return !line.starts_with('/');
    }
    line.strip_prefix(place).is_some_and(|rest| rest.starts_with('/') || rest.starts_with(": "))
}

/// Reasons why a walk excludes an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An ignore rule matches the entry.
    Ignored,
    /// The name of the entry starts with a dot.
    Hidden,
    /// The entry is a version control directory, such as `.git`.
    VersionControl,
    /// The entry is a directory of installed packages, caches or build output.
    Dependency,
}

/// Types of entries that a walk excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryType {
    /// A file, a link, or anything else that is not a directory.
    File,
    /// A directory; its content is excluded with it.
    Directory,
}

/// Returns whether a directory is a cache of Python or one of its tools.
fn is_cache(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "__pycache__" | ".mypy_cache" | ".pytest_cache" | ".ruff_cache")
}

fn keep(names: &mut BTreeSet<String>, most: usize, name: String) {
    if names.len() == most && names.last().is_some_and(|last| *last <= name) {
        return;
    }
    names.insert(name);
    if names.len() > most {
        names.pop_last();
    }
}

#[cfg(test)]
mod tests {
    use super::is_unreadable_at;
    use toolpost_test_rows::each;

    #[test]
    fn an_unreadable_entry_belongs_to_whole_names_of_a_path() {
        let rows = [
            ("a: denied", "a", true),
            ("a/b: denied", "a", true),
            ("a/b: denied", "a/b", true),
            ("ab: denied", "a", false),
            ("a.rs: denied", "a", false),
            ("ab/c: denied", "a", false),
            ("b/a: denied", "a", false),
            ("a: denied", ".", true),
            ("/other/a: denied", ".", false),
            ("/other/a: denied", "/other", true),
            ("/others/a: denied", "/other", false),
        ];
        each(rows, |(line, place, wanted)| {
            assert_eq!(is_unreadable_at(line, place), wanted, "{line} at {place}");
        });
    }
}
