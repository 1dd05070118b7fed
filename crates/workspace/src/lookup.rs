//! Finding a file to read by a name that is almost right.

use thiserror::Error;

use crate::path::WorkspacePath;
use crate::resolve::PathError;
use crate::workspace::Workspace;

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
#[error("{path} does not exist (the workspace is {workspace})")]
pub struct Missing {
    /// Where nothing is.
    pub path: WorkspacePath,
    /// The root that relative paths start from, escaped.
    pub workspace: String,
    /// Up to three paths in the same directory whose names are near, as shown.
    pub siblings: Vec<String>,
    /// Up to three paths elsewhere that end in the same name, as shown.
    pub same_name_elsewhere: Vec<String>,
}

impl Workspace {
    /// Finds what was said, for reading: the exact name first, else the only one in its directory that differs in
    /// nothing but normal form, spaces, quotes or case.
    pub fn lookup(&self, said: &str) -> Result<Lookup, LookupError> {
        let path = self.resolve(said)?;
        if self.stat(&path).is_ok() {
            return Ok(Lookup { path, note: None });
        }
        let workspace = self.roots().first().map(crate::Root::shown).unwrap_or_default();
        Err(Missing { path, workspace, siblings: Vec::new(), same_name_elsewhere: Vec::new() }.into())
    }
}
