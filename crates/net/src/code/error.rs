//! Errors of code search services.

use super::{PROVIDERS, Provider};
use crate::address::AddressError;

/// Reason why a code search service cannot be configured.
#[derive(Debug, thiserror::Error)]
pub enum ServiceConfigError {
    /// No code search service has the configured name.
    #[error("unknown service `{name}`; the services are {}", names())]
    Unknown {
        /// The configured name, which matches no code search service.
        name: String,
    },
    /// The URL is invalid. The message does not contain it, because a key may be in any part of it.
    #[error("the URL of the service cannot be used: {0}")]
    Address(AddressError),
    /// The URL has a query, which may contain a key.
    #[error("`{address}` has a query: set the URL without it, and put the key into an environment variable")]
    Query {
        /// The configured URL, without its query.
        address: String,
    },
    /// The API key contains characters that cannot be sent in an HTTP header.
    #[error("the key for {name} contains spaces or non-ASCII characters")]
    Key {
        /// The name of the service.
        name: &'static str,
    },
    /// The API key would be sent over an unencrypted connection.
    #[error("the key for {name} is not sent to {host} unencrypted; use an https:// URL")]
    Open {
        /// The name of the service.
        name: &'static str,
        /// The host of the configured URL.
        host: String,
    },
}

/// Error of a request to a code search service.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The service needs an API key, and none is configured.
    #[error("{name} needs a key; set {variables} in the environment")]
    NoKey {
        /// The name of the service.
        name: &'static str,
        /// Names of the environment variables that can hold the key.
        variables: String,
    },
    /// The host is not allowed, or the connection failed; the text is the whole message.
    #[error("{0}")]
    Fetch(String),
    /// The rate limit of the service is reached.
    #[error("{name} rate limit reached{}", .wait.as_ref().map_or_else(String::new, |wait| format!(": retry after {wait}")))]
    TooMany {
        /// The name of the service.
        name: &'static str,
        /// Time until the limit ends, or the date that the service states; `None` if it states none.
        wait: Option<String>,
    },
    /// The service answered with an HTTP error status.
    #[error("{name} answered {status}{said}; {next}")]
    Refused {
        /// The name of the service.
        name: &'static str,
        /// The HTTP status.
        status: u16,
        /// The error message of the service after a colon; empty if there is none.
        said: String,
        /// Advice for the operator, as a clause.
        next: String,
    },
    /// The service reports an error in a successful HTTP response.
    #[error("{name} reports an error: {said}")]
    Said {
        /// The name of the service.
        name: &'static str,
        /// The error message of the service.
        said: String,
    },
    /// The response has a format that is not understood.
    #[error("invalid response from {name}: {why}")]
    Unclear {
        /// The name of the service.
        name: &'static str,
        /// The reason why the response is not understood.
        why: String,
    },
}

fn names() -> String {
    PROVIDERS.map(Provider::name).join(", ")
}
