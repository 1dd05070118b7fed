//! Paths of recorded changes, as the workspace shows them.

use std::path::Path;

use crate::record::{Change, Record};
use crate::workspace::Workspace;

impl Record {
    /// Returns whether the change affected a path below one of the roots.
    pub(crate) fn is_of(&self, workspace: &Workspace) -> bool {
        self.changes.is_empty() || self.places().any(|place| workspace.known(place).is_some())
    }
}

impl Change {
    /// Returns the display path; absolute if it is outside the roots.
    #[must_use]
    pub fn path(&self, workspace: &Workspace) -> String {
        shown(workspace, self.place.path())
    }

    /// Returns the display path of a move's target.
    #[must_use]
    pub fn to(&self, workspace: &Workspace) -> Option<String> {
        self.to.as_ref().map(|to| shown(workspace, to.path()))
    }
}

/// Returns the display path of an absolute path.
pub(crate) fn shown(workspace: &Workspace, place: &Path) -> String {
    workspace.known(place).map_or_else(
        || toolpost_text::escape::name(place.as_os_str().as_encoded_bytes()).into_owned(),
        |path| path.display(),
    )
}
