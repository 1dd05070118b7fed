//! Content of files that a call has shown to its caller.

use serde::Serialize;
use std::{ops::RangeInclusive, sync::Arc};
use toolpost_workspace::{ContentHash, WorkspacePath};

/// Content of a file that a call has shown to its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The file.
    pub path: WorkspacePath,
    /// Its content at that time; `None` if it was deleted.
    pub hash: Option<ContentHash>,
    /// The part that was shown.
    pub part: Part,
    /// The content itself, if it is small enough to be remembered.
    pub bytes: Option<Arc<[u8]>>,
}

/// The part of a file that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The whole file.
    Whole,
    /// These lines.
    Lines(RangeInclusive<u64>),
    /// The same part as before: a part was changed, and the rest is unchanged.
    AsBefore,
    /// A part that line numbers cannot describe.
    Some,
}
