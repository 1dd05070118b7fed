//! What a walk did not show, counted.

use std::collections::BTreeSet;

use serde::Serialize;

/// What rules left out of a walk; what lies below a directory that was left out is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Files that an ignore rule left out.
    pub ignored_files: u64,
    /// Directories that an ignore rule left out.
    pub ignored_directories: u64,
    /// Files left out because they are hidden.
    pub hidden_files: u64,
    /// Directories left out because they are hidden.
    pub hidden_directories: u64,
    /// Directories of version control.
    pub version_control: u64,
    /// Directories of installed packages, caches and build output.
    pub dependencies: u64,
    /// The first few names in path order of directories counted above, but for version control.
    pub directories: BTreeSet<String>,
}

/// What a walk could not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// How many directories and files.
    pub count: u64,
    /// The first few in path order, each with its reason.
    pub names: BTreeSet<String>,
}

/// How many names of skipped directories are kept.
const SKIPPED_NAMES: usize = 5;

/// How many names of unreadable places are kept.
const UNREADABLE_NAMES: usize = 20;

impl Skipped {
    /// Says whether nothing but version control was left out.
    pub fn is_empty(&self) -> bool {
        self.ignored_files
            + self.ignored_directories
            + self.hidden_files
            + self.hidden_directories
            + self.dependencies
            == 0
    }

    /// Adds what another part of the walk left out.
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

    /// Counts a directory that a caller leaves out by itself, as one of dependencies.
    pub fn leave_out(&mut self, name: impl FnOnce() -> String) {
        self.count(Reason::Dependency, What::Directory, name);
    }

    /// Counts what a rule left out; it is named where it is a directory. Caches of Python's programs are not counted: they hold nothing
    /// that anybody looks for.
    pub fn count(&mut self, reason: Reason, what: What, name: impl FnOnce() -> String) {
        let tally = match (reason, what) {
            (Reason::Ignored, What::File) => &mut self.ignored_files,
            (Reason::Ignored, What::Directory) => &mut self.ignored_directories,
            (Reason::Hidden, What::File) => &mut self.hidden_files,
            (Reason::Hidden, What::Directory) => &mut self.hidden_directories,
            (Reason::VersionControl, _) => &mut self.version_control,
            (Reason::Dependency, _) => &mut self.dependencies,
        };
        let name = (what == What::Directory && reason != Reason::VersionControl).then(name);
        if reason == Reason::Dependency && name.as_deref().is_some_and(is_cache) {
            return;
        }
        *tally += 1;
        if let Some(name) = name {
            keep(&mut self.directories, SKIPPED_NAMES, name);
        }
    }
}

impl Unreadable {
    /// Counts a place that could not be read.
    pub fn note(&mut self, name: String) {
        self.count += 1;
        keep(&mut self.names, UNREADABLE_NAMES, name);
    }

    /// Adds what another part of the walk could not read.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        for name in other.names {
            keep(&mut self.names, UNREADABLE_NAMES, name);
        }
    }
}

/// Why an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An ignore rule names it.
    Ignored,
    /// Its name begins with a dot.
    Hidden,
    /// It is the directory of version control.
    VersionControl,
    /// It is a directory of installed packages, a cache or build output.
    Dependency,
}

/// Whether a directory was left out or something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Anything that is no directory.
    File,
    /// A directory, with all that lies in it.
    Directory,
}

/// Says whether a directory is a cache that Python or one of its tools makes beside the sources.
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
