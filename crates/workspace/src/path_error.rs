//! Errors of path resolution.

use thiserror::Error;

use crate::fault::Fault;

/// Errors of path resolution.
///
/// Paths outside the roots get the same message whether they exist or not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// The path is outside every root.
    #[error("{said} is outside the workspace{}: only {} may be used. To allow it, start with another root",
        leads_to(.target.as_deref()), .roots.join(", "))]
    Outside {
        /// The given path, escaped.
        said: String,
        /// Text of the link inside a root that leads out, escaped.
        target: Option<String>,
        /// The roots, escaped.
        roots: Vec<String>,
    },
    /// The path contains a NUL byte.
    #[error("{said} contains a NUL byte, which is not valid in a path")]
    Nul {
        /// The given path, escaped.
        said: String,
    },
    /// The path, or a component of it, exceeds the system's limit.
    #[error("the path {said} is too long: a path has at most 4095 bytes, a name in it 255")]
    TooLong {
        /// Start of the given path, escaped.
        said: String,
    },
    /// The path is empty.
    #[error("the path is empty: `.` is the workspace itself")]
    Empty,
    /// Symbolic links form a loop.
    #[error("{said} follows a loop of symbolic links, through {link}")]
    Loop {
        /// The given path, escaped.
        said: String,
        /// One of the links, escaped.
        link: String,
    },
    /// The workspace has no root.
    #[error("no root is open, so no path is allowed: start with a root")]
    NoRoot,
    /// A parent of the path is not a directory.
    #[error("{file} is not a directory, so {said} cannot exist")]
    NotADirectory {
        /// The given path, escaped.
        said: String,
        /// The file that is not a directory, escaped.
        file: String,
    },
    /// A directory on the way cannot be searched.
    #[error("{said}: permission denied in a parent directory: change its permissions first")]
    Denied {
        /// The given path, escaped.
        said: String,
    },
    /// `~` was given, but the home directory is unknown.
    #[error("{said}: the home directory is not known: use an absolute path")]
    NoHome {
        /// The given path, escaped.
        said: String,
    },
    /// A `file://` URL with the name of another host.
    #[error("{said} names a file on another host: only file:///… is supported")]
    OtherHost {
        /// The given path, escaped.
        said: String,
    },
    /// Any other error.
    #[error("{said}: {fault}")]
    Io {
        /// The given path, escaped.
        said: String,
        /// The operating system's error.
        fault: Fault,
    },
}

fn leads_to(target: Option<&str>) -> String {
    target.map_or_else(String::new, |target| format!(" (a symbolic link leads to {target})"))
}
