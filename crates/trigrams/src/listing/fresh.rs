//! Refresh of a listing from the disk.

use std::time::{Duration, Instant};

use toolpost_index_lifecycle::{Rescan, RescanSchedule, SHARE, WaitedScan, WatchedPart};
use toolpost_workspace::{Workspace, WorkspacePath};

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

/// The scans of all files that take so little time that every query waits for them. They find only changes that the
/// watch misses: writes through an open memory mapping, or through a hard link outside the workspace.
const QUICK: WaitedScan =
    WaitedScan { longest: Duration::from_millis(10), pause: Duration::from_millis(100), share: SHARE };
/// The minimum time between two rescans in the background.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// The schedule of the listing for searches of contents.
const OF_TEXT: RescanSchedule =
    RescanSchedule { waited: &[QUICK, WaitedScan::BEARABLE], background: LONG_PAUSE };
/// The schedule of the listing for searches by name. The watch misses only changes of contents, on which such a search
/// does not depend, so it waits only for a quick rescan.
const OF_NAMES: RescanSchedule = RescanSchedule { waited: &[QUICK], background: LONG_PAUSE };

impl Listing {
    /// Applies the changes since the last refresh. Rescans all files if a rescan is due and quick enough, or if the
    /// watch does not work.
    pub(crate) fn refresh(&mut self, workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> Fresh {
        self.used = Instant::now();
        match WatchedPart::take(&mut self.watch) {
            WatchedPart::Nothing => {}
            WatchedPart::Paths(paths) => {
                if !self.look_at(workspace, &paths, stop) {
                    return Fresh::No;
                }
            }
            WatchedPart::All => return Fresh::No,
            // Without a watch, each query rescans all files.
            WatchedPart::Unwatched => {
                return if self.look_at_all(workspace, stop) { Fresh::Yes } else { Fresh::No };
            }
        }
        let schedule = match self.walk.purpose {
            Purpose::Text => OF_TEXT,
            Purpose::Names => OF_NAMES,
        };
        match schedule.due(self.cost, self.whole.elapsed()) {
            Rescan::Waited if self.look_at_all(workspace, stop) => Fresh::Yes,
            Rescan::Waited => Fresh::No,
            Rescan::Background => Fresh::Soon,
            Rescan::NotDue => Fresh::Yes,
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
