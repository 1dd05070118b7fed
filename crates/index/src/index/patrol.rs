//! Background search for changed files, since the watch misses some writes.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use toolpost_workspace::WorkspacePath;

use super::Inner;
use super::take::{LARGEST, is_wanted};
use crate::files::{Patrol, Swept};

impl Inner {
    /// Starts a full rescan in the background.
    pub(super) fn send(self: &Arc<Self>, patrol: Patrol) {
        let inner = Arc::downgrade(self);
        let asked = inner.clone();
        patrol.begin(
            &self.workspace,
            is_wanted,
            move || asked.strong_count() > 0,
            move |swept| inner.upgrade().map(|inner| inner.differing(&swept)),
        );
    }

    /// Compares a scan with the index; returns the files to check again.
    fn differing(&self, swept: &Swept) -> Vec<WorkspacePath> {
        self.tidy();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| &*seen.shown).collect();
        let large: HashSet<&str> = state.left_out.large.iter().map(String::as_str).collect();
        let gone = state.known.iter().filter(|(path, _)| !there.contains(path.as_str()));
        let gone = gone.map(|(_, known)| known.path.clone());
        let changed = swept.files.iter().filter(|seen| {
            let known = state.known.get(&*seen.shown);
            let is_large = seen.stat.len > LARGEST && large.contains(&*seen.shown);
            !is_large && !known.is_some_and(|known| known.sign.holds(seen.stat))
        });
        gone.chain(changed.map(|seen| seen.path.clone())).collect()
    }
}
