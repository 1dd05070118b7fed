//! Places that a request names.

use toolpost_workspace::{AccessError, AccessKind, Kind, PathError, Stat, Workspace, WorkspacePath};

use crate::SearchError;

/// Returns the metadata of the start of the search.
pub(crate) fn stat(workspace: &Workspace, base: &WorkspacePath) -> Result<Stat, SearchError> {
    workspace.stat(base).map_err(|error| access(base, error))
}

/// Requires that the start of a search is a directory.
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

/// Resolves a path below another one from the literal part of a pattern, following links inside the workspace.
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

/// Finds the place that an absolute pattern begins at.
pub(crate) fn resolve(workspace: &Workspace, said: &str) -> Result<WorkspacePath, SearchError> {
    workspace.resolve(said).map_err(|error: PathError| SearchError::Outside(error))
}

pub(crate) fn access(base: &WorkspacePath, error: AccessError) -> SearchError {
    match error.why {
        AccessKind::Missing => SearchError::Missing { path: base.display() },
        _ => SearchError::Access(error),
    }
}
