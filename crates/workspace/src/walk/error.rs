//! Errors of opening a file that a directory walk has found.

use crate::fault::SystemError;

/// Errors of opening a file that a walk has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkOpenError {
    /// The file was removed, or replaced by a link.
    #[error("it was removed or replaced during the walk")]
    Gone,
    /// The entry is not a regular file.
    #[error("it is not a regular file")]
    NotRegular,
    /// Any other system error.
    #[error("{0}")]
    Refused(SystemError),
}
