//! Freshness: the content that a caller must have seen of a file before it writes the file.

use std::collections::HashMap;
use toolpost_workspace::{ContentHash, WorkspacePath};

/// The content that the caller has last seen of each file that it writes.
pub type Expected = HashMap<WorkspacePath, ContentHash>;

/// The reads that a dialect requires before a write to an existing file.
///
/// In any case, a file that was seen and has changed since is never overwritten as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fresh {
    /// Required before a change of a part.
    pub part: Need,
    /// Required before an overwrite of the whole file.
    pub whole: Need,
    /// The treatment of a partial change if the file was seen and has changed since.
    pub changed: Changed,
}

/// A read requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The current content must have been seen.
    Seen,
    /// Nothing must have been seen.
    Nothing,
}

/// The treatment of a partial change if the file has changed since it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// The change is made if its position in the current content is certain, and the reply reports it.
    Told,
    /// The change is refused.
    Refused,
}

impl Fresh {
    /// Every write needs a read; a partial change is made if its position is certain.
    pub const REQUIRED: Self = Self { part: Need::Seen, whole: Need::Seen, changed: Changed::Told };
    /// No write needs a read.
    pub const NOT_ASKED: Self = Self { part: Need::Nothing, whole: Need::Nothing, changed: Changed::Told };
}

/// Minimum number of hex digits of a hash.
const LEAST: usize = 12;

/// The content that a file must have before a call may write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// The file; without one, the only file that the call writes.
    pub(crate) path: Option<WorkspacePath>,
    /// The hash of the content or a prefix of it, in lower-case hex digits.
    pub(crate) hex: String,
}

impl Pinned {
    /// Pins the content of a file; `None` if `hex` is not a hash.
    #[must_use]
    pub fn new(path: Option<WorkspacePath>, hex: &str) -> Option<Self> {
        let hex = hex.to_ascii_lowercase();
        let whole = LEAST..=ContentHash::from_bytes([0; 32]).to_hex().len();
        let is_hash = whole.contains(&hex.len()) && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hash.then_some(Self { path, hex })
    }
}
