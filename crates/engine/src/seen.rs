//! Content of files that a call has shown to its caller.

use serde::Serialize;
use std::{ops::RangeInclusive, sync::Arc};
use toolpost_workspace::{ContentHash, WorkspacePath};

/// Content of a file that a call has shown to its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The file.
    pub path: WorkspacePath,
    /// Its content at that time; none when it is gone.
    pub hash: Option<ContentHash>,
    /// How much of it was shown.
    pub part: Part,
    /// The content itself, when it is small enough to be remembered.
    pub bytes: Option<Arc<[u8]>>,
}

/// How much of a file was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// All of it.
    Whole,
    /// These lines.
    Lines(RangeInclusive<u64>),
    /// As much as before: a part was changed, the rest is as it was.
    AsBefore,
    /// Something of it that cannot be said in lines.
    Some,
}
