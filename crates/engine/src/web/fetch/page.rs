//! Fetching of pages, from the network or the cache, and their content.

pub(crate) use super::content::{Shown, Wanted, shown};
use super::failed;

use super::Request;
use crate::{
    access::command::Host,
    call::CallCtx,
    failure::{Failure, Kind},
    web::{Web, cache::Near},
};
use std::{sync::Arc, time::Duration};
use toolpost_net::{Asked, Fetched, Known, Reach, System, WebAddress, fetch};

/// The maximum size of a page after decompression, in bytes.
const MOST: usize = 5 << 20;
/// The maximum time without data from a server.
const SILENCE: Duration = Duration::from_secs(20);

/// The origin of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum Origin {
    /// It was fetched now.
    Network,
    /// It was fetched earlier and cached.
    Kept {
        /// Its age in seconds.
        seconds: u64,
    },
    /// It was cached, and the server confirmed that it has not changed.
    Confirmed,
}

/// An answer and its origin.
pub(crate) struct Got {
    pub(crate) fetched: Arc<Fetched>,
    pub(crate) origin: Origin,
}

/// Returns the content of an address; answers with an error status are failures.
pub(crate) async fn get(web: &Web, request: &Request, cx: &CallCtx) -> Result<Got, Failure> {
    let accept = request.format.accept();
    let cache = web.fetched();
    let kept = cache.find(request.address.as_str(), accept).filter(|kept| {
        // Another session may have a permission that this one does not have.
        kept.fetched.hops.iter().all(|hop| reach(cx, hop).is_ok())
    });
    if let Some(kept) = kept.as_ref().filter(|kept| kept.serves(request.offset > 0)) {
        let seconds = kept.stored.elapsed().as_secs();
        return Ok(Got { fetched: Arc::clone(&kept.fetched), origin: Origin::Kept { seconds } });
    }
    let known = kept.as_ref().filter(|kept| kept.fetched.hops.len() == 1);
    let known = known.map_or(Known::default(), |kept| Known {
        tag: kept.fetched.head.tag.as_deref(),
        changed: kept.fetched.head.changed.as_deref(),
    });
    let time = cx.time_left(request.time);
    let asked =
        Asked { address: &request.address, accept, known, most: MOST, time, silence: SILENCE.min(time) };
    let gate = |address: &WebAddress| reach(cx, address);
    let fetched = tokio::select! {
        fetched = fetch(&asked, &System, &gate) => fetched,
        () = cx.cancel.cancelled() => return Err(Failure::new(Kind::Cancelled, "The call was cancelled before there was an answer.")),
    };
    let fetched = fetched.map_err(|error| failed::fetch(&error, request))?;
    if fetched.status == 304
        && let Some(kept) = kept
    {
        let fetched = Arc::clone(&kept.fetched);
        cache.keep(accept, Arc::clone(&fetched), near(cx, &fetched));
        return Ok(Got { fetched, origin: Origin::Confirmed });
    }
    if !(200..300).contains(&fetched.status) {
        return Err(failed::status(&fetched, request));
    }
    let fetched = Arc::new(fetched);
    cache.keep(accept, Arc::clone(&fetched), near(cx, &fetched));
    Ok(Got { fetched, origin: Origin::Network })
}

fn reach(cx: &CallCtx, address: &WebAddress) -> Result<Reach, String> {
    cx.permissions.reach(&Host::at(&address.host(), address.port()))
}

/// Returns the sort of the hosts: pages of hosts that the operator runs may change while they work on them.
fn near(cx: &CallCtx, fetched: &Fetched) -> Near {
    let own = fetched.hops.iter().any(|hop| reach(cx, hop) == Ok(Reach::Anywhere));
    if own { Near::Own } else { Near::Far }
}
