//! Requests and results of commits.

use std::ffi::OsString;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// One requested change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Path to change.
    pub path: WorkspacePath,
    /// Kind of change.
    pub action: Action,
}

/// Origin of a commit, for the history.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cause {
    /// Id of the call, as in events; empty outside of a call.
    pub call: String,
    /// Name of the tool.
    pub tool: String,
    /// Id of the client's session.
    pub session: String,
    /// Id of the change that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
}

/// Kinds of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Replaces the content of a file, or creates it together with missing directories.
    Write {
        /// New content.
        bytes: Vec<u8>,
        /// Required current state.
        expect: Expect,
    },
    /// Like [`Action::Write`], with permission bits; used to restore a file.
    Restore {
        /// New content.
        bytes: Vec<u8>,
        /// Required current state.
        expect: Expect,
        /// Permission bits.
        mode: u32,
    },
    /// Like [`Action::Write`], with owner, permissions and attributes of another file; used when content
    /// moves.
    WriteLike {
        /// New content.
        bytes: Vec<u8>,
        /// Required current state.
        expect: Expect,
        /// The other file, in its state before this commit.
        like: WorkspacePath,
    },
    /// Removes a file, a link or an empty directory.
    Delete {
        /// Required current state.
        expect: Expect,
    },
    /// Removes a directory recursively, or a file.
    DeleteTree,
    /// Removes a directory after all other changes if it is empty then. Has no effect on anything else.
    DeleteEmpty,
    /// Creates a directory and its parents; an existing directory is not a change.
    MakeDirectory,
    /// Like [`Action::MakeDirectory`], with permission bits; used to restore a directory.
    RestoreDirectory {
        /// Permission bits.
        mode: u32,
    },
    /// Creates a symbolic link at a free path; used to restore one.
    RestoreLink {
        /// Target of the link.
        target: OsString,
    },
    /// Copies a file, a link or a directory to a free path, and creates missing directories. A directory must
    /// be copied in a commit of its own.
    Copy {
        /// Path of the original.
        from: WorkspacePath,
    },
    /// Renames a file, link or directory, and creates missing directories.
    Move {
        /// New path.
        to: WorkspacePath,
        /// Policy for an existing file at the new path.
        overwrite: Overwrite,
    },
}

/// Required state of a path before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Nothing exists there.
    Absent,
    /// A file with this content.
    Hash(ContentHash),
    /// Any state.
    Any,
}

/// Policy for a move onto an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Fail.
    Refuse,
    /// Replace the file; a directory is never replaced.
    Replace,
}

/// Result of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitReport {
    /// One entry per draft, in the same order.
    pub changes: Vec<ChangeReport>,
    /// Remarks for the caller.
    pub notes: Vec<Note>,
}

/// Result of one draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeReport {
    /// Path that was changed.
    pub path: WorkspacePath,
    /// Kind of result.
    pub outcome: Outcome,
    /// Hash before the change, for files.
    pub before: Option<ContentHash>,
    /// Hash after the change, for files.
    pub after: Option<ContentHash>,
    /// Permission bits after the change; for a deleted entry, those before it.
    pub mode: Option<u32>,
}

/// Kinds of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A file or link was created.
    Created,
    /// The content was replaced.
    Replaced,
    /// The requested state was present already; nothing was changed.
    NoChange,
    /// The entry was deleted.
    Deleted,
    /// A directory was created.
    MadeDirectory,
    /// The entry was renamed.
    Moved {
        /// New path.
        to: WorkspacePath,
    },
}

/// A remark about a commit or a hold, for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file had other hard links, which keep the old content.
    LinkBroken {
        /// The file.
        path: WorkspacePath,
        /// Number of other hard links.
        others: u64,
    },
    /// Another process appended to the file during its replacement; the addition is at the end of the new
    /// content.
    Appended {
        /// The file.
        path: WorkspacePath,
    },
    /// The file was rewritten in place, with a backup, because it could not be replaced by a rename.
    InPlace {
        /// The file.
        path: WorkspacePath,
        /// Error of the rename.
        fault: crate::Fault,
    },
    /// Metadata of the file was lost.
    NotKept {
        /// The file.
        path: WorkspacePath,
        /// Lost metadata: `owner`, `group`, or the name of an attribute.
        what: String,
    },
    /// The change is complete, but its directory could not be synced.
    NotSynced {
        /// The file.
        path: WorkspacePath,
        /// Error of the sync.
        fault: crate::Fault,
    },
    /// A temporary file could not be removed.
    Leftover {
        /// Its path, escaped.
        file: String,
    },
    /// Locks against other processes are not available, so only calls of this process wait for each other.
    NoLocks {
        /// Reason.
        why: String,
    },
    /// There is no state directory: after a crash nothing is cleaned up, and changes are not recorded.
    NoState,
    /// The change is complete, but not in the history.
    NotRecorded {
        /// Reason.
        why: String,
    },
    /// The change is complete and recorded, but its former content was not stored, so it cannot be undone.
    NoWayBack {
        /// File without stored content.
        path: WorkspacePath,
        /// Reason.
        why: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkBroken { path, others } => {
                write!(formatter, "{path} had {others} other hard link(s), which keep the old content")
            }
            Self::Appended { path } => {
                write!(
                    formatter,
                    "another process appended to {path} meanwhile; its text was kept at the end"
                )
            }
            Self::InPlace { path, fault } => {
                write!(formatter, "{path} was rewritten in place, because it could not be replaced ({fault})")
            }
            Self::NotKept { path, what } => write!(formatter, "{path}: its {what} could not be kept"),
            Self::NotSynced { path, fault } => write!(
                formatter,
                "{path}: the change is complete, but may not survive a power loss ({fault})"
            ),
            Self::Leftover { file } => write!(formatter, "{file} could not be removed: delete it"),
            Self::NoLocks { why } => write!(formatter, "other processes are not locked out ({why})"),
            Self::NoState => formatter.write_str(
                "no state directory: interrupted changes are not recovered, and nothing can be undone",
            ),
            Self::NotRecorded { why } => {
                write!(formatter, "this change cannot be undone: the history could not be written ({why})")
            }
            Self::NoWayBack { path, why } => {
                write!(
                    formatter,
                    "this change cannot be undone: {path} {why}, so its former content was not stored"
                )
            }
        }
    }
}
