//! What the history knows of one change.

use std::path::Path;

use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};

use crate::draft::Cause;
use crate::hash::ContentHash;
use crate::path::WorkspacePath;
use crate::raw::Raw;

/// One commit, as the history knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// By what it is named: ten hex digits.
    pub id: String,
    /// When it was made, in microseconds since 1970.
    pub time: u64,
    /// Who made it.
    pub cause: Cause,
    /// What it did, in the order in which it was done.
    pub changes: Vec<Change>,
}

/// What happened to one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What happened.
    pub what: What,
    pub(crate) place: Raw,
    pub(crate) to: Option<Raw>,
    /// What was there before: of a move, what was at the new place.
    pub before: Option<Content>,
    /// What was there afterwards: of a move, at the new place.
    pub after: Option<Content>,
}

/// What can happen to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A file or a link was made where nothing was.
    Created,
    /// A file got another content or other permissions.
    Written,
    /// A file, a link or an empty directory was removed.
    Deleted,
    /// A directory was removed with all that was in it.
    DeletedTree,
    /// A directory was removed, if nothing was left in it.
    DeletedEmpty,
    /// It got another name.
    Moved,
    /// A directory was made.
    MadeDirectory,
}

/// What was at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// What sort of thing.
    pub sort: Sort,
    /// The hash of a file's bytes; of a directory with all that is in it, that of the list of it.
    pub hash: Option<ContentHash>,
    /// How many bytes it had, with all that was in it.
    pub bytes: u64,
    /// The permission bits; none where the system chose them.
    pub mode: Option<u32>,
    /// Why the bytes are not kept, if they are not.
    pub lost: Option<String>,
    pub(crate) target: Option<Raw>,
}

/// What sort of thing was at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A directory with all that is in it.
    Tree,
    /// A symbolic link.
    Link,
    /// Anything else, which is not kept.
    Other,
}

impl Record {
    /// Says why it cannot be taken back whatever the disk holds: bytes that were not kept.
    #[must_use]
    pub fn lost(&self) -> Option<&str> {
        self.changes.iter().filter_map(|change| change.before.as_ref()?.lost.as_deref()).next()
    }

    /// Says whether it changed a path, or anything below it.
    #[must_use]
    pub fn touches(&self, path: &WorkspacePath) -> bool {
        self.places().any(|place| place.starts_with(path.raw()))
    }

    /// Names every path that it changed.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.changes
            .iter()
            .flat_map(|change| [Some(&change.place), change.to.as_ref()])
            .flatten()
            .map(Raw::path)
    }
}

impl Change {
    pub(crate) fn new(what: What, path: &WorkspacePath) -> Self {
        Self { what, place: path.raw().into(), to: None, before: None, after: None }
    }
}

impl Content {
    pub(crate) fn new(sort: Sort) -> Self {
        Self { sort, hash: None, bytes: 0, mode: None, lost: None, target: None }
    }

    pub(crate) fn file(hash: Option<ContentHash>, bytes: u64, mode: Option<u32>) -> Self {
        Self { hash, bytes, mode, ..Self::new(Sort::File) }
    }
}

/// One thing below the directory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Node {
    /// Where it is, from the directory on; parents come before what is in them.
    pub(crate) place: Raw,
    pub(crate) content: Content,
}

/// Reads the stored list of a directory's content.
pub(crate) fn nodes(list: &[u8]) -> Result<Vec<Node>> {
    serde_json::from_slice(list).map_err(|_| Errno::IO)
}
