//! Schedule of scans of all files, which find the changes that the file watcher does not report.

use std::time::Duration;

use toolpost_workspace::{Watch, WatchChanges, WorkspacePath};

/// The number of changed paths beyond which the whole workspace is scanned, and not each path.
pub const SINGLE: usize = 500;

/// The part of a workspace in which files may have changed, as the file watcher reports it.
#[derive(Debug)]
pub enum WatchedPart {
    /// No path has changed.
    Nothing,
    /// These paths have changed, at most [`SINGLE`].
    Paths(Vec<WorkspacePath>),
    /// More than [`SINGLE`] paths have changed, or the watcher does not know which: it has lost events, the ignore rules have
    /// changed, or a root or mount has moved.
    All,
    /// The watcher does not work, and will not: the whole workspace may have changed at any time.
    Unwatched,
}

impl WatchedPart {
    /// Takes the changes that the watcher has reported since it was last asked.
    pub fn take(watch: &mut Watch) -> Self {
        match watch.changed() {
            WatchChanges::Nothing => Self::Nothing,
            WatchChanges::Paths(paths) if paths.len() <= SINGLE => Self::Paths(paths),
            WatchChanges::Paths(_) => Self::All,
            WatchChanges::Unknown(why) if why.is_lasting() => Self::Unwatched,
            WatchChanges::Unknown(_) => Self::All,
        }
    }
}

/// Scans of all files for which a caller waits: how long they take, and how often they run.
#[derive(Clone, Copy, Debug)]
pub struct WaitedScan {
    /// The maximum duration of the last scan.
    pub longest: Duration,
    /// The minimum time between two scans.
    pub pause: Duration,
    /// The minimum time between two scans as a multiple of their duration.
    pub share: u32,
}

impl WaitedScan {
    /// The scans of a large workspace that a caller still waits for. They take at most 5 % of the time.
    pub const BEARABLE: Self =
        Self { longest: Duration::from_millis(250), pause: Duration::from_secs(2), share: SHARE };

    fn is_due(self, cost: Duration, since: Duration) -> bool {
        since > self.pause.max(cost * self.share)
    }
}

/// The reciprocal of the share of time that scans of all files may take: 20 stands for 5 %.
pub const SHARE: u32 = 20;

/// The times at which all files are scanned, depending on the duration of the last such scan.
#[derive(Clone, Copy, Debug)]
pub struct RescanSchedule {
    /// The scans for which a caller waits; the first one whose `longest` suffices applies.
    pub waited: &'static [WaitedScan],
    /// The minimum time between two scans in the background, which are for longer scans; they take at most the share
    /// [`SHARE`] of the time.
    pub background: Duration,
}

/// A scan of all files that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescan {
    /// No scan is due.
    NotDue,
    /// A scan is due, and the caller waits for it.
    Waited,
    /// A scan in the background is due.
    Background,
}

impl RescanSchedule {
    /// Returns the scan that is due if the last scan took the time `cost`, and began `since` ago.
    pub fn due(&self, cost: Duration, since: Duration) -> Rescan {
        match self.waited.iter().find(|scan| cost <= scan.longest) {
            Some(scan) if scan.is_due(cost, since) => Rescan::Waited,
            None if since > self.background.max(cost * SHARE) => Rescan::Background,
            Some(_) | None => Rescan::NotDue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_is_due_after_its_pause_and_its_share_of_the_time() {
        const QUICK: WaitedScan = WaitedScan {
            longest: Duration::from_millis(10),
            pause: Duration::from_millis(100),
            share: SHARE,
        };
        let ms = Duration::from_millis;
        let schedule = RescanSchedule { waited: &[QUICK, WaitedScan::BEARABLE], background: ms(5_000) };
        let rows = [
            (0, 100, Rescan::NotDue),
            (0, 101, Rescan::Waited),
            (10, 200, Rescan::NotDue),
            (10, 201, Rescan::Waited),
            (11, 2_000, Rescan::NotDue),
            (11, 2_001, Rescan::Waited),
            (250, 5_000, Rescan::NotDue),
            (250, 5_001, Rescan::Waited),
            (251, 5_020, Rescan::NotDue),
            (251, 5_021, Rescan::Background),
        ];
        let found = rows.map(|(cost, since, _)| (cost, since, schedule.due(ms(cost), ms(since))));
        assert_eq!(found, rows);
    }
}
