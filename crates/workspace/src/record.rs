//! Records of changes, as stored in journals and in the history.

use std::path::Path;

use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};

use crate::draft::Cause;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;

/// Record of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Id: ten hex digits.
    pub id: String,
    /// Time of the commit, in microseconds since 1970.
    pub time: u64,
    /// Origin.
    pub cause: Cause,
    /// Changes in the order of execution.
    pub changes: Vec<Change>,
}

/// Change of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Kind of change.
    pub what: ChangeKind,
    pub(crate) place: RawPath,
    pub(crate) to: Option<RawPath>,
    /// State before; for a move, of the target path.
    pub before: Option<Content>,
    /// State after; for a move, of the target path.
    pub after: Option<Content>,
}

/// Kinds of recorded changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A file or link was created.
    Created,
    /// The content or the permissions of a file changed.
    Written,
    /// A file, a link or an empty directory was removed.
    Deleted,
    /// A directory was removed recursively.
    DeletedTree,
    /// A directory was removed because it was empty.
    DeletedEmpty,
    /// The entry was renamed.
    Moved,
    /// A directory was created.
    MadeDirectory,
}

/// Recorded state of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Type of the entry.
    pub sort: ContentKind,
    /// Hash of a file's content; for a directory tree, hash of its stored list.
    pub hash: Option<ContentHash>,
    /// Size in bytes; for a directory tree, total size.
    pub bytes: u64,
    /// Permission bits; `None` if the system chose them.
    pub mode: Option<u32>,
    /// Reason for not storing the content.
    pub lost: Option<String>,
    pub(crate) target: Option<RawPath>,
}

/// Types of recorded entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A directory with its content.
    Tree,
    /// A symbolic link.
    Link,
    /// Any other type; its content is not stored.
    Other,
}

impl Record {
    /// Returns the reason why the change cannot be undone, if some content was not stored.
    #[must_use]
    pub fn lost(&self) -> Option<&str> {
        self.changes.iter().filter_map(|change| change.before.as_ref()?.lost.as_deref()).next()
    }

    /// Returns whether the change affected a path, or anything below it.
    #[must_use]
    pub fn touches(&self, path: &WorkspacePath) -> bool {
        self.places().any(|place| place.starts_with(path.raw()))
    }

    /// Returns every affected path.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.changes
            .iter()
            .flat_map(|change| [Some(&change.place), change.to.as_ref()])
            .flatten()
            .map(RawPath::path)
    }
}

impl Change {
    pub(crate) fn new(what: ChangeKind, path: &WorkspacePath) -> Self {
        Self { what, place: path.raw().into(), to: None, before: None, after: None }
    }
}

impl Content {
    pub(crate) fn new(sort: ContentKind) -> Self {
        Self { sort, hash: None, bytes: 0, mode: None, lost: None, target: None }
    }

    pub(crate) fn file(hash: Option<ContentHash>, bytes: u64, mode: Option<u32>) -> Self {
        Self { hash, bytes, mode, ..Self::new(ContentKind::File) }
    }
}

/// An entry below a recorded directory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    /// Path relative to the directory; parents come before children.
    pub(crate) place: RawPath,
    pub(crate) content: Content,
}

/// Parses the stored list of a directory tree.
pub(crate) fn nodes(list: &[u8]) -> Result<Vec<Node>> {
    serde_json::from_slice(list).map_err(|_| Errno::IO)
}
