//! Errors of requests to a service that the operator configured.

use crate::address::AddressError;
use crate::client_error::ClientError;

/// Error of a request to a configured service.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The URL is invalid. The message does not contain it, because a key may be in any part of it.
    #[error("the URL of the service cannot be used: {0}; a valid one looks like http://127.0.0.1:11434/v1")]
    Address(AddressError),
    /// The key cannot be sent in a header.
    #[error("the key for {place} contains spaces or non-ASCII characters")]
    Key {
        /// The host and port of the service.
        place: String,
    },
    /// TLS cannot be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The connection failed or broke off, or the answer is too large.
    #[error("no usable answer from {place}: {why}; start the service, or check its URL")]
    Unreachable {
        /// The host and port of the service.
        place: String,
        /// The reason why the answer is missing or unusable, as a clause.
        why: String,
    },
    /// The service answered with an HTTP error status.
    #[error("{place} answered {status}{said}; {next}")]
    Refused {
        /// The host and port of the service.
        place: String,
        /// The HTTP status, as number and name.
        status: String,
        /// The beginning of the service's error message after a colon; empty if there is none.
        said: String,
        /// Advice for the operator, as a clause.
        next: &'static str,
    },
    /// The caller cancelled the request.
    #[error("cancelled before {place} answered")]
    Stopped {
        /// The host and port of the service.
        place: String,
    },
}
