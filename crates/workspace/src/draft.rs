//! What is to change, and what has changed.

use std::ffi::OsString;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// One change that a commit shall make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What it changes.
    pub path: WorkspacePath,
    /// How.
    pub action: Action,
}

/// Who makes a commit, for the history.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cause {
    /// The call, as it is known in events; empty where nobody called.
    pub call: String,
    /// The name that was called.
    pub tool: String,
    /// The client's session.
    pub session: String,
    /// The change of the history that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
}

/// How a path shall change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Puts bytes in place of what the file holds, or makes it; missing directories are made.
    Write {
        /// All that the file shall hold.
        bytes: Vec<u8>,
        /// What must be there now.
        expect: Expect,
    },
    /// Like [`Action::Write`], with permission bits: for bringing a file back.
    Restore {
        /// All that the file shall hold.
        bytes: Vec<u8>,
        /// What must be there now.
        expect: Expect,
        /// The permission bits that it shall have.
        mode: u32,
    },
    /// Like [`Action::Write`], with owner, permissions and attributes of another file: for content that goes elsewhere.
    WriteLike {
        /// All that the file shall hold.
        bytes: Vec<u8>,
        /// What must be there now.
        expect: Expect,
        /// The other file, as it is before this commit.
        like: WorkspacePath,
    },
    /// Removes a file, a link or an empty directory.
    Delete {
        /// What must be there now.
        expect: Expect,
    },
    /// Removes a directory with all that is in it, or a file.
    DeleteTree,
    /// Removes a directory when all else is done, if nothing is left in it; what is no directory stays.
    DeleteEmpty,
    /// Makes a directory and its parents; one that is there already is no change.
    MakeDirectory,
    /// Like [`Action::MakeDirectory`], with permission bits: for bringing a directory back.
    RestoreDirectory {
        /// The permission bits that it shall have.
        mode: u32,
    },
    /// Makes a symbolic link where nothing is: for bringing one back.
    RestoreLink {
        /// What the link says.
        target: OsString,
    },
    /// Makes a copy of a file, a link or a directory with all that is in it where nothing is; missing directories are
    /// made. A copy of a directory is a commit of its own.
    Copy {
        /// What is copied; it stays as it is.
        from: WorkspacePath,
    },
    /// Gives a file, link or directory another name; missing directories are made.
    Move {
        /// The new place.
        to: WorkspacePath,
        /// Whether a file that is there may go.
        overwrite: Overwrite,
    },
}

/// What must be on the disk for a change to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Nothing.
    Absent,
    /// A file with this content.
    Hash(ContentHash),
    /// Whatever there is.
    Any,
}

/// Whether a move may take the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It may not.
    Refuse,
    /// It may; a directory never gives way.
    Replace,
}

/// What a commit has done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Committed {
    /// One for each draft, in the order of the drafts.
    pub changes: Vec<Changed>,
    /// What the caller should be told.
    pub notes: Vec<Note>,
}

/// What one draft has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// What it changed.
    pub path: WorkspacePath,
    /// How.
    pub outcome: Outcome,
    /// The content before, for files.
    pub before: Option<ContentHash>,
    /// The content now, for files.
    pub after: Option<ContentHash>,
    /// The permission bits now; for something deleted, those that it had.
    pub mode: Option<u32>,
}

/// What became of one draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A file was made.
    Created,
    /// A file has new content.
    Replaced,
    /// Everything was as wanted already; nothing was touched.
    NoChange,
    /// It is gone.
    Deleted,
    /// A directory was made.
    MadeDirectory,
    /// It has another name.
    Moved {
        /// The new place.
        to: WorkspacePath,
    },
}

/// Something about a commit or a hold that the caller should be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file had further names, which keep the old content.
    LinkBroken {
        /// The file.
        path: WorkspacePath,
        /// How many further names there are.
        others: u64,
    },
    /// Another process appended to the file while it was replaced; the addition is at the end of the new content.
    Appended {
        /// The file.
        path: WorkspacePath,
    },
    /// The file could not be replaced by a rename, so it was rewritten in place, with a backup until it was done.
    InPlace {
        /// The file.
        path: WorkspacePath,
        /// What the system said to the rename.
        fault: crate::Fault,
    },
    /// Something of the file besides its content could not be kept.
    NotKept {
        /// The file.
        path: WorkspacePath,
        /// What was lost: `owner`, `group`, or the name of an attribute.
        what: String,
    },
    /// The change is made, but the disk did not confirm its name.
    NotSynced {
        /// The file.
        path: WorkspacePath,
        /// What the system said.
        fault: crate::Fault,
    },
    /// A file that was needed on the way could not be removed.
    Leftover {
        /// Where it lies, escaped.
        file: String,
    },
    /// Locks against other processes are not to be had, so only this process is kept waiting.
    NoLocks {
        /// Why.
        why: String,
    },
    /// There is no state directory, so a killed process could not be cleaned up after, and nothing is recorded.
    NoState,
    /// The change is made, but the history does not know of it.
    NotRecorded {
        /// Why.
        why: String,
    },
    /// The change is made and recorded, but without the bytes that it would take to undo it.
    NoWayBack {
        /// Whose bytes.
        path: WorkspacePath,
        /// Why they are not kept.
        why: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkBroken { path, others } => {
                write!(formatter, "{path} had {others} other hard link(s): they keep the old content")
            }
            Self::Appended { path } => {
                write!(formatter, "another process appended to {path} meanwhile; its text is kept at the end")
            }
            Self::InPlace { path, fault } => {
                write!(formatter, "{path} was rewritten in place, because it cannot be replaced ({fault})")
            }
            Self::NotKept { path, what } => write!(formatter, "{path}: its {what} could not be kept"),
            Self::NotSynced { path, fault } => write!(
                formatter,
                "{path}: the change is made, but may not survive the loss of power ({fault})"
            ),
            Self::Leftover { file } => write!(formatter, "{file} could not be removed: delete it by hand"),
            Self::NoLocks { why } => write!(formatter, "other processes are not locked out ({why})"),
            Self::NoState => formatter.write_str(
                "no state directory: a killed process is not cleaned up after, and nothing can be undone",
            ),
            Self::NotRecorded { why } => {
                write!(formatter, "this change cannot be undone: the history could not be written ({why})")
            }
            Self::NoWayBack { path, why } => {
                write!(
                    formatter,
                    "this change cannot be undone: {path} {why}, and its former content was not kept"
                )
            }
        }
    }
}
