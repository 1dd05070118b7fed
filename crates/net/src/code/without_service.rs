//! The client of code search services in a build without the feature `web`: no service can be configured.

use std::time::Duration;

use super::error::{ServiceConfigError, ServiceError};
use super::{CodeSearchResponse, PROVIDERS, Question};
use crate::fetch::Gate;
use crate::web::WebAddress;

/// A configured code search service; this build has none.
#[derive(Debug)]
pub struct Service(WebAddress);

impl Service {
    /// Configures a service.
    ///
    /// # Errors
    /// Always: the name is unknown, or this build cannot reach the service.
    pub fn new(name: &str, base: Option<&str>, _key: Option<String>) -> Result<Self, ServiceConfigError> {
        let provider = PROVIDERS.into_iter().find(|provider| provider.name() == name);
        let provider = provider.ok_or_else(|| ServiceConfigError::Unknown { name: name.to_owned() })?;
        WebAddress::parse(base.unwrap_or(provider.default_address()))
            .map(Self)
            .map_err(ServiceConfigError::Address)
    }

    /// Returns the name of the service in settings.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.never()
    }

    /// Returns the base URL of the service.
    #[must_use]
    pub fn base(&self) -> &WebAddress {
        &self.0
    }

    /// Returns the reason why every request would fail.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        self.0.never()
    }

    /// Sends a question to the service.
    ///
    /// # Errors
    /// None, because this build has no service.
    pub async fn ask(
        &self,
        _question: &Question<'_>,
        _gate: &Gate<'_>,
        _time: Duration,
    ) -> Result<CodeSearchResponse, ServiceError> {
        self.0.never()
    }
}
