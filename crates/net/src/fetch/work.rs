//! The requests of a fetch, one for the URL and one for each redirect.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    AllowedAddresses, CacheValidators, FetchError, FetchRequest, FetchResponse, Gate, Resolver, body, hop,
};
use crate::web::WebAddress;

/// Maximum number of redirects that are followed.
const HOPS: usize = 10;

/// Checks that the host of a URL has only public addresses, without connecting to it.
///
/// A fetch looks the name up again and checks those addresses, so it never connects to addresses that only this
/// function has seen.
///
/// # Errors
/// If the name does not resolve within `time`, or has a private address.
pub async fn check_public(
    address: &WebAddress,
    resolver: &dyn Resolver,
    time: Duration,
) -> Result<(), FetchError> {
    let gate = |_: &WebAddress| Ok(AllowedAddresses::Public);
    hop::way(address, resolver, &gate, Instant::now() + time).await.map(|_| ())
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
