//! Cache of fetched pages, so that the parts of a long page fit together and no server gets the same request
//! twice in a short time.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolpost_net::{End, Fetched};

/// The maximum size of the cache in bytes, and the maximum number of answers.
const MOST: (usize, usize) = (32 << 20, 64);
/// The maximum age of a fresh answer, whatever its headers allow.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The maximum age of a fresh answer without a `max-age`.
const USUAL: Duration = Duration::from_secs(60);

/// The sort of hosts that an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Near {
    /// Hosts that the operator named.
    Own,
    /// Hosts of the public network.
    Far,
}

/// The cached answers, in memory; the oldest are dropped first.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<VecDeque<Arc<Kept>>>);

/// A cached answer.
#[derive(Debug)]
pub(crate) struct Kept {
    address: String,
    accept: &'static str,
    pub(crate) fetched: Arc<Fetched>,
    pub(crate) stored: Instant,
    fresh: Duration,
}

impl Kept {
    /// Returns true if it may be used unchanged; a further part of a page should come from the same answer as
    /// the first.
    pub(crate) fn serves(&self, further: bool) -> bool {
        self.stored.elapsed() < if further { LONGEST } else { self.fresh }
    }
}

impl Cache {
    /// Finds the answer to an equal request.
    pub(crate) fn find(&self, address: &str, accept: &str) -> Option<Arc<Kept>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| kept.address == address && kept.accept == accept).cloned()
    }

    /// Stores an answer, unless its headers forbid it.
    pub(crate) fn keep(&self, accept: &'static str, fetched: Arc<Fetched>, near: Near) {
        let Some(address) = fetched.hops.first().map(|address| address.as_str().to_owned()) else { return };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| (kept.address.as_str(), kept.accept) != (address.as_str(), accept));
        let whole = matches!(fetched.end, End::Whole | End::Cut);
        let Some(fresh) = fresh(fetched.head.cache.as_deref(), near).filter(|_| whole) else { return };
        kept.push_back(Arc::new(Kept { address, accept, fetched, stored: Instant::now(), fresh }));
        let bytes =
            |kept: &VecDeque<Arc<Kept>>| kept.iter().map(|kept| kept.fetched.body.len()).sum::<usize>();
        while kept.len() > MOST.1 || bytes(&kept) > MOST.0 {
            kept.pop_front();
        }
    }
}

/// Returns the time for which an answer is fresh; `None` if it must not be stored.
fn fresh(said: Option<&str>, near: Near) -> Option<Duration> {
    let said = said.unwrap_or_default().to_ascii_lowercase();
    let mut words = said.split(',').map(str::trim);
    if words.clone().any(|word| word == "no-store") {
        return None;
    }
    if near == Near::Own || words.clone().any(|word| word.starts_with("no-cache")) {
        return Some(Duration::ZERO);
    }
    let age = words.find_map(|word| word.strip_prefix("max-age=")?.trim_matches('"').parse().ok());
    Some(age.map_or(USUAL, Duration::from_secs).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_net::{Head, WebAddress};

    fn answer(address: &str, cache: Option<&str>, bytes: usize, end: End) -> Arc<Fetched> {
        let head = Head { cache: cache.map(str::to_owned), ..Head::default() };
        let hops = vec![WebAddress::parse(address).unwrap()];
        Arc::new(Fetched { hops, status: 200, head, body: vec![b'x'; bytes], end })
    }

    #[test]
    fn answers_say_how_long_they_are_kept() {
        let seconds = Duration::from_secs;
        let rows = [
            (None, Near::Far, Some(USUAL)),
            (None, Near::Own, Some(seconds(0))),
            (Some("max-age=5"), Near::Far, Some(seconds(5))),
            (Some("public, max-age=99999999"), Near::Far, Some(LONGEST)),
            (Some("max-age=99"), Near::Own, Some(seconds(0))),
            (Some("No-Cache"), Near::Far, Some(seconds(0))),
            (Some("private, no-store"), Near::Far, None),
            (Some("max-age=x"), Near::Far, Some(USUAL)),
        ];
        for (said, near, wanted) in rows {
            assert_eq!(fresh(said, near), wanted, "{said:?}");
        }
    }

    #[test]
    fn so_much_is_kept_and_no_more() {
        let cache = Cache::default();
        let found = |address: &str| cache.find(address, "a").map(|kept| kept.fetched.body.len());
        cache.keep("a", answer("http://x/broken", None, 1, End::Late), Near::Far);
        cache.keep("a", answer("http://x/secret", Some("no-store"), 1, End::Whole), Near::Far);
        for number in 0..70 {
            cache.keep("a", answer(&format!("http://x/{number}"), None, 1, End::Whole), Near::Far);
        }
        cache.keep("a", answer("http://x/69", None, 2, End::Whole), Near::Far);
        let rows = [("broken", None), ("secret", None), ("5", None), ("6", Some(1)), ("69", Some(2))];
        for (name, wanted) in rows {
            assert_eq!(found(&format!("http://x/{name}")), wanted, "{name}");
        }
        assert!(cache.find("http://x/69", "b").is_none());
        cache.keep("a", answer("http://x/big", None, MOST.0, End::Cut), Near::Far);
        assert_eq!((found("http://x/69"), found("http://x/big")), (None, Some(MOST.0)));
    }
}
