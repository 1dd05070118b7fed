//! A question about a name in a file that has been read.

use super::{Asked, Want, files::Text};
use toolpost_workspace::WorkspacePath;

/// Maximum number of listed positions.
pub(super) const PLACES: usize = 500;

/// Marks a position that the language server does not know.
pub(super) const BY_TREE_ALONE: &str = "found by the syntax tree alone";

/// A request whose file has been read and whose name has been found.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) path: WorkspacePath,
    pub(crate) want: Want,
    pub(crate) text: Text,
    /// The name and its byte offset in the text.
    pub(crate) name: Option<(Asked, usize)>,
}
