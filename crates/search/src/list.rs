//! What lies in a directory, as a tree.

mod grow;

use serde::Serialize;
use toolpost_workspace::walk::{Hidden, Kind, Prune, Rules, Skipped, Unreadable};
use toolpost_workspace::{Workspace, WorkspacePath};

use crate::order::shown;
use crate::{Complete, Control, SearchError};

/// What to list.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The directory.
    pub base: WorkspacePath,
    /// How many levels; 1 is the directory alone.
    pub depth: usize,
    /// Whose ignore rules count.
    pub rules: Rules,
    /// What happens to hidden names.
    pub hidden: Hidden,
    /// What happens to dependency directories.
    pub prune: Prune,
    /// Names of further directories that are left out and counted as dependencies.
    pub without: Vec<String>,
    /// The most entries that are returned; never more than 200 000.
    pub limit: Option<usize>,
}

/// A tree, written down from the top: each directory is followed by what lies in it.
///
/// When there is more than the limit, every directory of a level comes before deeper ones, and those of the level that
/// does not fit share what is left.
#[derive(Clone, Debug, Serialize)]
pub struct ListOutput {
    /// The entries.
    pub nodes: Vec<Node>,
    /// How many entries the directory itself has that are not shown.
    pub more: u64,
    /// How many entries were seen, shown or not.
    pub total: u64,
    /// What rules left out.
    pub skipped: Skipped,
    /// What could not be read.
    pub unreadable: Unreadable,
    /// Whether everything was seen.
    pub complete: Complete,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Where it is.
    #[serde(serialize_with = "shown")]
    pub path: WorkspacePath,
    /// How many directories lie between; 0 is directly in the base.
    pub depth: usize,
    /// What it is; links are not followed.
    pub kind: Kind,
    /// What a link says, escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How much of a directory is shown.
    pub inside: Inside,
    /// How many entries of a directory are not shown.
    pub more: u64,
}

/// How much of a directory is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Inside {
    /// It is no directory.
    None,
    /// It was read.
    Read,
    /// It lies too deep, or the search ended before it.
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
