//! Errors of searches.

use thiserror::Error;
use toolpost_workspace::{AccessError, PathError, SystemError, WorkspacePath};

/// The reason why a search did not run, with advice for the caller.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchError {
    /// The path to search, or the path at the start of a pattern, leads outside the workspace or cannot be resolved.
    #[error("{0}")]
    Outside(PathError),
    /// The path to search does not exist.
    #[error("{path} does not exist; check the path, or search its parent directory")]
    Missing {
        /// The path as displayed to the user.
        path: String,
    },
    /// The path to search must be a directory and is not.
    #[error("{what} path must be a directory: {path} is not one; use its parent directory instead")]
    NotADirectory {
        /// The requested operation: `glob` or `list`.
        what: &'static str,
        /// The path as displayed to the user.
        path: String,
    },
    /// The path to search could not be read.
    #[error("{0}")]
    Access(AccessError),
    /// The glob is invalid.
    #[error("invalid glob {pattern:?}: {why}")]
    Glob {
        /// The glob as the request gave it.
        pattern: String,
        /// The reason why the glob is invalid, with advice if possible.
        why: String,
    },
    /// The regular expression is invalid.
    #[error("invalid regular expression {pattern:?}: {why}{}", literal.as_ref().map(|literal| format!("\nTo find the \
             literal text, search for {literal}")).unwrap_or_default())]
    Regex {
        /// The regular expression as the request gave it.
        pattern: String,
        /// The message of the regular expression parser.
        why: String,
        /// The pattern with its special characters escaped. `None` if the pattern has no special characters, or was
        /// probably meant as a regular expression.
        literal: Option<String>,
    },
    /// No file type has the name in the request.
    #[error("unknown file type {name:?}{}", near_words(near))]
    UnknownType {
        /// The name as the request gave it.
        name: String,
        /// Suggested names of known file types.
        near: Vec<String>,
    },
    /// A number in the request, such as the depth or the limit, is invalid.
    #[error("{0}")]
    Request(&'static str),
}

/// The maximum length of a glob, in bytes.
pub(crate) const LONGEST_GLOB: usize = 4096;

impl SearchError {
    pub(crate) fn long_glob(pattern: &str) -> Self {
        let start: String = pattern.chars().take(100).collect();
        let why =
            format!("it has {} bytes, and the maximum is {LONGEST_GLOB}; use a shorter glob", pattern.len());
        Self::Glob { pattern: format!("{start}…"), why }
    }

    /// Creates the error for a directory to search that exists but cannot be read.
    pub(crate) fn unreadable(path: &WorkspacePath, fault: SystemError) -> Self {
        Self::Access(AccessError { path: path.clone(), why: fault.into() })
    }
}

fn near_words(near: &[String]) -> String {
    match near {
        [] => ": use a glob such as *.ext instead".to_owned(),
        some => format!(": did you mean `{}`?", some.join("`, `")),
    }
}
