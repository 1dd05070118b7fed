//! Error of a TLS configuration.

/// Reason why TLS cannot be set up.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "cannot set up TLS: {why}; install the system's certificates (package ca-certificates), or set SSL_CERT_FILE"
)]
pub struct ClientError {
    why: String,
}

impl ClientError {
    #[cfg(feature = "tls")]
    pub(crate) fn new(why: String) -> Self {
        Self { why }
    }
}
