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

    /// Refreshes some paths, and the other names of hard-linked files there. Returns false if it was stopped, or if a root
    /// is unreadable.
    fn look_at(
        &mut self,
        workspace: &Workspace,
        paths: &[WorkspacePath],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        // A root has no parent to start from, and the displayed path of the first root (`.`) covers the notes of all.
        if paths.iter().any(WorkspacePath::is_root) {
            return self.look_at_all(workspace, stop);
        }
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

#[cfg(test)]
mod tests {
    use toolpost_workspace::{Options, Watch};

    use super::*;
    use crate::scan::{ScanResult, Walk};

    #[test]
    fn a_changed_root_is_scanned_completely() {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { roots: vec![directory.path().to_owned()], ..Options::default() };
        let workspace = Workspace::open(options).unwrap().0;
        let walk = Walk::of_names(&toolpost_workspace::walk::Options::default());
        let watch = Watch::start(&workspace, &walk.options);
        let mut listing = Listing::new(walk, watch, ScanResult::default(), Instant::now());
        listing.unreadable.push("gone: Permission denied".to_owned());
        let _file = tempfile::Builder::new().prefix("file").tempfile_in(directory.path()).unwrap();
        let root = workspace.resolve(".").unwrap();
        assert!(root.is_root() && listing.look_at(&workspace, &[root], &|| false));
        assert_eq!((listing.size().0, listing.unreadable.len()), (1, 0));
    }
}
