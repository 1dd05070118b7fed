//! Requests and results of commits (sets of file changes that are applied as a whole).

use std::ffi::OsString;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// One requested change to a file or directory. A commit applies one or more of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Path of the file or directory to change.
    pub path: WorkspacePath,
    /// Change to make at the path.
    pub action: Action,
}

/// The tool call and the session that made the commit; for an undo, also the change that it undoes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cause {
    /// Id of the tool call, as in the events of the call; empty if the commit was made outside a call.
    pub call: String,
    /// Name of the tool that was called.
    pub tool: String,
    /// Id of the client's session.
    pub session: String,
    /// Id of the change that the commit undoes; `None` if the commit is not an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
}

/// Changes that a commit can make at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Replaces the content of a file, or creates it together with missing directories.
    Write {
        /// New content of the file.
        bytes: Vec<u8>,
        /// State that the path must have before the change.
        expect: Expect,
    },
    /// Like [`Action::Write`], with permission bits; used to restore a file.
    Restore {
        /// New content of the file.
        bytes: Vec<u8>,
        /// State that the path must have before the change.
        expect: Expect,
        /// Permission bits of the restored file.
        mode: u32,
    },
    /// Like [`Action::Write`], with owner, permissions and attributes of another file; used when one change
    /// both moves and edits a file.
    WriteLike {
        /// New content of the file.
        bytes: Vec<u8>,
        /// State that the path must have before the change.
        expect: Expect,
        /// File whose owner, permissions and attributes are copied, as they were before this commit.
        like: WorkspacePath,
    },
    /// Removes a file, a link, a special file or an empty directory.
    Delete {
        /// State that the path must have before the change.
        expect: Expect,
    },
    /// Removes a directory recursively, or any other entry.
    DeleteTree,
    /// Removes a directory if it is empty after all other changes of the commit. Has no effect on files and
    /// links.
    DeleteEmpty,
    /// Creates a directory and its parents; an existing directory is not a change.
    MakeDirectory,
    /// Like [`Action::MakeDirectory`], with permission bits; used to restore a directory.
    RestoreDirectory {
        /// Permission bits of the restored directory.
        mode: u32,
    },
    /// Creates a symbolic link at a free path; used to restore a link.
    RestoreLink {
        /// Target of the restored link.
        target: OsString,
    },
    /// Copies a file, a link or a directory to a free path, and creates missing directories. A directory must
    /// be copied in a separate commit.
    Copy {
        /// Path of the file, link or directory to copy.
        from: WorkspacePath,
    },
    /// Renames a file, link or directory, and creates missing directories. If the new path is on another file system,
    /// a regular file is copied and then removed, and any other entry is refused.
    Move {
        /// New path of the file, link or directory.
        to: WorkspacePath,
        /// Policy for an existing file at the new path.
        overwrite: Overwrite,
    },
}

/// Required state of a path before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Nothing exists at the path.
    Absent,
    /// A regular file with this content is at the path.
    Hash(ContentHash),
    /// Any state in which the change is possible.
    Any,
}

/// Policy for a move onto an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// The move fails.
    Refuse,
    /// The move replaces a regular file. It fails if anything else is at the new path, or if it moves a directory.
    Replace,
}

/// Result of a commit: the changes that it made, and remarks about them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitReport {
    /// Results of the requested changes, in the order of the requests.
    pub changes: Vec<ChangeReport>,
    /// Remarks for the caller, for example about lost metadata.
    pub notes: Vec<Note>,
}

/// Result of one requested change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeReport {
    /// Path of the requested change.
    pub path: WorkspacePath,
    /// Effect of the change on the path.
    pub outcome: Outcome,
    /// Content hash before the change; `None` if no regular file was at the path.
    pub before: Option<ContentHash>,
    /// Content hash of the regular file at the path after the change, or of a moved file at its new path; `None` if
    /// there is none.
    pub after: Option<ContentHash>,
    /// Permission bits of the entry after the change; for a deleted entry, before the change. `None` if not known.
    pub mode: Option<u32>,
}

/// Effect of one requested change on its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A file or link was created, or a file, link or directory was copied to the path.
    Created,
    /// The content or the permissions of a file were changed.
    Replaced,
    /// Nothing was changed, because the requested state was present already, or because [`Action::DeleteEmpty`] could
    /// not remove the directory, which is not empty.
    NoChange,
    /// The file, link or directory was deleted.
    Deleted,
    /// A directory was created.
    MadeDirectory,
    /// The file, link or directory was renamed.
    Moved {
        /// New path of the file, link or directory.
        to: WorkspacePath,
    },
}

/// A remark about a commit or a path lock, for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file had other hard links, which keep the old content.
    LinkBroken {
        /// File that was replaced.
        path: WorkspacePath,
        /// Number of the other hard links.
        others: u64,
    },
    /// Another process appended to the file during its replacement; the added bytes are at the end of the new
    /// content.
    Appended {
        /// File that was replaced.
        path: WorkspacePath,
    },
    /// The file was rewritten in place, with a backup, because it could not be replaced by a rename.
    InPlace {
        /// File that was rewritten.
        path: WorkspacePath,
        /// Error of the failed replacement.
        fault: crate::SystemError,
    },
    /// Metadata of the file was lost when the file was changed.
    NotKept {
        /// File or directory that lost metadata.
        path: WorkspacePath,
        /// The lost metadata, such as `owner` or `permissions`.
        what: String,
    },
    /// The change is complete, but the directory of the file or of the journal could not be synced to the disk.
    NotSynced {
        /// File whose change may not survive a power loss.
        path: WorkspacePath,
        /// Error of the sync.
        fault: crate::SystemError,
    },
    /// A temporary file could not be removed.
    Leftover {
        /// Path of the temporary file, escaped.
        file: String,
    },
    /// Locks between processes are not available, so only calls of this process wait for each other.
    NoLocks {
        /// Reason why locks are not available.
        why: String,
    },
    /// There is no state directory, so nothing is cleaned up after a crash, and changes are not recorded.
    NoState,
    /// The change is complete, but could not be written to the history.
    NotRecorded {
        /// Reason why the history could not be written.
        why: String,
    },
    /// The change is complete and recorded, but its former content was not stored, so it cannot be undone.
    NoWayBack {
        /// File whose former content was not stored.
        path: WorkspacePath,
        /// Reason, as the predicate of a sentence about the file, such as `is a socket`.
        why: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkBroken { path, others } => {
                write!(
                    formatter,
                    "{path} was replaced, but its other hard links ({others}) keep the old content"
                )
            }
            Self::Appended { path } => {
                write!(
                    formatter,
                    "another process appended to {path} during the change; the appended text is now at the end of the file"
                )
            }
            Self::InPlace { path, fault } => {
                write!(formatter, "{path} was rewritten in place, because it could not be replaced ({fault})")
            }
            Self::NotKept { path, what } => write!(formatter, "the {what} of {path} could not be preserved"),
            Self::NotSynced { path, fault } => write!(
                formatter,
                "{path}: the change is complete, but may not survive a power loss ({fault})"
            ),
            Self::Leftover { file } => {
                write!(formatter, "the temporary file {file} could not be removed: delete it")
            }
            Self::NoLocks { why } => write!(
                formatter,
                "locks are not available ({why}), so other processes can change the same files at the same time"
            ),
            Self::NoState => formatter.write_str(
                "there is no state directory, so interrupted changes are not recovered, and nothing can be undone",
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
