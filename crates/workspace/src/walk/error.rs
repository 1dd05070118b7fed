//! Errors of opening a file that a directory walk has found.

use crate::fault::Fault;

/// Errors of opening a file that a walk has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    /// The file was removed or replaced by a link, or a directory on its path was removed or replaced.
    #[error("it was removed or replaced during the walk")]
    Gone,
    /// The entry is not a regular file.
    #[error("it is not a regular file")]
    NotRegular,
    /// Any other system error.
    #[error("{0}")]
    Refused(Fault),
}
