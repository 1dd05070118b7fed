//! TLS with the system's certificates.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::client_error::ClientError;

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

#[cfg(feature = "web")]
pub(crate) fn unsecured() -> Result<ClientConfig, ClientError> {
    Ok(spoken(begun()?.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()))
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
    ClientError::new(error.to_string())
}
