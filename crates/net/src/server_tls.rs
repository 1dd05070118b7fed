//! TLS for connections other than HTTP to servers that the operator configured.
//!
//! The operator chooses what to trust, and Toolpost never falls back to a weaker setting.

use std::io;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
pub use tokio_rustls::client::TlsStream as ClientTlsStream;

use crate::client_error::ClientError;
use crate::tls::{self, tls};

/// The certificates that are trusted for a configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTrust {
    /// No verification: the connection is encrypted, but the server is not authenticated.
    Unverified,
    /// The system's root certificates; the host name must match.
    SystemRoots,
    /// These root certificates, in PEM form; the host name must match.
    Roots(String),
    /// These root certificates, in PEM form; the certificate of the server may be for any host name.
    RootsForAnyName(String),
}

/// TLS configuration for one server.
#[derive(Clone)]
pub struct TlsConfig {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConfig {
    /// Creates the TLS configuration for a host name or IP address.
    ///
    /// # Errors
    /// If the certificates or the host name are invalid, or the system's certificates cannot be loaded.
    pub fn new(host: &str, vouched: &ServerTrust) -> Result<Self, ClientError> {
        let mut config = match vouched {
            ServerTrust::SystemRoots => tls()?,
            ServerTrust::Roots(pem) => checked(verifier(pem)?)?,
            ServerTrust::RootsForAnyName(pem) => checked(AnyNameVerifier::new(Some(verifier(pem)?)))?,
            ServerTrust::Unverified => checked(AnyNameVerifier::new(None))?,
        };
        config.alpn_protocols.clear();
        let bad = |_| ClientError::new(format!("`{host}` is not a valid name for a certificate"));
        let name = ServerName::try_from(host.to_owned()).map_err(bad)?;
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), name })
    }

    /// Performs the TLS handshake on a connection to the server.
    ///
    /// # Errors
    /// If the server does not support TLS, or its certificate is not trusted.
    pub async fn secure<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> io::Result<ClientTlsStream<S>> {
        self.connector.connect(self.name.clone(), stream).await
    }
}

fn checked(verifier: Arc<dyn ServerCertVerifier>) -> Result<ClientConfig, ClientError> {
    let begun = tls::begun()?.dangerous().with_custom_certificate_verifier(verifier);
    Ok(begun.with_no_client_auth())
}

/// Creates a certificate verifier that trusts the root certificates in `pem`.
fn verifier(pem: &str) -> Result<Arc<WebPkiServerVerifier>, ClientError> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate =
            certificate.map_err(|error| ClientError::new(format!("invalid certificate: {error:?}")))?;
        roots.add(certificate).map_err(|error| ClientError::new(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(ClientError::new("the file with root certificates contains no certificate".to_owned()));
    }
    let provider = Arc::new(ring::default_provider());
    let made = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    made.map_err(|error| ClientError::new(error.to_string()))
}

/// A verifier that does not check the host name of a certificate.
#[derive(Debug)]
struct AnyNameVerifier {
    /// The check of the certificate chain; without it, every certificate is trusted whose private key the server has.
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: CryptoProvider,
}

impl AnyNameVerifier {
    fn new(chain: Option<Arc<WebPkiServerVerifier>>) -> Arc<Self> {
        Arc::new(Self { chain, provider: ring::default_provider() })
    }
}

impl ServerCertVerifier for AnyNameVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(own, between, name, ocsp, now) {
            // The host name is checked last, so the certificate is valid except for its name.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            done => done,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, own, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, own, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
