//! Web pages: fetching, caching and conversion.

pub(crate) mod cache;
pub mod fetch;

use cache::Cache;
use std::sync::Arc;

/// The capability to fetch web pages, with a cache of recently fetched pages. Clones share the cache.
#[derive(Clone, Default)]
pub struct Web(Arc<Cache>);

impl Web {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Returns the cache of recently fetched pages.
    pub(crate) fn fetched(&self) -> &Cache {
        &self.0
    }
}
