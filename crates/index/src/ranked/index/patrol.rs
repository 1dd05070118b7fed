//! Background search for changed files, since the watch misses some writes.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use toolpost_workspace::WorkspacePath;

use super::{Inner, LARGEST};
use crate::files::{Patrol, Seen, Swept};

impl Inner {
    /// Starts a full rescan in the background.
    pub(super) fn send(self: &Arc<Self>, patrol: Patrol) {
        let inner = Arc::downgrade(self);
        let asked = inner.clone();
        patrol.begin(
            &self.workspace,
            |_| true,
            move || asked.strong_count() > 0,
            move |swept| inner.upgrade().map(|inner| inner.differing(&swept)),
        );
    }

    /// Compares a scan with the index; returns the files to check again.
    fn differing(&self, swept: &Swept) -> Vec<WorkspacePath> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| &*seen.shown).collect();
        let nameless = state.others.keys().map(|path| &**path);
        let large = &state.left_out.large;
        if nameless.chain(large.iter().map(String::as_str)).any(|path| !there.contains(path)) {
            self.doubted.store(true, Ordering::Relaxed);
        }
        let gone = state.table.files().filter(|(_, file)| !there.contains(&*file.shown));
        let gone = gone.map(|(_, file)| file.path.clone());
        let is_known = |seen: &Seen| {
            seen.stat.len > LARGEST && large.contains(&*seen.shown)
                || state.sign(&seen.shown).is_some_and(|sign| sign.holds(seen.stat))
        };
        let changed = swept.files.iter().filter(|seen| !is_known(seen));
        gone.chain(changed.map(|seen| seen.path.clone())).collect()
    }
}
