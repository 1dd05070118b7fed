//! Options for opening a workspace, and errors of opening it.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::fault::SystemError;

/// Options for opening a workspace.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Allowed directories. Relative paths start from the first one; an empty list allows nothing.
    pub roots: Vec<PathBuf>,
    /// Directory for locks, journals, backups and the history. Without it, processes do not lock each other
    /// out, interrupted commits are not recovered, and changes cannot be undone.
    pub state: Option<PathBuf>,
    /// Home directory, for `~/` and for the check of [`Scope::Careful`]. Without it, `~/` fails and only `/` is
    /// refused.
    pub home: Option<PathBuf>,
    /// Events that a finished commit must survive: only a crash of the process, or also a power loss.
    pub durability: Durability,
    /// Directories that are accepted as roots.
    pub scope: Scope,
    /// Size and age limits of the history of changes.
    pub history: HistoryLimits,
}

/// Limits of the history of changes; the oldest changes are removed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Maximum total size of the history, in bytes; 0 disables the history.
    pub bytes: u64,
    /// Age at which a change is removed from the history.
    pub age: Duration,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { bytes: 512 * 1024 * 1024, age: Duration::from_secs(30 * 24 * 60 * 60) }
    }
}

/// Events that a commit survives after it has been reported as complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The commit survives a crash of the process.
    #[default]
    Kill,
    /// The commit also survives a power loss, because directories and journals are synced to the disk.
    Power,
}

/// Directories that are accepted as roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Any directory except `/` and the home directory itself.
    #[default]
    Careful,
    /// Any directory, even `/` and the home directory.
    Any,
}

/// Errors of opening a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    /// The root is `/`.
    #[error(
        "the root {root} is the whole file system: pass a project directory, or set TOOLPOST_ANY_ROOT=on"
    )]
    WholeSystem {
        /// The given root, escaped.
        root: String,
    },
    /// The root is the home directory.
    #[error(
        "the root {root} is the home directory: pass a project directory in it, or set TOOLPOST_ANY_ROOT=on"
    )]
    Home {
        /// The given root, escaped.
        root: String,
    },
    /// The root cannot be opened.
    #[error("the root {root} cannot be opened ({fault}): pass an existing directory that you may read")]
    Root {
        /// The given root, escaped.
        root: String,
        /// The operating system's error.
        fault: SystemError,
    },
    /// Another user owns the state directory, or may write to it.
    #[error(
        "the state directory {state} is not safe to use: {why}. Let only this user access it (`chown`, `chmod 700`), or use another directory"
    )]
    StateShared {
        /// The directory as given, escaped.
        state: String,
        /// The reason: another owner, or write permissions of other users.
        why: String,
    },
    /// The key that seals journals and records is damaged.
    #[error(
        "the key file {key} is damaged: restore it, or delete it (changes recorded so far can then no longer be undone)"
    )]
    Key {
        /// The key file, escaped.
        key: String,
    },
    /// The state directory cannot be created or used.
    #[error("the state directory {state} cannot be used ({fault}): use a writable directory")]
    State {
        /// The given directory, escaped.
        state: String,
        /// The operating system's error.
        fault: SystemError,
    },
}
