//! Errors of searches.

use thiserror::Error;
use toolpost_workspace::{AccessError, Fault, PathError, WorkspacePath};

/// The reason for which a search did not run, with advice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchError {
    /// The pattern leads out of the workspace, or through something that cannot be passed.
    #[error("{0}")]
    Outside(PathError),
    /// The place to search is not there.
    #[error("{path} does not exist: check the path, or search its parent directory")]
    Missing {
        /// The place, as shown.
        path: String,
    },
    /// The place to search must be a directory and is not.
    #[error("{what} path must be a directory: {path} is not one; use its parent directory instead")]
    NotADirectory {
        /// The requested operation: `glob` or `list`.
        what: &'static str,
        /// The place, as shown.
        path: String,
    },
    /// The place to search could not be read.
    #[error("{0}")]
    Access(AccessError),
    /// The pattern of a glob is wrong.
    #[error("invalid glob {pattern:?}: {why}")]
    Glob {
        /// The pattern.
        pattern: String,
        /// The error, with advice.
        why: String,
    },
    /// The regular expression is wrong.
    #[error("invalid regular expression {pattern:?}: {why}{}", literal.as_ref().map(|literal| format!("\nTo find it as it stands, search for {literal}")).unwrap_or_default())]
    Regex {
        /// The pattern.
        pattern: String,
        /// The parser's message.
        why: String,
        /// The pattern with everything special escaped, if it would then be another one.
        literal: Option<String>,
    },
    /// No file type has that name.
    #[error("unknown file type {name:?}{}", near_words(near))]
    UnknownType {
        /// The name.
        name: String,
        /// Names that are close to it.
        near: Vec<String>,
    },
    /// A number in the request makes no sense.
    #[error("{0}")]
    Request(&'static str),
}

/// The longest pattern of a glob, in bytes.
pub(crate) const LONGEST_GLOB: usize = 4096;

impl SearchError {
    pub(crate) fn long_glob(pattern: &str) -> Self {
        let start: String = pattern.chars().take(100).collect();
        let why = format!("it has {} bytes, more than {LONGEST_GLOB}: say fewer at a time", pattern.len());
        Self::Glob { pattern: format!("{start}…"), why }
    }

    /// Refuses a start that is there but cannot be read.
    pub(crate) fn unreadable(path: &WorkspacePath, fault: Fault) -> Self {
        Self::Access(AccessError { path: path.clone(), why: fault.into() })
    }
}

fn near_words(near: &[String]) -> String {
    match near {
        [] => ": use a glob such as *.ext instead".to_owned(),
        some => format!(": did you mean {}?", some.join(", ")),
    }
}
