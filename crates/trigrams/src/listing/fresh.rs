//! Refresh of a listing from the disk.

use std::time::{Duration, Instant};

use toolpost_workspace::{WatchChanges, Workspace, WorkspacePath};

use super::Listing;
use crate::key;
use crate::scan::{self, Purpose};

/// The result of a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fresh {
    /// The listing contains all changes that the watch reported, and no full rescan is due.
    Yes,
    /// The listing contains all changes that the watch reported, but a full rescan is due, because the watch
    /// misses some writes.
    Soon,
    /// The listing is out of date, or its refresh was stopped; all files must be scanned.
    No,
}

/// The maximum number of changed paths that are refreshed. If there are more, all files are scanned.
const SINGLE: usize = 500;

/// The maximum duration of a full rescan during a query, and the minimum time between two such rescans. A
/// rescan finds only changes that the watch misses: writes through an open memory mapping, or through a hard
/// link outside the workspace.
const QUICK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));
/// The same limits as in [`QUICK`], for longer rescans; only searches for text wait for these.
const BEARABLE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(2));

/// The minimum time between two rescans in the background.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// The reciprocal of the share of time that full rescans may take: 20 stands for 5 %.
const SHARE: u32 = 20;

impl Listing {
    /// Applies the changes since the last refresh. Rescans all files if a rescan is due and quick enough, or if the
    /// watch does not work.
    pub(crate) fn refresh(&mut self, workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> Fresh {
        self.used = Instant::now();
        match self.watch.changed() {
            WatchChanges::Nothing => {}
            WatchChanges::Paths(paths) if paths.len() <= SINGLE => {
                if !self.look_at(workspace, &paths, stop) {
                    return Fresh::No;
                }
            }
            WatchChanges::Paths(_) => return Fresh::No,
            WatchChanges::Unknown(why) => {
                if !why.is_lasting() {
                    return Fresh::No;
                }
                // Without a watch, each query rescans all files.
                return if self.look_at_all(workspace, stop) { Fresh::Yes } else { Fresh::No };
            }
        }
        let since = self.whole.elapsed();
        let share = self.cost * SHARE;
        let is_due = |pause: Duration| since > pause.max(share);
        // The watch misses only changes to contents, on which a search by name does not depend. So such a search
        // waits only for a quick rescan.
        let pause = match self.walk.purpose {
            _ if self.cost <= QUICK.0 => Some(QUICK.1),
            Purpose::Text if self.cost <= BEARABLE.0 => Some(BEARABLE.1),
            Purpose::Text | Purpose::Names => None,
        };
        match pause {
            Some(pause) if !is_due(pause) || self.look_at_all(workspace, stop) => Fresh::Yes,
            Some(_) => Fresh::No,
            None if is_due(LONG_PAUSE) => Fresh::Soon,
            None => Fresh::Yes,
        }
    }

    /// Refreshes some paths, and the other names of hard-linked files there. Returns false if it was stopped.
    fn look_at(
        &mut self,
        workspace: &Workspace,
        paths: &[WorkspacePath],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        let Some(seen) = scan::at(paths, &self.walk, stop) else { return false };
        let others = self.other_names(&seen);
        self.take_at(paths, seen);
        if others.is_empty() {
            return true;
        }
        let others: Vec<WorkspacePath> =
            others.iter().filter_map(|other| key::path(workspace, other)).collect();
        let Some(seen) = scan::at(&others, &self.walk, stop) else { return false };
        self.take_at(&others, seen);
        true
    }

    fn look_at_all(&mut self, workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> bool {
        let began = Instant::now();
        let Some(seen) = scan::everything(workspace, &self.walk, stop) else { return false };
        self.take_all(seen, began);
        true
    }
}
