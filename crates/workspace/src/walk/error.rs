//! Why a file that was found could not be opened.

use crate::fault::Fault;

/// Why a file that a walk found could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    /// It is gone, or became a link, since its name was read.
    #[error("it was removed or replaced while the walk went on")]
    Gone,
    /// It is not a regular file.
    #[error("it is not a regular file")]
    NotRegular,
    /// The system refused.
    #[error("{0}")]
    Refused(Fault),
}
