//! The errors that end serving.

use std::io;
use thiserror::Error;

/// The reason why serving failed; a client that disconnects is not an error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The input from the client can no longer be read.
    #[error("standard input could not be read ({0}); start the server again with a pipe or a file there")]
    Input(#[source] io::Error),
    /// The output to the client can no longer be written.
    #[error("standard output could not be written ({0}); start the server again with a pipe or a file there")]
    Output(#[source] io::Error),
}
