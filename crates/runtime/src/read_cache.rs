//! A cache of the rules' decisions about reading each path; the rules do not change while a runtime lives.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};
use toolpost_engine::{Access, MayRead};
use toolpost_workspace::WorkspacePath;

use toolpost_policy::{Decision, Policy};

/// The most cached paths; when there are more, the cache is emptied.
const MOST: usize = 200_000;

/// For each path, true if it may be read without a prompt.
#[derive(Debug, Default)]
struct ReadCache(RwLock<HashMap<Key, bool>>);

/// A path and the length of its part below the root: rules match both.
type Key = (WorkspacePath, usize);

/// Returns a cached test for files that may be read without a prompt; one call can ask about thousands, usually the
/// same ones.
pub(crate) fn may_read(policy: Policy) -> MayRead {
    let cache = ReadCache::default();
    Arc::new(move |path| {
        cache.allows(path, || policy.judge_path(Access::Reads, path).decision == Decision::Allow)
    })
}

impl ReadCache {
    /// Returns the cached decision about a path, or decides it.
    fn allows(&self, path: &WorkspacePath, judge: impl FnOnce() -> bool) -> bool {
        let key = (path.clone(), path.relative().as_os_str().len());
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        if let Some(known) = known {
            return known;
        }
        let allowed = judge();
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(key, allowed);
        allowed
    }
}
