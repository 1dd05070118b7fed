//! Builds the clients that speak HTTP: TLS by ring with the system's certificates, no proxy of the environment, no leading elsewhere.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;

/// How programs of the network see this one.
const NAME: &str = concat!("toolpost/", env!("CARGO_PKG_VERSION"));
/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest head of an answer over HTTP/2; HTTP/1 has a bound of its own.
const HEAD: u32 = 64 * 1024;

/// Why there is no client.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "no connection can be secured: {why}; install the system's certificates (package ca-certificates), or name them in SSL_CERT_FILE"
)]
pub struct ClientError {
    why: String,
}

/// Whom a client trusts to be who they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Those that the system's certificates vouch for.
    System,
    /// Nobody: the connections are not secured.
    Nobody,
}

/// Makes a client for the services that the operator names.
///
/// # Errors
/// When the system's certificates cannot be used.
pub fn client() -> Result<Client, ClientError> {
    let made = builder(Trust::System)?.build();
    made.map_err(|error| ClientError { why: error.to_string() })
}

/// Begins a client: what is not said here is the caller's to say.
///
/// # Errors
/// When the system's certificates are to be trusted and cannot be used.
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

/// Gives what secures connections; the system's certificates are read once.
///
/// # Errors
/// When they cannot be used.
pub fn tls() -> Result<ClientConfig, ClientError> {
    static MADE: OnceLock<Result<ClientConfig, ClientError>> = OnceLock::new();
    MADE.get_or_init(|| {
        let checked = begun()?.with_platform_verifier().map_err(|error| said(&error))?;
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
        .map_err(|error| said(&error))
}

fn spoken(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

fn said(error: &rustls::Error) -> ClientError {
    why(error.to_string())
}

/// Says why there is no client.
pub(crate) fn why(why: String) -> ClientError {
    ClientError { why }
}
