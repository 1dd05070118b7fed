//! Resolution of host names to IP addresses.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

use tokio::net::lookup_host;

/// Future of the lookup of a host name.
pub type ResolveFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves host names; tests replace the system's resolver.
pub trait Resolver: Send + Sync {
    /// Returns all IP addresses of a host name.
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Resolver for System {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move { Ok(lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) })
    }
}
