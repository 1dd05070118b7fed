//! Errors of resolving a path that a caller gave.

use thiserror::Error;

use crate::fault::SystemError;

/// Errors of resolving a path that a caller gave.
///
/// Paths outside the roots get the same message whether they exist or not.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// The path is outside every root.
    #[error("{said} is outside the workspace{}: only paths in {} may be used",
        leads_to(.said, .target.as_deref()), .roots.join(", "))]
    Outside {
        /// The given path, escaped.
        said: String,
        /// Target of the link that leads out of a root, escaped; `None` if no link does.
        target: Option<String>,
        /// Paths of the roots, escaped.
        roots: Vec<String>,
    },
    /// The path contains a NUL byte.
    #[error("{said} contains a NUL byte, which is not valid in a path")]
    Nul {
        /// The given path, escaped.
        said: String,
    },
    /// The path, or a component of it, exceeds the system's limit.
    #[error(
        "the path {said} is too long: a path may have at most 4095 bytes, and each name in it at most 255"
    )]
    TooLong {
        /// Start of the given path, escaped.
        said: String,
    },
    /// The path is empty.
    #[error("the path is empty; pass `.` for the workspace itself")]
    Empty,
    /// Symbolic links form a loop.
    #[error("symbolic links form a loop in {said}, at {link}")]
    Loop {
        /// The given path, escaped.
        said: String,
        /// Path of one of the links in the loop, escaped.
        link: String,
    },
    /// The workspace has no root.
    #[error("no root is open, so no path is allowed")]
    NoRoot,
    /// A parent of the path is not a directory, or the path ends in a slash, `.` or `..` and is not a directory.
    #[error("{file} is not a directory, so {said} cannot exist")]
    NotADirectory {
        /// The given path, escaped.
        said: String,
        /// The file that is not a directory, escaped.
        file: String,
    },
    /// The user has no permission to search a parent directory.
    #[error(
        "{said} cannot be accessed: permission denied in a parent directory; change its permissions first"
    )]
    Denied {
        /// The given path, escaped.
        said: String,
    },
    /// The path is `~` or starts with `~/`, but the home directory is unknown.
    #[error("{said} cannot be resolved, because the home directory is unknown; use an absolute path")]
    NoHome {
        /// The given path, escaped.
        said: String,
    },
    /// The path is a `file://` URL with the name of another host.
    #[error("{said} is the URL of a file on another host; only file:///… is supported")]
    OtherHost {
        /// The given path, escaped.
        said: String,
    },
    /// Any other system error.
    #[error("{said}: {fault}")]
    Io {
        /// The given path, escaped.
        said: String,
        /// The operating system's error.
        fault: SystemError,
    },
}

fn leads_to(said: &str, target: Option<&str>) -> String {
    match target {
        Some(target) => format!(" (a symbolic link leads to {target})"),
        None if said == "~" || said.starts_with("~/") => " (~ is the home directory)".to_owned(),
        None => String::new(),
    }
}
