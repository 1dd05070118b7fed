//! Errors of path resolution.

use thiserror::Error;

use crate::fault::Fault;

/// Why a path is not one of the workspace.
///
/// What lies outside is refused in the same words whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// It lies outside of every root.
    #[error("{said} is outside of the workspace{}: only {} may be used. Starting with a further root lifts this",
        leads_to(.target.as_deref()), .roots.join(", "))]
    Outside {
        /// What was said, escaped.
        said: String,
        /// The text of the link inside that leads out, escaped.
        target: Option<String>,
        /// The roots, escaped.
        roots: Vec<String>,
    },
    /// It holds a NUL byte, with which no file's name is written.
    #[error("{said} holds a NUL byte: no path can")]
    Nul {
        /// What was said, escaped.
        said: String,
    },
    /// It, or a name in it, is longer than the system takes.
    #[error("the path {said} is too long: a path has at most 4095 bytes, a name in it 255")]
    TooLong {
        /// The beginning of what was said, escaped.
        said: String,
    },
    /// Nothing was said.
    #[error("the path is empty: `.` is the workspace itself")]
    Empty,
    /// Links lead in a circle.
    #[error("{said} leads in a circle of symbolic links, through {link}")]
    Loop {
        /// What was said, escaped.
        said: String,
        /// One of the links, escaped.
        link: String,
    },
    /// No root is open.
    #[error("no root is open, so no path is allowed: start with a root")]
    NoRoot,
    /// A name on the way is not a directory.
    #[error("{file} is not a directory, so {said} cannot be")]
    NotADirectory {
        /// What was said, escaped.
        said: String,
        /// The name, escaped.
        file: String,
    },
    /// A directory on the way may not be searched.
    #[error("{said}: permission denied on the way: its owner has to permit it first")]
    Denied {
        /// What was said, escaped.
        said: String,
    },
    /// `~` was said where there is no home directory.
    #[error("{said}: the home directory is not known: say the whole path")]
    NoHome {
        /// What was said, escaped.
        said: String,
    },
    /// A `file://` address names another computer.
    #[error("{said} names a file on another computer: only file:///… can be used")]
    OtherHost {
        /// What was said, escaped.
        said: String,
    },
    /// Anything else.
    #[error("{said}: {fault}")]
    Io {
        /// What was said, escaped.
        said: String,
        /// What the system said.
        fault: Fault,
    },
}

fn leads_to(target: Option<&str>) -> String {
    target.map_or_else(String::new, |target| format!(" (a symbolic link leads to {target})"))
}
