//! Commit journals, which let another process undo or finish an interrupted commit.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::process_id::ProcessId;
use crate::raw_path::RawPath;
use crate::record::Record;

/// Plan and progress of one commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) owner: ProcessId,
    pub(crate) phase: Phase,
    /// Directories to create, parents first.
    pub(crate) made: Vec<RawPath>,
    pub(crate) steps: Vec<Step>,
    /// Permission bits of new directories, to be set after they are filled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) modes: Vec<(RawPath, u32)>,
    /// Directories to remove at the end if they are empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) emptied: Vec<RawPath>,
    /// Record for the history, to be kept if the commit completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<Record>,
}

impl Journal {
    /// Creates an empty journal of the same commit.
    pub(crate) fn empty(of: &Self) -> Self {
        Self {
            owner: of.owner.clone(),
            phase: of.phase,
            made: Vec::new(),
            steps: Vec::new(),
            modes: Vec::new(),
            emptied: Vec::new(),
            record: None,
        }
    }
}

/// Progress of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Temporary files are being written. No file has changed yet, except for a commit of a single atomic
    /// step.
    Staging,
    /// Files are being replaced; an interrupted commit must be reverted.
    Swapping,
    /// All files are replaced; only cleanup remains.
    Done,
}

/// A change of one name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    /// Absolute path that changes.
    pub(crate) place: RawPath,
    /// Target of a move.
    pub(crate) to: Option<RawPath>,
    /// Temporary name of the new content, in the same directory.
    pub(crate) temp: Option<RawPath>,
    /// Backup name of the old content, in the same directory (of a move: in the target directory).
    pub(crate) backup: Option<RawPath>,
    /// State before the step.
    pub(crate) old: Option<Fingerprint>,
    /// State after the step.
    pub(crate) new: Option<Fingerprint>,
    /// File that a move replaces.
    pub(crate) over: Option<Fingerprint>,
    /// Name of the backups in the state directory, for a file that is rewritten in place.
    pub(crate) copies: Option<String>,
}

impl Step {
    /// Returns whether all temporary names are plain names with our suffix, and the backups' name is plain.
    pub(crate) fn names_are_plain(&self) -> bool {
        let mut beside = [&self.temp, &self.backup].into_iter().flatten().map(RawPath::name);
        // Recovery may remove only files that a commit has created.
        beside.all(|name| is_plain(name) && name.as_bytes().ends_with(crate::dir_entry::SUFFIX.as_bytes()))
            && self.copies.as_deref().map(OsStr::new).is_none_or(is_plain)
    }
}

/// Returns whether a name is a single component other than `.` and `..`.
fn is_plain(name: &OsStr) -> bool {
    !matches!(name.as_bytes(), b"" | b"." | b"..") && !name.as_bytes().contains(&b'/')
}

/// Kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepKind {
    /// Puts a file at the path, over another one or at a free path.
    Put,
    /// Rewrites the content of the file in place.
    InPlace,
    /// Removes the entry.
    Remove,
    /// Removes an empty directory; fails if it is not empty.
    RemoveEmpty,
    /// Renames the entry.
    Move,
}
