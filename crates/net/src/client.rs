//! HTTP clients: TLS with the system's certificates, no proxies from the environment, no redirects.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};

use crate::client_error::ClientError;
use crate::tls::{tls, unsecured};

/// `User-Agent` header of all requests.
const NAME: &str = concat!("toolpost/", env!("CARGO_PKG_VERSION"));
/// Maximum time to establish a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size of response headers over HTTP/2, in bytes; HTTP/1 has a separate limit.
const HEAD: u32 = 64 * 1024;

/// The TLS certificates that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Servers with a certificate that the system trusts.
    System,
    /// Only unencrypted connections: no certificate is trusted.
    Nobody,
}

/// Creates an HTTP client for services that the operator configured.
///
/// # Errors
/// If the system's certificates cannot be loaded.
pub fn client() -> Result<Client, ClientError> {
    let made = builder(Trust::System)?.build();
    made.map_err(|error| ClientError::new(error.to_string()))
}

/// Returns a client builder with the common settings; the caller adds its own.
///
/// # Errors
/// If the system's certificates are needed and cannot be loaded.
pub(crate) fn builder(trust: Trust) -> Result<ClientBuilder, ClientError> {
    let tls = match trust {
        Trust::System => tls()?,
        Trust::Nobody => unsecured()?,
    };
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(NAME)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(PATIENCE)
        .http2_max_header_list_size(HEAD);
    Ok(builder)
}
