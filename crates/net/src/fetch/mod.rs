//! Fetches what stands at an address of the web: each host is judged before it is looked up, each of its addresses before it is
//! connected to, and wherever an answer leads is judged again.

pub(crate) mod body;
mod error;
pub(crate) mod hop;
mod resolve;

use std::time::Duration;

use tokio::time::Instant;

pub use error::FetchError;
pub use resolve::{Resolver, Resolving, System};

use crate::web::WebAddress;

/// How often an answer may lead elsewhere.
const HOPS: usize = 10;

/// How far a host may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// At addresses of the public network.
    Public,
    /// Wherever it is: the operator has named it.
    Anywhere,
}

/// Judges a host before it is looked up; a refusal says why.
pub type Gate<'g> = dyn Fn(&WebAddress) -> Result<Reach, String> + Send + Sync + 'g;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// Where it stands.
    pub address: &'a WebAddress,
    /// Which forms are wanted, best first, as `Accept` has them.
    pub accept: &'a str,
    /// What is known of it already.
    pub known: Known<'a>,
    /// The most bytes that are taken of it, unpacked.
    pub most: usize,
    /// How long all of it may take.
    pub time: Duration,
    /// How long it may be silent.
    pub silence: Duration,
}

/// By what an answer was marked that is known already.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Its tag.
    pub tag: Option<&'a str>,
    /// When it was changed last.
    pub changed: Option<&'a str>,
}

/// What was answered.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// All addresses, in order: the one that was asked for, and where it led; the last one answered.
    pub hops: Vec<WebAddress>,
    /// The status.
    pub status: u16,
    /// What the head of the answer says.
    pub head: Head,
    /// The body, unpacked, as far as it was taken.
    pub body: Vec<u8>,
    /// Whether that is all.
    pub end: End,
}

/// What the head of an answer says, as far as it matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The media type, with its parameters.
    pub content_type: Option<String>,
    /// A packing that is not understood.
    pub packed: Option<String>,
    /// The tag of this state.
    pub tag: Option<String>,
    /// When it was changed last.
    pub changed: Option<String>,
    /// How long it may be kept.
    pub cache: Option<String>,
    /// How long to wait before asking again.
    pub retry_after: Option<String>,
}

/// How the body ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// All of it is there.
    Whole,
    /// There was more than may be taken.
    Cut,
    /// The time was over.
    Late,
    /// The connection ended in the middle.
    Broken(String),
}

impl Fetched {
    /// Gives the address that answered.
    #[must_use]
    pub fn address(&self) -> Option<&WebAddress> {
        self.hops.last()
    }
}

/// Fetches what stands at an address.
///
/// # Errors
/// When a host may not be reached, does not answer, or answers with nothing that can be followed.
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
            return Err(bad("the way there is not secured, and the one before was".to_owned()));
        }
        if hops.contains(&next) {
            return Err(bad("it was there before, so it leads in a circle".to_owned()));
        }
        if hops.len() > HOPS {
            return Err(bad(format!("it has led elsewhere {HOPS} times already")));
        }
        hops.push(next);
    }
}
