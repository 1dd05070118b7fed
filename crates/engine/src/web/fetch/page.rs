//! Fetches pages from the network or the cache.

pub(crate) use super::content::{ContentRequest, WebContent, shown};
use super::failure;

use super::Request;
use crate::{
    access::command::Host,
    call::CallCtx,
    failure::{Failure, Kind},
    web::{Web, cache::HostKind},
};
use std::{net::IpAddr, sync::Arc, time::Duration};
use toolpost_net::{
    AllowedAddresses, CacheValidators, FetchError, FetchRequest, FetchResponse, WebAddress, check_public,
    fetch,
};

/// The maximum size of a page after decompression, in bytes.
const MOST: usize = 5 << 20;
/// The maximum time to wait for further data from a server.
const SILENCE: Duration = Duration::from_secs(20);
/// The maximum time of the name lookup before a prompt.
const LOOKUP: Duration = Duration::from_secs(5);

/// The origin of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Origin {
    /// The answer was fetched by this call.
    Network,
    /// The answer was fetched earlier and comes from the cache.
    Kept {
        /// The age of the cached answer in seconds.
        seconds: u64,
    },
    /// The answer comes from the cache, and the server confirmed that it has not changed.
    Confirmed,
}

/// A server's answer, and its origin: the network or the cache.
pub(crate) struct FetchedPage {
    pub(crate) fetched: Arc<FetchResponse>,
    pub(crate) origin: Origin,
}

/// Returns the answer for a URL, from the cache or the network. A status other than 2xx is a failure,
/// except 304 for a page in the cache.
pub(crate) async fn get(web: &Web, request: &Request, cx: &CallCtx) -> Result<FetchedPage, Failure> {
    let accept = request.format.accept();
    let cache = web.fetched();
    let cached = cache.find(request.address.as_str(), accept).filter(|cached| {
        // The page is used only if this session may fetch it: another session with other permissions may have cached
        // it.
        cached.fetched.hops.iter().all(|hop| reach(cx, hop).is_ok())
    });
    if let Some(cached) = cached.as_ref().filter(|cached| cached.serves(request.offset > 0)) {
        let seconds = cached.stored.elapsed().as_secs();
        return Ok(FetchedPage { fetched: Arc::clone(&cached.fetched), origin: Origin::Kept { seconds } });
    }
    let known = cached.as_ref().filter(|cached| cached.fetched.hops.len() == 1);
    let known = known.map_or(CacheValidators::default(), |cached| CacheValidators {
        tag: cached.fetched.head.tag.as_deref(),
        changed: cached.fetched.head.changed.as_deref(),
    });
    let time = cx.time_left(request.time);
    let asked = FetchRequest {
        address: &request.address,
        accept,
        known,
        most: MOST,
        time,
        silence: SILENCE.min(time),
    };
    let gate = |address: &WebAddress| reach(cx, address);
    let fetched = tokio::select! {
        fetched = fetch(&asked, web.resolver(), &gate) => fetched,
        () = cx.cancel.cancelled() => return Err(Failure::new(Kind::Cancelled, "The call was cancelled before the server answered.")),
    };
    let fetched = fetched.map_err(|error| failure::fetch(&error, &request.address))?;
    if fetched.status == 304
        && let Some(cached) = cached
    {
        let fetched = Arc::clone(&cached.fetched);
        cache.keep(accept, Arc::clone(&fetched), near(cx, &fetched));
        return Ok(FetchedPage { fetched, origin: Origin::Confirmed });
    }
    if !(200..300).contains(&fetched.status) {
        return Err(failure::status(&fetched, request));
    }
    let fetched = Arc::new(fetched);
    cache.keep(accept, Arc::clone(&fetched), near(cx, &fetched));
    Ok(FetchedPage { fetched, origin: Origin::Network })
}

/// Checks that pages can be fetched from a host that no rule names: its name resolves, and only to public addresses.
/// A lookup that takes too long does not count against the host.
pub(crate) async fn check_host(web: &Web, host: &Host) -> Result<(), Failure> {
    // An IP address is judged by the rules, without a lookup.
    let is_address = host.name().parse::<IpAddr>().is_ok();
    let Some(address) =
        WebAddress::parse(&format!("http://{}/", host.written())).ok().filter(|_| !is_address)
    else {
        return Ok(());
    };
    match check_public(&address, web.resolver(), LOOKUP).await {
        Ok(()) | Err(FetchError::Late { .. }) => Ok(()),
        Err(error) => Err(failure::fetch(&error, &address)),
    }
}

fn reach(cx: &CallCtx, address: &WebAddress) -> Result<AllowedAddresses, String> {
    cx.permissions.reach(&Host::at(&address.host(), address.port()))
}

/// Returns `HostKind::Own` if a rule of the operator, or of a trusted project, names a host that sent the answer or
/// redirected to it. Pages on such hosts may change at any time, so they are never cached as fresh.
fn near(cx: &CallCtx, fetched: &FetchResponse) -> HostKind {
    let own = fetched.hops.iter().any(|hop| reach(cx, hop) == Ok(AllowedAddresses::Anywhere));
    if own { HostKind::Own } else { HostKind::Far }
}
