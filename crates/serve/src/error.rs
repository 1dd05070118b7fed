//! Why serving ended badly.

use std::io;
use thiserror::Error;

/// Why serving ended badly; that the client went away is no error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// What the client says can no longer be read.
    #[error("standard input could not be read ({0}); start the server again with a pipe or a file there")]
    Input(#[source] io::Error),
    /// What the server says can no longer be written.
    #[error("standard output could not be written ({0}); start the server again with a pipe or a file there")]
    Output(#[source] io::Error),
}
