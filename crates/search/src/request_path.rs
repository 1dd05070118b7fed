//! Resolution of the paths in search requests, with errors for the caller.

use toolpost_workspace::{AccessError, AccessKind, Kind, PathError, Stat, Workspace, WorkspacePath};

use crate::SearchError;

/// Returns the metadata of the path to search.
pub(crate) fn stat(workspace: &Workspace, base: &WorkspacePath) -> Result<Stat, SearchError> {
    workspace.stat(base).map_err(|error| access(base, error))
}

/// Returns an error unless the path to search is a directory; `what` is the operation, `glob` or `list`.
pub(crate) fn directory(
    workspace: &Workspace,
    base: &WorkspacePath,
    what: &'static str,
) -> Result<(), SearchError> {
    match stat(workspace, base)?.kind {
        Kind::Directory => Ok(()),
        _ => Err(SearchError::NotADirectory { what, path: base.display() }),
    }
}

/// Resolves the literal names at the start of a glob, relative to the directory `base`. Symlinks are followed inside the
/// workspace.
pub(crate) fn below(
    workspace: &Workspace,
    base: &WorkspacePath,
    said: &str,
) -> Result<WorkspacePath, SearchError> {
    if base.root().label().is_some() {
        let from = base.relative().to_str().unwrap_or_default();
        let joined = if from.is_empty() { said.to_owned() } else { format!("{from}/{said}") };
        return workspace.resolve_external(base, said, &joined).map_err(SearchError::Outside);
    }
    let from = base.raw().to_str().map_or_else(|| base.absolute(), str::to_owned);
    resolve(workspace, &format!("{from}/{said}"))
}

/// Resolves the literal names at the start of an absolute glob.
pub(crate) fn resolve(workspace: &Workspace, said: &str) -> Result<WorkspacePath, SearchError> {
    workspace.resolve(said).map_err(|error: PathError| SearchError::Outside(error))
}

pub(crate) fn access(base: &WorkspacePath, error: AccessError) -> SearchError {
    match error.why {
        AccessKind::Missing => SearchError::Missing { path: base.display() },
        _ => SearchError::Access(error),
    }
}
