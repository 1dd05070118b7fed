//! Paths of recorded changes, as the workspace shows them.

use std::path::Path;

use crate::record::{Change, Record};
use crate::workspace::Workspace;

impl Record {
    /// Says whether it changed anything below one of the roots.
    pub(crate) fn is_of(&self, workspace: &Workspace) -> bool {
        self.changes.is_empty() || self.places().any(|place| workspace.known(place).is_some())
    }
}

impl Change {
    /// Shows the path as the workspace shows paths; one outside of its roots is absolute.
    #[must_use]
    pub fn path(&self, workspace: &Workspace) -> String {
        shown(workspace, self.place.path())
    }

    /// Shows the new place of a move.
    #[must_use]
    pub fn to(&self, workspace: &Workspace) -> Option<String> {
        self.to.as_ref().map(|to| shown(workspace, to.path()))
    }
}

/// Shows a path that was once resolved.
pub(crate) fn shown(workspace: &Workspace, place: &Path) -> String {
    workspace.known(place).map_or_else(
        || toolpost_text::escape::name(place.as_os_str().as_encoded_bytes()).into_owned(),
        |path| path.display(),
    )
}
