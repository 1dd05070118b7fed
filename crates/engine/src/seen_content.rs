//! Content of files that a call has shown to its caller.

use serde::Serialize;
use std::{ops::RangeInclusive, sync::Arc};
use toolpost_workspace::{ContentHash, WorkspacePath};

/// Content of a file that a call has shown to its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenContent {
    /// The file whose content was shown.
    pub path: WorkspacePath,
    /// The hash of the shown content; `None` if the content is unknown or the file no longer exists.
    pub hash: Option<ContentHash>,
    /// The part of the file that was shown.
    pub part: SeenRange,
    /// The content itself, if it is small enough for the session to store.
    pub bytes: Option<Arc<[u8]>>,
}

/// The part of a file that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenRange {
    /// The whole file.
    Whole,
    /// A range of lines, counted from 1.
    Lines(RangeInclusive<u64>),
    /// The same part that the caller had seen before the call. The call changed some lines, which its caller
    /// knows, and left the rest unchanged.
    AsBefore,
    /// A part that line numbers cannot describe.
    Some,
}
