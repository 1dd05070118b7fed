//! Directory trees.

mod grow;

use serde::Serialize;
use toolpost_workspace::walk::{Hidden, Kind, Prune, Rules, Skipped, Unreadable};
use toolpost_workspace::{Workspace, WorkspacePath};

use crate::order::shown;
use crate::{Complete, Control, SearchError};

/// A listing.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The directory.
    pub base: WorkspacePath,
    /// The maximum depth; 1 is the directory alone.
    pub depth: usize,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// The treatment of hidden names.
    pub hidden: Hidden,
    /// The treatment of dependency directories.
    pub prune: Prune,
    /// Names of further directories that are left out and counted as dependencies.
    pub without: Vec<String>,
    /// The most entries that are returned; never more than 200 000.
    pub limit: Option<usize>,
}

/// A tree in depth-first order: each directory is followed by its entries.
///
/// Beyond the limit, every directory of a level has priority over deeper ones, and those of the first level that does
/// not fit share the remaining entries.
#[derive(Clone, Debug, Serialize)]
pub struct ListOutput {
    /// The entries.
    pub nodes: Vec<Node>,
    /// The number of entries of the directory itself that are not shown.
    pub more: u64,
    /// The total number of entries, shown or not.
    pub total: u64,
    /// The entries that rules exclude.
    pub skipped: Skipped,
    /// The unreadable paths.
    pub unreadable: Unreadable,
    /// The completeness of the result.
    pub complete: Complete,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// The path.
    #[serde(serialize_with = "shown")]
    pub path: WorkspacePath,
    /// The number of directories in between; 0 is directly in the base.
    pub depth: usize,
    /// The kind of entry; links are not followed.
    pub kind: Kind,
    /// The target of a link, escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The shown part of a directory.
    pub inside: Inside,
    /// The number of entries of a directory that are not shown.
    pub more: u64,
}

/// The shown part of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Inside {
    /// Not a directory.
    None,
    /// It was read.
    Read,
    /// Below the maximum depth, or not reached before the search ended.
    Unread,
    /// It could not be read.
    Unreadable,
    /// It holds dependencies, which are left out.
    LeftOut,
}

/// Lists a directory as a tree, names in the order of their bytes.
pub fn list(
    workspace: &Workspace,
    request: &ListRequest,
    control: &Control,
) -> Result<ListOutput, SearchError> {
    grow::grow(workspace, request, control)
}
