//! A question about a name in a file that has been read.

use super::{NavigationQuery, TargetName, files::Text};
use toolpost_workspace::WorkspacePath;

/// Maximum number of locations that an answer lists; locations beyond it are only counted.
pub(super) const PLACES: usize = 500;

/// Remark on a location that the language server did not report.
pub(super) const BY_TREE_ALONE: &str = "found by the syntax tree alone";

/// A request whose file has been read and whose name has been found.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) path: WorkspacePath,
    pub(crate) query: NavigationQuery,
    pub(crate) text: Text,
    /// The name and its byte offset in the text; `None` for a question about the whole file.
    pub(crate) name: Option<(TargetName, usize)>,
}
