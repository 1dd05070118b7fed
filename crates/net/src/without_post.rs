//! Requests to a configured service in a build without the feature `web`: no service can be configured.

use crate::post_error::PostError;
use crate::web::WebAddress;

/// A configured service. This build has none.
#[derive(Debug, Clone)]
pub(crate) struct Post(WebAddress);

impl Post {
    /// Refuses every service.
    pub(crate) fn new(address: &str, _key: Option<String>) -> Result<Self, PostError> {
        WebAddress::parse(address).map(Self).map_err(PostError::Address)
    }

    pub(crate) fn place(&self) -> String {
        self.0.never()
    }

    pub(crate) fn send(&self, _body: &[u8], _stop: &dyn Fn() -> bool) -> Result<Vec<u8>, PostError> {
        self.0.never()
    }
}
