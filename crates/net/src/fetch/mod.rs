//! Fetching of URLs over HTTP.
//!
//! A host is checked before its name is looked up, and its addresses before the connection. The same applies to the
//! target of every redirect.

pub(crate) mod body;
mod error;
pub(crate) mod hop;
mod resolve;

use std::time::Duration;

use tokio::time::Instant;

pub use error::FetchError;
pub use resolve::{ResolveFuture, Resolver, System};

use crate::web::WebAddress;

/// Maximum number of redirects that are followed.
const HOPS: usize = 10;

/// The addresses at which a host may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only public addresses.
    Public,
    /// Any address, also a private one: the operator named the host.
    Anywhere,
}

/// A check of a URL's host before its name is looked up. Returns the addresses at which the host may be reached, or the
/// reason why it is refused.
pub type Gate<'g> = dyn Fn(&WebAddress) -> Result<Reach, String> + Send + Sync + 'g;

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
    pub end: End,
}

/// The response headers that a fetch uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Media type of the body, with its parameters.
    pub content_type: Option<String>,
    /// Content encoding of the body, if it is not supported, so that the body stays encoded.
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
pub enum End {
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

/// Fetches a URL and follows redirects.
///
/// # Errors
/// If `gate` refuses a host, a host does not answer, or a redirect cannot be followed.
pub async fn fetch(
    asked: &FetchRequest<'_>,
    resolver: &dyn Resolver,
    gate: &Gate<'_>,
) -> Result<FetchResponse, FetchError> {
    let until = Instant::now() + asked.time;
    let mut hops = vec![asked.address.clone()];
    loop {
        let here = hops.last().unwrap_or(asked.address).clone();
        let known = if hops.len() == 1 { asked.known } else { CacheValidators::default() };
        let way = hop::way(&here, resolver, gate, until).await.map_err(|error| error.behind(&hops))?;
        let answer = hop::ask(&here, &way, asked, known, until).await?;
        let Some(location) = hop::leads(&answer) else {
            let (status, head) = (answer.status().as_u16(), hop::head(&answer));
            let (body, end) = body::read(answer, asked.most, until).await;
            return Ok(FetchResponse { hops, status, head, body, end });
        };
        let bad = |why: String| FetchError::Leads { from: here.to_string(), to: location.clone(), why };
        let next = here.join(&location).map_err(|error| bad(error.to_string()))?;
        if here.is_secured() && !next.is_secured() {
            return Err(bad("the redirect would switch from https to http".to_owned()));
        }
        if hops.contains(&next) {
            return Err(bad("the redirects form a loop".to_owned()));
        }
        if hops.len() > HOPS {
            return Err(bad(format!("there were already {HOPS} redirects")));
        }
        hops.push(next);
    }
}
