//! Name resolution.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

use tokio::net::lookup_host;

/// Future of a lookup.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolver of host names.
pub trait Resolver: Send + Sync {
    /// Returns all addresses of a name.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Resolver for System {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        Box::pin(async move { Ok(lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) })
    }
}
