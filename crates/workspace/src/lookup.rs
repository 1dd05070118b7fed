//! Search for an existing file whose name is nearly the given name.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use thiserror::Error;
use toolpost_text::escape::name as escape;
use toolpost_text::names::{Difference, same_key, suggest};

use crate::access::Kind;
use crate::lexical_path::{LexicalPath, PathEnding};
use crate::path::WorkspacePath;
use crate::path_error::PathError;
use crate::resolve::Follow;
use crate::workspace::Workspace;

/// Maximum number of suggestions of each kind for a missing path: similar names in its directory, and the same name
/// in other directories.
const SUGGESTIONS: usize = 3;

/// Maximum number of directory entries that the search for a name in other directories reads.
const LOOKED_AT: usize = 5_000;

/// An existing file that was found for a given path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// Path of the file that was found.
    pub path: WorkspacePath,
    /// Remark for the caller if a file with a similar name is used instead.
    pub note: Option<String>,
}

/// Errors of finding an existing file for a given path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LookupError {
    /// The path is outside the workspace or invalid.
    #[error(transparent)]
    Path(#[from] PathError),
    /// No file has the given name, and there is not exactly one file with a similar name.
    #[error(transparent)]
    Missing(#[from] MissingPathError),
}

/// A missing path, with suggestions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path} does not exist (the workspace is {workspace}){}", meant(.siblings, .same_name_elsewhere))]
pub struct MissingPathError {
    /// The missing path.
    pub path: WorkspacePath,
    /// Path of the first root, escaped.
    pub workspace: String,
    /// Up to three similar names in the same directory.
    pub siblings: Vec<WorkspacePath>,
    /// Up to three paths elsewhere with the same name.
    pub same_name_elsewhere: Vec<WorkspacePath>,
}

impl Workspace {
    /// Finds a file for reading by its exact path. If it does not exist, replaces each missing component with the only
    /// name in its directory that differs from it only in Unicode normal form, spaces, quotes or letter case.
    pub fn lookup(&self, said: &str) -> Result<Lookup, LookupError> {
        let path = self.resolve(said)?;
        if !self.is_missing(&path) {
            return Ok(Lookup { path, note: None });
        }
        match self.nearly(&path) {
            Some(near) => {
                let note = Some(format!(
                    "{path} does not exist; {near} was used instead, because its name looks the same"
                ));
                Ok(Lookup { path: near, note })
            }
            None => Err(self.missing(path).into()),
        }
    }

    /// Replaces each missing component with the name in its directory that looks the same. `None` if a
    /// component has no such name, or several.
    fn nearly(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        let mut current = path.clone();
        while self.is_missing(&current) {
            let (directory, wanted, rest) = self.first_missing(&current)?;
            let name =
                only_candidate(&wanted, self.list(&directory).ok()?.into_iter().map(|entry| entry.name))?;
            let mut absolute: PathBuf = directory.raw().join(name);
            if !rest.as_os_str().is_empty() {
                absolute.push(rest);
            }
            let lexical = LexicalPath { absolute, ending: PathEnding::Open };
            current = self.find_lexical(&path.display(), &lexical, Follow::All).ok()?;
        }
        Some(current)
    }

    fn missing(&self, path: WorkspacePath) -> MissingPathError {
        let workspace = self.roots().first().map(crate::Root::shown).unwrap_or_default();
        let siblings = self.siblings(&path).unwrap_or_default();
        let same_name_elsewhere = self.elsewhere(&path);
        MissingPathError { path, workspace, siblings, same_name_elsewhere }
    }

    fn siblings(&self, path: &WorkspacePath) -> Option<Vec<WorkspacePath>> {
        let (directory, wanted, _) = self.first_missing(path)?;
        let entries = self.list(&directory).ok()?;
        let shown: Vec<Cow<'_, str>> = entries.iter().map(|entry| escape(entry.name.as_bytes())).collect();
        let names: Vec<&str> = shown.iter().map(AsRef::as_ref).collect();
        let near = suggest(&escape(wanted.as_bytes()), &names, SUGGESTIONS);
        let place = |name: &str| {
            let entry = entries.get(names.iter().position(|shown| *shown == name)?)?;
            Some(WorkspacePath::beneath(path.root(), &directory.relative().join(&entry.name)))
        };
        Some(near.into_iter().filter_map(place).collect())
    }

    /// Searches other directories for the file name of `path`, breadth first and with a limit.
    fn elsewhere(&self, path: &WorkspacePath) -> Vec<WorkspacePath> {
        let mut found = Vec::new();
        let mut left = LOOKED_AT;
        let mut waiting = VecDeque::from([WorkspacePath::beneath(path.root(), "".as_ref())]);
        while let (Some(directory), Some(name)) = (waiting.pop_front(), path.file_name()) {
            for entry in self.list(&directory).unwrap_or_default() {
                if left == 0 || found.len() == SUGGESTIONS {
                    return found;
                }
                left -= 1;
                let child = WorkspacePath::beneath(path.root(), &directory.relative().join(&entry.name));
                if entry.name == name {
                    found.push(child);
                } else if entry.kind == Kind::Directory && !is_heap(&entry.name) {
                    waiting.push_back(child);
                }
            }
        }
        found
    }
}

/// Returns the name that looks like `wanted`; `None` if there is no such name, or more than one.
fn only_candidate(wanted: &OsStr, names: impl Iterator<Item = OsString>) -> Option<OsString> {
    let wanted = wanted.to_str()?;
    let looks_same = |name: &OsStr| {
        name.to_str()
            .and_then(|name| same_key(wanted, name))
            .is_some_and(|difference| difference != Difference::None)
    };
    let mut candidates = names.filter(|name| looks_same(name));
    let first = candidates.next()?;
    candidates.next().is_none().then_some(first)
}

/// Returns whether the search for a file name skips directories with this name, such as `target`.
fn is_heap(name: &OsStr) -> bool {
    matches!(
        name.as_bytes(),
        b".git" | b".jj" | b".hg" | b".svn" | b"node_modules" | b"target" | b"__pycache__"
    )
}

fn meant(siblings: &[WorkspacePath], elsewhere: &[WorkspacePath]) -> String {
    let all: Vec<String> = siblings.iter().chain(elsewhere).map(WorkspacePath::display).collect();
    if all.is_empty() { String::new() } else { format!(". Did you mean `{}`?", all.join("`, `")) }
}
