//! Fetching of URLs over HTTP.
//!
//! A host is checked before its name is looked up, and its addresses before the connection. The same applies to the
//! target of every redirect.

#[cfg(feature = "web")]
pub(crate) mod body;
mod error;
#[cfg(feature = "web")]
pub(crate) mod hop;
#[cfg(feature = "web")]
mod work;
#[cfg(not(feature = "web"))]
#[path = "without_work.rs"]
mod work;

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use tokio::net::lookup_host;

pub use error::FetchError;
pub use work::{check_public, fetch};

use crate::web::WebAddress;

/// The addresses at which a host may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedAddresses {
    /// Only public addresses.
    Public,
    /// Any address, even a private one, because the operator named the host.
    Anywhere,
}

/// A check of a URL's host before its name is looked up. Returns the addresses at which the host may be reached, or the
/// reason why it is refused.
pub type Gate<'g> = dyn Fn(&WebAddress) -> Result<AllowedAddresses, String> + Send + Sync + 'g;

/// A request to fetch a URL.
#[derive(Debug, Clone)]
pub struct FetchRequest<'a> {
    /// The URL to fetch.
    pub address: &'a WebAddress,
    /// Value of the `Accept` header: media types, best first.
    pub accept: &'a str,
    /// Validators of a cached response, so that the server can answer that it is unchanged.
    pub known: CacheValidators<'a>,
    /// Maximum size of the response body after decompression, in bytes.
    pub most: usize,
    /// Maximum total time, including redirects.
    pub time: Duration,
    /// Maximum time without data from the server.
    pub silence: Duration,
}

/// Validators of a cached response, with which a server checks whether it is unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct CacheValidators<'a> {
    /// The `ETag` header of the cached response.
    pub tag: Option<&'a str>,
    /// The `Last-Modified` header of the cached response.
    pub changed: Option<&'a str>,
}

/// The HTTP response to a fetch.
#[derive(Debug, Clone)]
pub struct FetchResponse {
    /// The requested URL, then the targets of the redirects in order. The last one is the URL that answered.
    pub hops: Vec<WebAddress>,
    /// The HTTP status of the response.
    pub status: u16,
    /// The headers that a fetch uses.
    pub head: Head,
    /// The received part of the response body, decompressed.
    pub body: Vec<u8>,
    /// Completeness of the response body.
    pub end: BodyCompleteness,
}

/// The response headers that a fetch uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Media type of the body, with its parameters.
    pub content_type: Option<String>,
    /// Content encoding of the body, if it is not supported, in which case the body stays encoded.
    pub packed: Option<String>,
    /// Value of the `ETag` header.
    pub tag: Option<String>,
    /// Value of the `Last-Modified` header.
    pub changed: Option<String>,
    /// Value of the `Cache-Control` header.
    pub cache: Option<String>,
    /// Value of the `Retry-After` header.
    pub retry_after: Option<String>,
}

/// Completeness of a response body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyCompleteness {
    /// The body is complete.
    Whole,
    /// The body was truncated at the size limit.
    Cut,
    /// The body was truncated because the time limit was reached.
    Late,
    /// The connection broke off before the end of the body, for this reason.
    Broken(String),
}

impl FetchResponse {
    /// Returns the URL that answered, after all redirects.
    #[must_use]
    pub fn address(&self) -> Option<&WebAddress> {
        self.hops.last()
    }
}

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
