//! Commit journals, with which another process can undo or finish an interrupted commit (a set of file
//! changes).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde::{Deserialize, Serialize};

use crate::dir_entry::Fingerprint;
use crate::process_id::ProcessId;
use crate::raw_path::RawPath;
use crate::record::Record;

/// Maximum size of a journal file or of a record file in the history, in bytes.
pub(crate) const LONGEST: u64 = 256 * 1024 * 1024;

/// Plan and progress of one commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) owner: ProcessId,
    pub(crate) phase: Phase,
    /// Directories to create, parents first.
    pub(crate) made: Vec<RawPath>,
    pub(crate) steps: Vec<Step>,
    /// Permission bits of new directories and of files rewritten in place, to be set after all steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) modes: Vec<(RawPath, u32)>,
    /// Directories to remove at the end if they are empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) emptied: Vec<RawPath>,
    /// Record that goes into the history when the commit is complete; `None` if the commit is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<Record>,
}

impl Journal {
    /// Creates a journal of the same commit and phase as `of`, but without steps, directories and record.
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
    /// All steps are executed; only cleanup remains.
    Done,
}

/// A step of a commit, which changes one file or directory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    /// Absolute path of the entry that the step changes.
    pub(crate) place: RawPath,
    /// Absolute path to which a move renames the entry; `None` for other steps.
    pub(crate) to: Option<RawPath>,
    /// Temporary name of the new content, in the same directory; `None` if the step puts no new content there.
    pub(crate) temp: Option<RawPath>,
    /// Backup name of the old content, in the same directory (for a move, in the target directory); `None` if the step
    /// needs no such backup.
    pub(crate) backup: Option<RawPath>,
    /// Fingerprint of the entry at `place` before the step; `None` if nothing was there.
    pub(crate) old: Option<Fingerprint>,
    /// Fingerprint of the new content; `None` until it is staged, and for steps without new content.
    pub(crate) new: Option<Fingerprint>,
    /// Fingerprint of the file that a move replaces; `None` for a move to a free path and for other steps.
    pub(crate) over: Option<Fingerprint>,
    /// Name of the two backups in the state directory, for a file that is rewritten in place.
    pub(crate) copies: Option<String>,
}

impl Step {
    /// Returns whether all temporary names are single components with the suffix of temporary files, and the name of
    /// the backups in the state directory is a single component.
    pub(crate) fn names_are_plain(&self) -> bool {
        let mut beside = [&self.temp, &self.backup].into_iter().flatten().map(RawPath::name);
        // Recovery removes files by these names, and may remove only files that a commit has created.
        beside.all(|name| is_plain(name) && name.as_bytes().ends_with(crate::dir_entry::SUFFIX.as_bytes()))
            && self.copies.as_deref().map(OsStr::new).is_none_or(is_plain)
    }
}

/// Returns whether a file name is a single component other than `.` and `..`.
fn is_plain(name: &OsStr) -> bool {
    !matches!(name.as_bytes(), b"" | b"." | b"..") && !name.as_bytes().contains(&b'/')
}

/// Kinds of steps of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepKind {
    /// Puts a new file, link or copied directory at the path; replaces an existing file.
    Put,
    /// Rewrites the content of the file in place.
    InPlace,
    /// Removes the file, link or directory at the path.
    Remove,
    /// Removes an empty directory; fails if it is not empty.
    RemoveEmpty,
    /// Renames the file, link or directory at the path.
    Move,
}
