//! Errors of fetching a URL.

use std::net::IpAddr;

use crate::client_error::ClientError;
#[cfg(feature = "web")]
use crate::web::WebAddress;

/// Reason why a URL could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The access policy does not allow the host.
    #[error("{place}: {why}")]
    NotAllowed {
        /// The refused URL.
        place: String,
        /// The reason why the host is refused.
        why: String,
        /// The URL that redirected to the refused one, if any.
        from: Option<String>,
    },
    /// The host name resolves to a private address.
    #[error("{host} resolves to {address}, which is a private address")]
    NotPublic {
        /// The host of the URL.
        host: String,
        /// The first private address to which the host name resolves.
        address: IpAddr,
        /// The URL that redirected to the refused one, if any.
        from: Option<String>,
    },
    /// The host name does not resolve.
    #[error("{host} does not resolve: {why}")]
    Unknown {
        /// The host of the URL.
        host: String,
        /// The error of the operating system.
        why: String,
    },
    /// The connection failed, or the response is invalid.
    #[error("no usable answer from {place}: {why}")]
    Silent {
        /// The requested URL.
        place: String,
        /// The reason why the answer is missing or unusable, as a clause.
        why: String,
    },
    /// The TLS certificate of the server is not trusted.
    #[error("invalid TLS certificate of {place}: {why}")]
    Unproven {
        /// The requested URL.
        place: String,
        /// The problem with the certificate.
        why: String,
    },
    /// The time limit of the request was reached.
    #[error("{place} timed out")]
    Late {
        /// The requested URL.
        place: String,
    },
    /// A redirect cannot be followed.
    #[error("{from} redirects to {to}, which is not followed: {why}")]
    Leads {
        /// The redirecting URL.
        from: String,
        /// The URL to which it redirects, as the server states it.
        to: String,
        /// The reason why the redirect is not followed.
        why: String,
    },
    /// TLS cannot be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
}

#[cfg(feature = "web")]
impl FetchError {
    /// Adds the URL that redirected to the refused one, if there was a redirect.
    pub(super) fn behind(mut self, hops: &[WebAddress]) -> Self {
        if let Self::NotAllowed { from, .. } | Self::NotPublic { from, .. } = &mut self
            && let [.., before, _] = hops
        {
            *from = Some(before.to_string());
        }
        self
    }
}
