//! Fetching in a build without the feature `web`.

use super::{FetchError, FetchRequest, FetchResponse, Gate, Resolver};

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
