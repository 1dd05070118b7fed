//! A cache of the rules' decisions about reading each path, valid because the rules do not change during the
//! lifetime of a runtime.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};
use toolpost_engine::{Access, MayRead};
use toolpost_workspace::WorkspacePath;

use toolpost_policy::{Decision, Policy};

/// Maximum number of cached paths; before it is exceeded, the cache is emptied.
const MOST: usize = 200_000;

/// For each path, true if it may be read without a prompt.
#[derive(Debug, Default)]
struct ReadCache(RwLock<HashMap<Key, bool>>);

/// An absolute path, and the length of its part below the root: a rule can match the absolute path or that
/// part.
type Key = (WorkspacePath, usize);

/// Returns a cached test for files that may be read without a prompt; one call can test thousands of files,
/// and later calls usually test the same files.
pub(crate) fn may_read(policy: Policy) -> MayRead {
    let cache = ReadCache::default();
    Arc::new(move |path| {
        cache.allows(path, || policy.judge_path(Access::Reads, path).decision == Decision::Allow)
    })
}

impl ReadCache {
    /// Returns the cached decision about a path; if there is none, calls `judge` and caches its decision.
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
