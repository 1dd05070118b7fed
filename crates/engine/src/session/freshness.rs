//! Freshness: what a caller must have seen of a file before it writes it.

use std::collections::HashMap;
use toolpost_workspace::{ContentHash, WorkspacePath};

/// The content that the caller has last seen of each file that it writes.
pub type Expected = HashMap<WorkspacePath, ContentHash>;

/// What a writer must have seen of a file that exists.
///
/// Whatever it says: a file that was seen and has changed since is never written over as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fresh {
    /// Before a part of it is changed.
    pub part: Need,
    /// Before all of it is written over.
    pub whole: Need,
    /// What happens to the change of a part when the file was seen and has changed since.
    pub changed: Changed,
}

/// Whether something must have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Its present content must have been.
    Seen,
    /// It need not.
    Nothing,
}

/// What happens to the change of a part of a file that is not what it was when it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It is made where its place is certain in the present content, and the reply says so.
    Told,
    /// It is refused.
    Refused,
}

impl Fresh {
    /// Every write needs a read; the change of a part goes on where its place is certain.
    pub const REQUIRED: Self = Self { part: Need::Seen, whole: Need::Seen, changed: Changed::Told };
    /// No write needs a read.
    pub const NOT_ASKED: Self = Self { part: Need::Nothing, whole: Need::Nothing, changed: Changed::Told };
}

/// How many hex digits of a hash are needed at least.
const LEAST: usize = 12;

/// The content that a file must have before a call may write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// The file; without one, the only file that the call writes.
    pub(crate) path: Option<WorkspacePath>,
    /// The hash of the content, in lower-case hex digits, or its beginning.
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
