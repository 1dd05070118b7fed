//! Tracking of the part of a workspace that needs a scan: the paths reported by a watch, or everything.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost_workspace::walk::Options;
use toolpost_workspace::{Watch, WatchChanges, Workspace, WorkspacePath};

use super::beside::Beside;
use super::{Patrol, Seen};

/// The part of a workspace that is looked at.
pub(crate) enum Extent {
    All,
    /// These paths and everything below them.
    At(Vec<WorkspacePath>),
}

/// The state of the watch and of the scans.
#[derive(Default)]
pub(crate) struct Watched {
    /// Reports changes; `None` before the first query.
    watch: Option<Watch>,
    /// When all files were last looked at.
    whole: Option<Instant>,
    /// The number of files at the last full scan, and its duration.
    files: usize,
    cost: Duration,
    /// Set if a scan was interrupted, so that its findings are incomplete.
    owed: bool,
    beside: Arc<Beside>,
}

/// The maximum number of paths that are scanned one by one.
const SINGLE: usize = 500;
/// The interval of full background rescans of watched files.
const WHOLE: Duration = Duration::from_secs(30);
/// The same interval if there are few enough files for the caller to wait.
const WHOLE_OF_FEW: Duration = Duration::from_secs(1);
const FEW: usize = 2_000;
/// For more files, the caller waits for a rescan of at most this duration, as long as rescans take only a small share
/// of the time.
const BEARABLE: Duration = Duration::from_millis(250);
const SHARE: u32 = 20;
const PAUSE: Duration = Duration::from_secs(2);

impl Watched {
    /// Returns the part to scan; nothing if nothing changed.
    pub(crate) fn extent(&mut self, workspace: &Workspace, options: &Options) -> Option<Extent> {
        let Some(watch) = &mut self.watch else {
            self.watch = Some(Watch::start(workspace, options));
            return Some(Extent::All);
        };
        let changed = watch.changed();
        if self.owed || self.is_due() || self.whole.is_none() {
            return Some(Extent::All);
        }
        let mut paths = self.beside.take();
        match changed {
            WatchChanges::Nothing => {}
            WatchChanges::Paths(changed) => paths.extend(changed),
            WatchChanges::Unknown(_) => return Some(Extent::All),
        }
        match paths.len() {
            0 => None,
            1..=SINGLE => Some(Extent::At(paths)),
            _ => Some(Extent::All),
        }
    }

    /// Returns the right to rescan everything in the background, if a rescan is due: the watch misses some writes.
    pub(crate) fn patrol(&self) -> Option<Patrol> {
        let due = self.watch.is_some() && self.files > FEW && self.is_older_than(WHOLE);
        if due { self.beside.patrol() } else { None }
    }

    /// Returns whether the caller has to rescan everything: the watch misses some writes.
    fn is_due(&self) -> bool {
        if self.files <= FEW {
            return self.is_older_than(WHOLE_OF_FEW);
        }
        self.cost <= BEARABLE && self.is_older_than(PAUSE.max(self.cost * SHARE))
    }

    /// Simulates a large workspace without a recent rescan.
    #[cfg(test)]
    pub(crate) fn age(&mut self) {
        (self.files, self.cost) = (FEW + 1, BEARABLE * 2);
        self.whole = Instant::now().checked_sub(WHOLE * 2);
    }

    /// Returns whether the last full scan is older than a time.
    fn is_older_than(&self, time: Duration) -> bool {
        self.whole.max(self.beside.began()).is_none_or(|whole| whole.elapsed() > time)
    }

    /// Returns whether the last full scan is recent; for files without a watch.
    pub(crate) fn is_young(&self) -> bool {
        !self.owed && self.whole.is_some_and(|whole| whole.elapsed() < WHOLE)
    }

    /// Records that a full scan is due. The watch reports each event once, so this is set from the start of a scan
    /// until it ends.
    pub(crate) fn owe(&mut self) {
        self.owed = true;
    }

    /// Records the hard-linked files of a scan: the watch misses writes through their other names.
    pub(crate) fn saw(&mut self, files: &[Seen]) {
        if let Some(watch) = &mut self.watch {
            files
                .iter()
                .filter(|seen| seen.stat.links > 1)
                .for_each(|seen| watch.seen(&seen.path, seen.stat));
        }
    }

    /// Notes how long a look at all files took.
    pub(crate) fn took(&mut self, extent: &Extent, time: Duration) {
        if matches!(extent, Extent::All) {
            self.cost = time;
        }
    }

    /// Notes that a look came to its end.
    pub(crate) fn looked(&mut self, extent: &Extent, began: Instant, files: usize) {
        self.owed = false;
        if matches!(extent, Extent::All) {
            self.whole = Some(began);
            self.files = files;
        }
    }
}

impl Extent {
    /// Adds paths; says whether these have to be looked at, too.
    pub(crate) fn add(&mut self, more: Vec<WorkspacePath>) -> bool {
        match self {
            Self::At(paths) if !more.is_empty() => {
                paths.extend(more);
                true
            }
            Self::At(_) | Self::All => false,
        }
    }

    /// Returns a function that checks whether a path is covered.
    pub(crate) fn holder(&self) -> impl Fn(&str) -> bool + use<> {
        let looked: Vec<String> = match self {
            Self::All => vec![".".to_owned()],
            Self::At(paths) => paths.iter().map(WorkspacePath::display).collect(),
        };
        move |path| looked.iter().any(|looked| lies_at(path, looked))
    }
}

/// Returns whether a path is another one or below it.
pub(crate) fn lies_at(path: &str, other: &str) -> bool {
    other == "." || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
