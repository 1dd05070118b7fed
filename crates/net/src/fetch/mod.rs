//! Fetching of URLs: each host is checked before the lookup, each of its addresses before the connection, and
//! every redirect again.

pub(crate) mod body;
mod error;
pub(crate) mod hop;
mod resolve;

use std::time::Duration;

use tokio::time::Instant;

pub use error::FetchError;
pub use resolve::{Resolver, Resolving, System};

use crate::web::WebAddress;

/// Maximum number of redirects.
const HOPS: usize = 10;

/// Range of addresses that a host may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses.
    Public,
    /// Any address: the operator named the host.
    Anywhere,
}

/// Check of a host before the lookup; an error states the reason.
pub type Gate<'g> = dyn Fn(&WebAddress) -> Result<Reach, String> + Send + Sync + 'g;

/// A request.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The URL.
    pub address: &'a WebAddress,
    /// `Accept` header: media types, best first.
    pub accept: &'a str,
    /// Validators of a cached response.
    pub known: Known<'a>,
    /// Maximum size of the body after decompression, in bytes.
    pub most: usize,
    /// Maximum total time.
    pub time: Duration,
    /// Maximum time without data.
    pub silence: Duration,
}

/// Validators of a cached response.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Its `ETag`.
    pub tag: Option<&'a str>,
    /// Its `Last-Modified` time.
    pub changed: Option<&'a str>,
}

/// A response.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// All URLs, in order: the requested one and the redirects; the last one answered.
    pub hops: Vec<WebAddress>,
    /// The status.
    pub status: u16,
    /// The relevant headers.
    pub head: Head,
    /// The received body, decompressed.
    pub body: Vec<u8>,
    /// Completeness of the body.
    pub end: End,
}

/// Headers of a response that matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Media type, with its parameters.
    pub content_type: Option<String>,
    /// Unsupported content encoding, if any.
    pub packed: Option<String>,
    /// `ETag`.
    pub tag: Option<String>,
    /// `Last-Modified`.
    pub changed: Option<String>,
    /// `Cache-Control`.
    pub cache: Option<String>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
}

/// Completeness of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Complete.
    Whole,
    /// Cut at the size limit.
    Cut,
    /// Cut at the time limit.
    Late,
    /// The connection broke off.
    Broken(String),
}

impl Fetched {
    /// Returns the URL that answered.
    #[must_use]
    pub fn address(&self) -> Option<&WebAddress> {
        self.hops.last()
    }
}

/// Fetches a URL.
///
/// # Errors
/// If a host must not be reached or does not answer, or a redirect cannot be followed.
pub async fn fetch(
    asked: &Asked<'_>,
    resolver: &dyn Resolver,
    gate: &Gate<'_>,
) -> Result<Fetched, FetchError> {
    let until = Instant::now() + asked.time;
    let mut hops = vec![asked.address.clone()];
    loop {
        let here = hops.last().unwrap_or(asked.address).clone();
        let known = if hops.len() == 1 { asked.known } else { Known::default() };
        let way = hop::way(&here, resolver, gate, until).await.map_err(|error| error.behind(&hops))?;
        let answer = hop::ask(&here, &way, asked, known, until).await?;
        let Some(location) = hop::leads(&answer) else {
            let (status, head) = (answer.status().as_u16(), hop::head(&answer));
            let (body, end) = body::read(answer, asked.most, until).await;
            return Ok(Fetched { hops, status, head, body, end });
        };
        let bad = |why: String| FetchError::Leads { from: here.to_string(), to: location.clone(), why };
        let next = here.join(&location).map_err(|error| bad(error.to_string()))?;
        if here.is_secured() && !next.is_secured() {
            return Err(bad("it would switch from https to http".to_owned()));
        }
        if hops.contains(&next) {
            return Err(bad("it is a redirect loop".to_owned()));
        }
        if hops.len() > HOPS {
            return Err(bad(format!("there were already {HOPS} redirects")));
        }
        hops.push(next);
    }
}
