//! Where the project begins to which a file belongs.

use std::path::PathBuf;

use toolpost_workspace::{WorkspacePath, walk::found_below};

use crate::Known;

/// Where a project begins, and what it lacks for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The directory.
    pub directory: PathBuf,
    /// Why the server's answers cannot be complete there, if they cannot.
    pub lacks: Option<String>,
}

/// Finds the directory in which a server is started for a file: the outermost that has one of its markers, else the root.
///
/// One server for all of a repository knows more, and takes less, than one for each of its parts.
#[must_use]
pub fn home(known: &Known, file: &WorkspacePath, is_there: impl Fn(&WorkspacePath) -> bool) -> Home {
    let has = |directory: &WorkspacePath, names: &[&str]| {
        names.iter().any(|name| found_below(directory, name.as_bytes()).is_some_and(|path| is_there(&path)))
    };
    let above: Vec<WorkspacePath> = std::iter::successors(file.parent(), WorkspacePath::parent).collect();
    let marked = above.iter().rev().find(|directory| has(directory, known.markers));
    let Some(directory) = marked.or(above.last()) else {
        return Home { directory: file.root().path().to_owned(), lacks: None };
    };
    let lacks = known.needs.filter(|(names, _)| !has(directory, names)).map(|(_, why)| why.to_owned());
    Home { directory: directory.raw().to_owned(), lacks }
}
