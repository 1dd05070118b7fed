//! Errors in the text of a patch.

/// An error in the text of a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text as a whole is not a patch.
    #[error("Invalid patch: {0}")]
    Patch(String),
    /// A line of the patch is invalid.
    #[error("Invalid patch hunk on line {line}: {why}")]
    Hunk {
        /// Number of the invalid line in the input, counted from 1.
        line: usize,
        /// Description of the problem with this line, as a sentence.
        why: String,
    },
    /// The patch requests a change that a text patch cannot make.
    #[error("Invalid patch, line {line}: {why}")]
    Refused {
        /// Number of the line with the request in the input, counted from 1.
        line: usize,
        /// The change that is not supported, and what to do instead.
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
