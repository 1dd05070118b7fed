//! Web pages: fetching, caching and conversion.

pub(crate) mod cache;
pub mod fetch;

use cache::Cache;
use std::sync::Arc;
use toolpost_net::Resolver;

/// The capability to fetch web pages, with a cache of recently fetched pages. Clones share the cache.
#[derive(Clone)]
pub struct Web {
    cache: Arc<Cache>,
    resolver: Arc<dyn Resolver>,
}

impl Web {
    pub(crate) fn new(resolver: Arc<dyn Resolver>) -> Self {
        Self { cache: Arc::default(), resolver }
    }

    /// Returns the cache of recently fetched pages.
    pub(crate) fn fetched(&self) -> &Cache {
        &self.cache
    }

    /// Returns the resolver of host names.
    pub(crate) fn resolver(&self) -> &dyn Resolver {
        &*self.resolver
    }
}
