//! Finding a file to read by a name that is almost right.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use thiserror::Error;
use toolpost_text::escape::name as escape;
use toolpost_text::names::{Difference, same_key, suggest};

use crate::access::Kind;
use crate::path::WorkspacePath;
use crate::path_error::PathError;
use crate::resolve::Follow;
use crate::spelling::{Ending, Spelled};
use crate::workspace::Workspace;

/// How many suggestions are made of each kind.
const SUGGESTIONS: usize = 3;

/// How many names are looked at in search of the same name elsewhere.
const LOOKED_AT: usize = 5_000;

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// Where it is.
    pub path: WorkspacePath,
    /// How its name differs from what was said, if it does.
    pub note: Option<String>,
}

/// Why nothing was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LookupError {
    /// It is not a path of the workspace.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Nothing of that name is there.
    #[error(transparent)]
    Missing(#[from] Missing),
}

/// A path of the workspace where nothing is, and what might have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path} does not exist (the workspace is {workspace}){}", meant(.siblings, .same_name_elsewhere))]
pub struct Missing {
    /// Where nothing is.
    pub path: WorkspacePath,
    /// The root that relative paths start from, escaped.
    pub workspace: String,
    /// Up to three paths in the same directory whose names are near.
    pub siblings: Vec<WorkspacePath>,
    /// Up to three paths elsewhere that end in the same name.
    pub same_name_elsewhere: Vec<WorkspacePath>,
}

impl Workspace {
    /// Finds what was said, for reading: the exact name first, else the only one in its directory that differs in
    /// nothing but normal form, spaces, quotes or case.
    pub fn lookup(&self, said: &str) -> Result<Lookup, LookupError> {
        let path = self.resolve(said)?;
        if !self.is_missing(&path) {
            return Ok(Lookup { path, note: None });
        }
        match self.nearly(&path) {
            Some(near) => {
                let note = Some(format!("{path} does not exist; {near} is used, whose name looks the same"));
                Ok(Lookup { path: near, note })
            }
            None => Err(self.missing(path).into()),
        }
    }

    /// Corrects one missing name after the other, as long as there is exactly one candidate for it.
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
            let spelled = Spelled { absolute, ending: Ending::Open };
            current = self.find_spelled(&path.display(), &spelled, Follow::All).ok()?;
        }
        Some(current)
    }

    fn missing(&self, path: WorkspacePath) -> Missing {
        let workspace = self.roots().first().map(crate::Root::shown).unwrap_or_default();
        let siblings = self.siblings(&path).unwrap_or_default();
        let same_name_elsewhere = self.elsewhere(&path);
        Missing { path, workspace, siblings, same_name_elsewhere }
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

    /// Looks for the same name in other directories, the nearest to the root first, and not for long.
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

/// Picks the one name that looks like the wanted one; none if there are more.
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

/// Says whether a directory holds what nobody means by a name.
fn is_heap(name: &OsStr) -> bool {
    matches!(
        name.as_bytes(),
        b".git" | b".jj" | b".hg" | b".svn" | b"node_modules" | b"target" | b"__pycache__"
    )
}

fn meant(siblings: &[WorkspacePath], elsewhere: &[WorkspacePath]) -> String {
    let all: Vec<String> = siblings.iter().chain(elsewhere).map(WorkspacePath::display).collect();
    if all.is_empty() { String::new() } else { format!(". Did you mean {}?", all.join(", ")) }
}
