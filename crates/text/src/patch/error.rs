//! Errors in patch texts.

/// An error in a patch text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text as a whole is not one.
    #[error("Invalid patch: {0}")]
    Patch(String),
    /// A line of it is wrong.
    #[error("Invalid patch hunk on line {line}: {why}")]
    Hunk {
        /// The line, counted from 1 in the text that came.
        line: usize,
        /// The problem.
        why: String,
    },
    /// It asks for something that a text cannot be changed by.
    #[error("The patch cannot be used, line {line}: {why}")]
    Refused {
        /// The line, counted from 1 in the text that came.
        line: usize,
        /// The request that cannot be done, and the alternative.
        why: String,
    },
}

impl ParseError {
    pub(super) fn hunk(line: usize, why: impl Into<String>) -> Self {
        Self::Hunk { line, why: why.into() }
    }

    pub(super) fn refused(line: usize, why: impl Into<String>) -> Self {
        Self::Refused { line, why: why.into() }
    }
}
