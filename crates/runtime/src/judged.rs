//! What the rules say of reading each path, kept: they do not change while a runtime lives.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};
use toolpost_engine::{Access, MayRead};
use toolpost_workspace::WorkspacePath;

use crate::{Decision, Policy};

/// How many paths are kept; when there are more, all are forgotten.
const MOST: usize = 200_000;

/// Whether each path may be read without asking.
#[derive(Debug, Default)]
struct Judged(RwLock<HashMap<Key, bool>>);

/// A path, and how much of it lies below its root: rules speak of both.
type Key = (WorkspacePath, usize);

/// Says which files the rules let be read without asking; thousands are asked about in one call, and in most calls the same.
pub(crate) fn may_read(policy: Policy) -> MayRead {
    let judged = Judged::default();
    Arc::new(move |path| {
        judged.allows(path, || policy.judge_path(Access::Reads, path).decision == Decision::Allow)
    })
}

impl Judged {
    /// Gives what was judged of a path before, or judges it.
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
