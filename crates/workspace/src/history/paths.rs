//! Paths of recorded changes, as messages show them.

use std::path::Path;

use crate::record::{Change, Record};
use crate::seal::Seal;
use crate::workspace::Workspace;

impl Record {
    /// Returns whether the change affected a path below one of the roots. Also true for a record without
    /// changes, and for a record with a wrong seal, because the paths in it cannot be trusted.
    pub(crate) fn is_of(&self, workspace: &Workspace) -> bool {
        self.seal == Seal::Wrong
            || self.changes.is_empty()
            || self.places().any(|place| workspace.known(place).is_some())
    }
}

impl Change {
    /// Returns the changed path for messages: relative to the first root, absolute in other roots and outside
    /// all roots.
    #[must_use]
    pub fn path(&self, workspace: &Workspace) -> String {
        shown(workspace, self.place.path())
    }

    /// Returns the new path of a moved file, link or directory for messages; `None` for other changes.
    #[must_use]
    pub fn to(&self, workspace: &Workspace) -> Option<String> {
        self.to.as_ref().map(|to| shown(workspace, to.path()))
    }
}

/// Returns an absolute path in the form for messages: relative to the first root if it is inside that root.
pub(crate) fn shown(workspace: &Workspace, place: &Path) -> String {
    workspace.known(place).map_or_else(
        || toolpost_text::escape::name(place.as_os_str().as_encoded_bytes()).into_owned(),
        |path| path.display(),
    )
}
