//! HTTP clients: TLS with the system's certificates, no proxies from the environment, no redirects.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;

/// `User-Agent` header of all requests.
const NAME: &str = concat!("toolpost/", env!("CARGO_PKG_VERSION"));
/// Maximum time to establish a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size of response headers over HTTP/2, in bytes; HTTP/1 has a separate limit.
const HEAD: u32 = 64 * 1024;

/// Reason why TLS cannot be set up.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "cannot set up TLS: {why}; install the system's certificates (package ca-certificates), or set SSL_CERT_FILE"
)]
pub struct ClientError {
    why: String,
}

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
    made.map_err(|error| ClientError { why: error.to_string() })
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

/// Returns the TLS configuration with the system's certificates, which are loaded once.
///
/// # Errors
/// If the certificates cannot be loaded.
pub fn tls() -> Result<ClientConfig, ClientError> {
    static MADE: OnceLock<Result<ClientConfig, ClientError>> = OnceLock::new();
    MADE.get_or_init(|| {
        let checked = begun()?.with_platform_verifier().map_err(|error| tls_error(&error))?;
        Ok(spoken(checked.with_no_client_auth()))
    })
    .clone()
}

fn unsecured() -> Result<ClientConfig, ClientError> {
    Ok(spoken(begun()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth()))
}

pub(crate) fn begun() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, ClientError> {
    let provider = Arc::new(ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| tls_error(&error))
}

fn spoken(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

fn tls_error(error: &rustls::Error) -> ClientError {
    why(error.to_string())
}

pub(crate) fn why(why: String) -> ClientError {
    ClientError { why }
}
