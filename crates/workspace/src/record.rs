//! Records of file changes, as stored in journals and in the history.

use std::path::Path;

use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};

use crate::draft::Cause;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::seal::Seal;

/// Maximum size of one content that the history stores, in bytes.
pub(crate) const LONGEST_CONTENT: u64 = 64 * 1024 * 1024;

/// Record of one commit: file changes that were applied together (not a Git commit).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Id of the change in the history: ten hex digits.
    pub id: String,
    /// Time of the commit, in microseconds since 1970.
    pub time: u64,
    /// The tool call and the session that made the commit; for an undo, also the change that it undoes.
    pub cause: Cause,
    /// Changes to single paths, in the order of execution.
    pub changes: Vec<Change>,
    /// Result of checking the seal (a keyed hash) of the file from which the record was read.
    #[serde(skip)]
    pub seal: Seal,
}

/// Recorded change to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Kind of change, such as created or moved.
    pub what: ChangeKind,
    pub(crate) place: RawPath,
    pub(crate) to: Option<RawPath>,
    /// State of the path before the change, or of the target path of a move; `None` if nothing was there.
    pub before: Option<Content>,
    /// State of the path after the change, or of the target path of a move; `None` if nothing is there.
    pub after: Option<Content>,
}

/// Kinds of recorded changes to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A file or link was created, or a file, link or directory was copied to the path.
    Created,
    /// The content or the permissions of a file changed.
    Written,
    /// A file, a link, a special file or an empty directory was removed.
    Deleted,
    /// A directory was removed recursively.
    DeletedTree,
    /// A directory was removed because it was empty.
    DeletedEmpty,
    /// A file, link or directory was renamed.
    Moved,
    /// A directory was created.
    MadeDirectory,
}

/// Recorded state of a path, before or after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Type of the file or directory.
    pub sort: ContentKind,
    /// Hash of a file's content; for a directory tree, hash of the stored list of its entries. `None` for other types,
    /// or if the hash is not known.
    pub hash: Option<ContentHash>,
    /// Size of a file in bytes; for a directory tree, total size of its files.
    pub bytes: u64,
    /// Permission bits; `None` if they are not known, for example because the commit left them to the system.
    pub mode: Option<u32>,
    /// Reason why the content was not stored, as the predicate of a sentence; `None` if it was stored, or did not have
    /// to be.
    pub lost: Option<String>,
    pub(crate) target: Option<RawPath>,
}

/// Types of recorded files and directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A directory with everything below it.
    Tree,
    /// A symbolic link.
    Link,
    /// Any other type, such as a socket; its content is not stored.
    Other,
}

impl Record {
    /// Returns the reason why the change cannot be undone: a former content was not stored, or the list of the entries
    /// of a copied directory, with which an undo compares the directory. `None` if everything was stored.
    #[must_use]
    pub fn lost(&self) -> Option<&str> {
        // For an undo, the hash of a file's new content is enough.
        let trees = self.changes.iter().filter_map(|change| change.after.as_ref());
        let trees = trees.filter(|after| after.sort == ContentKind::Tree);
        let before = self.changes.iter().filter_map(|change| change.before.as_ref());
        before.chain(trees).find_map(|content| content.lost.as_deref())
    }

    /// Returns whether the change affected a path, or anything below it.
    #[must_use]
    pub fn touches(&self, path: &WorkspacePath) -> bool {
        self.places().any(|place| place.starts_with(path.raw()))
    }

    /// Returns the id of the change that this change has undone; `None` if this is not an undo, or the seal
    /// of its record is not valid.
    pub(crate) fn undoes(&self) -> Option<&String> {
        self.cause.undoes.as_ref().filter(|_| self.seal == Seal::Valid)
    }

    /// Returns every path that the change affected.
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

/// A file or directory below a recorded directory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    /// Path relative to the directory; parents come before children.
    pub(crate) place: RawPath,
    pub(crate) content: Content,
}

/// Parses the stored list of the entries of a directory tree.
pub(crate) fn nodes(list: &[u8]) -> Result<Vec<Node>> {
    serde_json::from_slice(list).map_err(|_| Errno::IO)
}
