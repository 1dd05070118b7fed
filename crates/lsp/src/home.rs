//! The project directory of a file.

use std::path::PathBuf;

use toolpost_workspace::{WorkspacePath, walk::found_below};

use crate::Known;

/// A project directory, and a missing requirement of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The directory.
    pub directory: PathBuf,
    /// The reason why answers cannot be complete there, if any.
    pub lacks: Option<String>,
}

/// Returns the server's start directory for a file: the outermost with one of its markers, else the root.
///
/// One server for a whole repository knows more, and needs less memory, than one for each part.
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
