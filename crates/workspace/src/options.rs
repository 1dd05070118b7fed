//! With what a workspace is opened.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::fault::Fault;

/// What a workspace is opened with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The directories that are allowed, the first being the one relative paths start from; none allows nothing.
    pub roots: Vec<PathBuf>,
    /// Where locks, journals, backups and the history are kept; without one, other processes are not waited for, a killed
    /// process cannot be cleaned up after, and no change can be taken back.
    pub state: Option<PathBuf>,
    /// The home directory, for `~/` and for the check of [`Scope::Careful`].
    pub home: Option<PathBuf>,
    /// What a finished commit survives.
    pub durability: Durability,
    /// Which directories may be roots.
    pub scope: Scope,
    /// How much is remembered of what was changed.
    pub history: HistoryLimits,
}

/// How much the history keeps; what is oldest goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// How many bytes all of it may have; 0 keeps nothing.
    pub bytes: u64,
    /// How old a change may become.
    pub age: Duration,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { bytes: 512 * 1024 * 1024, age: Duration::from_secs(30 * 24 * 60 * 60) }
    }
}

/// What a commit survives once it has been reported as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// The death of the process.
    #[default]
    Kill,
    /// The loss of power: directories and journals are synced too.
    Power,
}

/// Which directories may be roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Any but `/` and the home directory itself.
    #[default]
    Careful,
    /// Any.
    Any,
}

/// Why a workspace could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenError {
    /// The root is `/`.
    #[error(
        "the root {root} is the whole file system: name a project directory, or allow any root explicitly"
    )]
    WholeSystem {
        /// The root as given, escaped.
        root: String,
    },
    /// The root is the home directory.
    #[error(
        "the root {root} is the home directory: name a project directory in it, or allow any root explicitly"
    )]
    Home {
        /// The root as given, escaped.
        root: String,
    },
    /// The root cannot be opened.
    #[error("the root {root} cannot be opened ({fault}): name a directory that exists and may be read")]
    Root {
        /// The root as given, escaped.
        root: String,
        /// What the system said.
        fault: Fault,
    },
    /// Another user owns the state directory, or may write to it.
    #[error(
        "the state directory {state} is not used: {why}. Make it this user's alone (`chown`, `chmod 700`), or name another"
    )]
    StateShared {
        /// The directory as given, escaped.
        state: String,
        /// Who else has rights to it.
        why: String,
    },
    /// The state directory cannot be made or used.
    #[error("the state directory {state} cannot be used ({fault}): name one that may be written")]
    State {
        /// The directory as given, escaped.
        state: String,
        /// What the system said.
        fault: Fault,
    },
}
