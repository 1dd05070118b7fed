//! Errors of a fetch.

use std::net::IpAddr;

use crate::client::ClientError;
use crate::web::WebAddress;

/// Reason why a fetch failed.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The policy does not allow the host.
    #[error("{place}: {why}")]
    NotAllowed {
        /// The URL.
        place: String,
        /// The reason.
        why: String,
        /// The URL that redirected here, if any.
        from: Option<String>,
    },
    /// The name resolves to a private address.
    #[error("{host} resolves to {address}, which is a private address")]
    NotPublic {
        /// The host.
        host: String,
        /// The first private address.
        address: IpAddr,
        /// The URL that redirected here, if any.
        from: Option<String>,
    },
    /// The name does not resolve.
    #[error("{host} does not resolve: {why}")]
    Unknown {
        /// The host.
        host: String,
        /// The system's error.
        why: String,
    },
    /// The connection failed, or the response is invalid.
    #[error("{place} does not answer: {why}")]
    Silent {
        /// The URL.
        place: String,
        /// The reason.
        why: String,
    },
    /// The TLS certificate is not trusted.
    #[error("invalid TLS certificate of {place}: {why}")]
    Unproven {
        /// The URL.
        place: String,
        /// The problem of the certificate.
        why: String,
    },
    /// The time limit was reached.
    #[error("{place} timed out")]
    Late {
        /// The URL.
        place: String,
    },
    /// A redirect cannot be followed.
    #[error("{from} leads to {to}, which is not followed: {why}")]
    Leads {
        /// The redirecting URL.
        from: String,
        /// The target.
        to: String,
        /// The reason.
        why: String,
    },
    /// TLS cannot be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl FetchError {
    /// Adds the URL that redirected to the refused one.
    pub(super) fn behind(mut self, hops: &[WebAddress]) -> Self {
        if let Self::NotAllowed { from, .. } | Self::NotPublic { from, .. } = &mut self
            && let [.., before, _] = hops
        {
            *from = Some(before.to_string());
        }
        self
    }
}
