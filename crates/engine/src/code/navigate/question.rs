//! A question about a name in a file that has been read.

use super::{Asked, Want, files::Text};
use toolpost_workspace::WorkspacePath;

/// The most places that are listed.
pub(super) const PLACES: usize = 500;

/// Marks a place that the language server does not know.
pub(super) const BY_TREE_ALONE: &str = "found by the syntax tree alone";

/// A request whose file has been read and whose name has been found.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) path: WorkspacePath,
    pub(crate) want: Want,
    pub(crate) text: Text,
    /// The name, and the byte of the text at which it begins.
    pub(crate) name: Option<(Asked, usize)>,
}
