//! Cache of fetched pages, so that the parts of a long page come from the same version, and most public pages are not
//! fetched twice in a short time.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolpost_net::{BodyCompleteness, FetchResponse};

/// The maximum size of the cache in bytes, and the maximum number of cached answers.
const MOST: (usize, usize) = (32 << 20, 64);
/// The maximum age at which a cached answer counts as fresh, even if its headers allow more.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The age up to which a public host's cached answer counts as fresh if its `Cache-Control` header has neither
/// `no-cache` nor a valid `max-age`.
const USUAL: Duration = Duration::from_secs(60);

/// The kind of host that sent a cached answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostKind {
    /// A rule of the operator, or of a trusted project, names the host.
    Own,
    /// A public host that no rule names.
    Far,
}

/// The cached answers of servers, in memory; the oldest are dropped first.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<VecDeque<Arc<CacheEntry>>>);

/// A cached answer of a server to a request.
#[derive(Debug)]
pub(crate) struct CacheEntry {
    address: String,
    accept: &'static str,
    pub(crate) fetched: Arc<FetchResponse>,
    pub(crate) stored: Instant,
    fresh: Duration,
}

impl CacheEntry {
    /// Returns true if the cached answer can be used without a request. For a further part of a page
    /// (`further`), an older answer is accepted, so that all parts come from the same version.
    pub(crate) fn serves(&self, further: bool) -> bool {
        self.stored.elapsed() < if further { LONGEST } else { self.fresh }
    }
}

impl Cache {
    /// Finds the cached answer for a URL and an `Accept` header, fresh or not.
    pub(crate) fn find(&self, address: &str, accept: &str) -> Option<Arc<CacheEntry>> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().find(|entry| entry.address == address && entry.accept == accept).cloned()
    }

    /// Stores an answer, and drops the earlier one for the same URL and `Accept` header. An answer is not stored if
    /// its transfer broke off or its headers forbid storing; an answer that was cut at the size limit is stored.
    pub(crate) fn keep(&self, accept: &'static str, fetched: Arc<FetchResponse>, near: HostKind) {
        let Some(address) = fetched.hops.first().map(|address| address.as_str().to_owned()) else { return };
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| (entry.address.as_str(), entry.accept) != (address.as_str(), accept));
        let whole = matches!(fetched.end, BodyCompleteness::Whole | BodyCompleteness::Cut);
        let Some(fresh) = fresh(fetched.head.cache.as_deref(), near).filter(|_| whole) else { return };
        entries.push_back(Arc::new(CacheEntry { address, accept, fetched, stored: Instant::now(), fresh }));
        let bytes = |entries: &VecDeque<Arc<CacheEntry>>| {
            entries.iter().map(|entry| entry.fetched.body.len()).sum::<usize>()
        };
        while entries.len() > MOST.1 || bytes(&entries) > MOST.0 {
            entries.pop_front();
        }
    }
}

/// Returns how long an answer with this `Cache-Control` header is fresh; `None` if it must not be stored.
fn fresh(cache_control: Option<&str>, near: HostKind) -> Option<Duration> {
    let cache_control = cache_control.unwrap_or_default().to_ascii_lowercase();
    let mut words = cache_control.split(',').map(str::trim);
    if words.clone().any(|word| word == "no-store") {
        return None;
    }
    if near == HostKind::Own || words.clone().any(|word| word.starts_with("no-cache")) {
        return Some(Duration::ZERO);
    }
    let age = words.find_map(|word| word.strip_prefix("max-age=")?.trim_matches('"').parse().ok());
    Some(age.map_or(USUAL, Duration::from_secs).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_net::{Head, WebAddress};
    use toolpost_test_rows::each;

    fn answer(address: &str, cache: Option<&str>, bytes: usize, end: BodyCompleteness) -> Arc<FetchResponse> {
        let head = Head { cache: cache.map(str::to_owned), ..Head::default() };
        let hops = vec![WebAddress::parse(address).unwrap()];
        Arc::new(FetchResponse { hops, status: 200, head, body: vec![b'x'; bytes], end })
    }

    #[test]
    fn cache_lifetime_follows_the_cache_control_header() {
        let seconds = Duration::from_secs;
        let rows = [
            (None, HostKind::Far, Some(USUAL)),
            (None, HostKind::Own, Some(seconds(0))),
            (Some("max-age=5"), HostKind::Far, Some(seconds(5))),
            (Some("public, max-age=99999999"), HostKind::Far, Some(LONGEST)),
            (Some("max-age=99"), HostKind::Own, Some(seconds(0))),
            (Some("No-Cache"), HostKind::Far, Some(seconds(0))),
            (Some("private, no-store"), HostKind::Far, None),
            (Some("max-age=x"), HostKind::Far, Some(USUAL)),
        ];
        each(rows, |(header, near, wanted)| {
            assert_eq!(fresh(header, near), wanted, "{header:?}");
        });
    }

    #[test]
    fn cache_is_limited_in_entries_and_bytes() {
        let cache = Cache::default();
        let found = |address: &str| cache.find(address, "a").map(|entry| entry.fetched.body.len());
        cache.keep("a", answer("http://x/broken", None, 1, BodyCompleteness::Late), HostKind::Far);
        cache.keep(
            "a",
            answer("http://x/secret", Some("no-store"), 1, BodyCompleteness::Whole),
            HostKind::Far,
        );
        for number in 0..70 {
            cache.keep(
                "a",
                answer(&format!("http://x/{number}"), None, 1, BodyCompleteness::Whole),
                HostKind::Far,
            );
        }
        cache.keep("a", answer("http://x/69", None, 2, BodyCompleteness::Whole), HostKind::Far);
        let rows = [("broken", None), ("secret", None), ("5", None), ("6", Some(1)), ("69", Some(2))];
        each(rows, |(name, wanted)| {
            assert_eq!(found(&format!("http://x/{name}")), wanted, "{name}");
        });
        assert!(cache.find("http://x/69", "b").is_none());
        cache.keep("a", answer("http://x/big", None, MOST.0, BodyCompleteness::Cut), HostKind::Far);
        assert_eq!((found("http://x/69"), found("http://x/big")), (None, Some(MOST.0)));
    }
}
