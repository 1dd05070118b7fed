//! What a commit is about to do, written down so that another process could undo it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde::{Deserialize, Serialize};

use crate::mark::Mark;
use crate::owner::Owner;
use crate::raw::Raw;
use crate::record::Record;

/// The plan of one commit and how far it has come.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) owner: Owner,
    pub(crate) phase: Phase,
    /// Directories that the commit makes, parents first.
    pub(crate) made: Vec<Raw>,
    pub(crate) steps: Vec<Step>,
    /// The permission bits of directories that are made, to be set when all is in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) modes: Vec<(Raw, u32)>,
    /// Directories to remove at the end, if they are empty then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) emptied: Vec<Raw>,
    /// What the history will say, if the commit comes to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<Record>,
}

impl Journal {
    /// Makes a journal of the same commit with nothing in it yet.
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

/// How far a commit has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Temporary files are being written; no file has changed, or the only one has changed in one stroke.
    Staging,
    /// Files are being exchanged: what happened has to be undone.
    Swapping,
    /// All files have changed: only leftovers have to go.
    Done,
}

/// One change of one name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    /// The absolute path that changes.
    pub(crate) place: Raw,
    /// Where it moves.
    pub(crate) to: Option<Raw>,
    /// The name, beside the place, of the file with the new content.
    pub(crate) temp: Option<Raw>,
    /// The name, beside the place (of a move: beside the new place), that keeps what was there.
    pub(crate) backup: Option<Raw>,
    /// What was at the place.
    pub(crate) old: Option<Mark>,
    /// What is put there.
    pub(crate) new: Option<Mark>,
    /// What a move puts an end to.
    pub(crate) over: Option<Mark>,
    /// The name of the copies in the state directory, for a file that is rewritten in place.
    pub(crate) copies: Option<String>,
}

impl Step {
    /// Says whether the names beside the place are temporary ones, and that of the copies leads nowhere else.
    pub(crate) fn names_are_plain(&self) -> bool {
        let mut beside = [&self.temp, &self.backup].into_iter().flatten().map(Raw::name);
        // What is removed behind a commit is only ever its own.
        beside.all(|name| is_plain(name) && name.as_bytes().ends_with(crate::spot::SUFFIX.as_bytes()))
            && self.copies.as_deref().map(OsStr::new).is_none_or(is_plain)
    }
}

/// Says whether a name is one component, and neither `.` nor `..`.
fn is_plain(name: &OsStr) -> bool {
    !matches!(name.as_bytes(), b"" | b"." | b"..") && !name.as_bytes().contains(&b'/')
}

/// How a name changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StepKind {
    /// A file takes the place, of another or of nothing.
    Put,
    /// The file stays and its bytes are rewritten.
    InPlace,
    /// What is there goes.
    Remove,
    /// An empty directory goes; one that is not empty any more stays.
    RemoveEmpty,
    /// What is there gets another name.
    Move,
}
