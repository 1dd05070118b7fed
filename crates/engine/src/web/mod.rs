//! Web pages: fetching, caching and conversion.

pub(crate) mod cache;
pub mod fetch;
