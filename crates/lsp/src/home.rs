//! The project directory of a file.

use std::path::PathBuf;

use toolpost_workspace::{WorkspacePath, walk::found_below};

use crate::KnownServer;

/// The project directory of a file, and a requirement of the server that is missing there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The path of the project directory.
    pub directory: PathBuf,
    /// The reason why the server's answers cannot be complete in this directory, such as a missing project file; `None`
    /// if no required file is missing.
    pub lacks: Option<String>,
}

/// Returns the directory in which the server starts for a file: the outermost directory above the file with one of
/// the server's [`markers`](KnownServer::markers), otherwise the root. `is_there` checks whether a path exists.
///
/// One server for a whole repository gives better answers, and needs less memory, than one for each part.
#[must_use]
pub fn home(known: &KnownServer, file: &WorkspacePath, is_there: impl Fn(&WorkspacePath) -> bool) -> Home {
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
