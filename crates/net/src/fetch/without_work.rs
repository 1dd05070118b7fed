//! Fetching in a build without the feature `web`.

use std::time::Duration;

use super::{FetchError, FetchRequest, FetchResponse, Gate, Resolver};
use crate::web::WebAddress;

/// Checks that the host of a URL has only public addresses. This build has no URL.
///
/// # Errors
/// None.
pub async fn check_public(
    address: &WebAddress,
    _resolver: &dyn Resolver,
    _time: Duration,
) -> Result<(), FetchError> {
    address.never()
}

/// Fetches a URL. This build has none that can be fetched.
///
/// # Errors
/// None.
pub async fn fetch(
    asked: &FetchRequest<'_>,
    _resolver: &dyn Resolver,
    _gate: &Gate<'_>,
) -> Result<FetchResponse, FetchError> {
    asked.address.never()
}
