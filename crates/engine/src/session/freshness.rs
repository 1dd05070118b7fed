//! Freshness: the part of a file that a caller must have read before it may write the file.

use std::collections::HashMap;
use toolpost_workspace::{ContentHash, WorkspacePath};

/// For each file that a call writes, the hash of the content that the caller last saw.
pub type ExpectedHashes = HashMap<WorkspacePath, ContentHash>;

/// The reads that a dialect requires before the content of an existing file is changed.
///
/// Regardless of these requirements, a file that has changed since it was seen is never overwritten as a
/// whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fresh {
    /// The requirement before a part of a file is changed.
    pub part: ReadRequirement,
    /// The requirement before a whole file is overwritten.
    pub whole: ReadRequirement,
    /// The policy for a partial change if the file was seen and has changed since.
    pub changed: StaleEditPolicy,
}

/// Content that a caller must have read before a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRequirement {
    /// The file must have been seen, unless it is empty; before it is overwritten as a whole, all of its current content.
    Seen,
    /// The content need not have been seen.
    Nothing,
}

/// The policy for a partial change if the file has changed since it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleEditPolicy {
    /// The change is made if its position in the current content is certain; the reply reports that the file
    /// has changed.
    Told,
    /// The change is refused.
    Refused,
}

impl Fresh {
    /// Every change needs an earlier read of the file, unless the file is empty. If the file has changed since the read, a
    /// partial change is made if its position is certain.
    pub const REQUIRED: Self =
        Self { part: ReadRequirement::Seen, whole: ReadRequirement::Seen, changed: StaleEditPolicy::Told };
    /// No change needs an earlier read of the file. If the file was seen and has changed since, a partial change is made
    /// if its position is certain.
    pub const NOT_ASKED: Self = Self {
        part: ReadRequirement::Nothing,
        whole: ReadRequirement::Nothing,
        changed: StaleEditPolicy::Told,
    };
}

/// Minimum number of hex digits in a content pin, which is a prefix of a content hash.
const LEAST: usize = 12;

/// A content pin: the content that a file must have before a call may write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPin {
    /// The pinned file; `None` means the only file that the call writes.
    pub(crate) path: Option<WorkspacePath>,
    /// The hash of the required content, or a prefix of the hash, in lower-case hex digits.
    pub(crate) hex: String,
}

impl ContentPin {
    /// Pins the content that a file must have before a write; `None` if `hex` is not a hash or a prefix of at least 12
    /// hex digits.
    #[must_use]
    pub fn new(path: Option<WorkspacePath>, hex: &str) -> Option<Self> {
        let hex = hex.to_ascii_lowercase();
        let whole = LEAST..=ContentHash::from_bytes([0; 32]).to_hex().len();
        let is_hash = whole.contains(&hex.len()) && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hash.then_some(Self { path, hex })
    }
}
