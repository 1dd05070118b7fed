//! Listing of a directory as a tree.

mod grow;

use toolpost_workspace::walk::{HiddenFiles, Kind, Prune, Rules, SkippedEntries, Unreadable};
use toolpost_workspace::{Workspace, WorkspacePath};

use crate::{Complete, Control, SearchError};

/// A request to list a directory tree.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The directory to list.
    pub base: WorkspacePath,
    /// The maximum depth; 1 lists only the entries directly in the directory.
    pub depth: usize,
    /// The ignore rules to apply.
    pub rules: Rules,
    /// The policy for files and directories whose names begin with a dot.
    pub hidden: HiddenFiles,
    /// The policy for directories with dependencies, such as `node_modules`.
    pub prune: Prune,
    /// Names of further directories to leave out; they are counted like the directories of dependencies.
    pub without: Vec<String>,
    /// The maximum number of entries to return; at most, and by default, 200,000.
    pub limit: Option<usize>,
}

impl ListRequest {
    /// Creates a request for at most 1,000 entries of the directory itself, without hidden entries, entries that git
    /// ignores, and directories of dependencies.
    pub fn of(base: WorkspacePath) -> Self {
        Self {
            base,
            depth: 1,
            rules: Rules::Git,
            hidden: HiddenFiles::Skip,
            prune: Prune::Dependencies,
            without: Vec::new(),
            limit: Some(1_000),
        }
    }
}

/// A listing in depth-first order: each directory is followed by its entries.
///
/// If not all entries fit within the limit, upper levels have priority over deeper ones. The directories of the first
/// level that does not fit share the rest of the limit.
#[derive(Clone, Debug)]
pub struct ListOutput {
    /// The entries that fit within the limit.
    pub nodes: Vec<Node>,
    /// The number of direct entries of the listed directory that are not shown.
    pub more: u64,
    /// The total number of entries that were read, whether they are in `nodes` or not.
    pub total: u64,
    /// The files and directories that ignore rules exclude.
    pub skipped: SkippedEntries,
    /// The files and directories that could not be read.
    pub unreadable: Unreadable,
    /// The completeness of the listing: it ran to its end, timed out, or was cancelled.
    pub complete: Complete,
}

/// A file or directory of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The path of the entry.
    pub path: WorkspacePath,
    /// The number of directories between the listed directory and the entry; 0 is directly in it.
    pub depth: usize,
    /// The kind of entry; links are not followed.
    pub kind: Kind,
    /// The target of the entry if it is a symlink, with control characters escaped.
    pub target: Option<String>,
    /// The read status if the entry is a directory; [`ReadStatus::None`] for other entries.
    pub inside: ReadStatus,
    /// If the entry is a directory, the number of its entries that are not in the listing.
    pub more: u64,
}

/// The read status of a directory in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStatus {
    /// The entry is not a directory.
    None,
    /// The directory was read.
    Read,
    /// The directory is at the maximum depth, or the listing was stopped before the directory was read.
    Unread,
    /// The directory could not be read.
    Unreadable,
    /// The directory contains dependencies, which are left out.
    LeftOut,
}

/// Lists a directory as a tree; the names of each directory are in byte order.
pub fn list(
    workspace: &Workspace,
    request: &ListRequest,
    control: &Control,
) -> Result<ListOutput, SearchError> {
    grow::grow(workspace, request, control)
}
