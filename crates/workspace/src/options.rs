//! Options of a workspace.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::fault::Fault;

/// Options of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Allowed directories. Relative paths start from the first one; an empty list allows nothing.
    pub roots: Vec<PathBuf>,
    /// Directory for locks, journals, backups and the history. Without it, processes do not lock each other
    /// out, interrupted commits are not recovered, and changes cannot be undone.
    pub state: Option<PathBuf>,
    /// Home directory, for `~/` and for the check of [`Scope::Careful`].
    pub home: Option<PathBuf>,
    /// Durability of a finished commit.
    pub durability: Durability,
    /// Permitted roots.
    pub scope: Scope,
    /// Limits of the history.
    pub history: HistoryLimits,
}

/// Limits of the history; the oldest changes are dropped first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Total size in bytes; 0 disables the history.
    pub bytes: u64,
    /// Maximum age of a change.
    pub age: Duration,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { bytes: 512 * 1024 * 1024, age: Duration::from_secs(30 * 24 * 60 * 60) }
    }
}

/// Durability of a commit after it has been reported as complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Survives a crash of the process.
    #[default]
    Kill,
    /// Survives a power loss: directories and journals are synced too.
    Power,
}

/// Permitted roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Any directory except `/` and the home directory itself.
    #[default]
    Careful,
    /// Any directory.
    Any,
}

/// Errors of opening a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    /// The root is `/`.
    #[error(
        "the root {root} is the whole file system: name a project directory, or set TOOLPOST_ANY_ROOT=on"
    )]
    WholeSystem {
        /// The given root, escaped.
        root: String,
    },
    /// The root is the home directory.
    #[error(
        "the root {root} is the home directory: name a project directory in it, or set TOOLPOST_ANY_ROOT=on"
    )]
    Home {
        /// The given root, escaped.
        root: String,
    },
    /// The root cannot be opened.
    #[error("the root {root} cannot be opened ({fault}): name a directory that exists and may be read")]
    Root {
        /// The given root, escaped.
        root: String,
        /// The operating system's error.
        fault: Fault,
    },
    /// Another user owns the state directory, or may write to it.
    #[error(
        "the state directory {state} is not used: {why}. Make it this user's alone (`chown`, `chmod 700`), or name another"
    )]
    StateShared {
        /// The directory as given, escaped.
        state: String,
        /// The rights of other users to it.
        why: String,
    },
    /// The state directory cannot be created or used.
    #[error("the state directory {state} cannot be used ({fault}): name one that may be written")]
    State {
        /// The given directory, escaped.
        state: String,
        /// The operating system's error.
        fault: Fault,
    },
}
