//! Selection of the paths to scan for changes: those that the file watcher reports, or the whole workspace.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost_workspace::walk::Options;
use toolpost_workspace::{Watch, Workspace, WorkspacePath};

use crate::rescan::{BackgroundRescan, Patrol};
use crate::schedule::{Rescan, RescanSchedule, SINGLE, WaitedScan, WatchedPart};
use crate::sweep::{ScanResult, ScanScope, UpdateError};

/// The state of the file watcher and of the scans of a workspace.
#[derive(Default)]
pub struct WatchState {
    /// The file watcher of the workspace; `None` before the first query.
    watch: Option<Watch>,
    /// The start time of the last scan.
    began: Option<Instant>,
    /// The start time of the last scan of the whole workspace for which a caller waited.
    whole: Option<Instant>,
    /// The number of files that the last scan of the whole workspace found.
    files: usize,
    /// The duration of the last scan of the whole workspace.
    cost: Duration,
    /// Set while a scan runs. It stays set if the scan is interrupted, so that the next scan covers the whole
    /// workspace.
    owed: bool,
    beside: Arc<BackgroundRescan>,
}

/// The interval of scans of all files in the background, for changes that the file watcher did not report.
const WHOLE: Duration = Duration::from_secs(30);
/// The scans of at most [`FEW`] files. A caller waits for them, however long they take.
const OF_FEW: WaitedScan = WaitedScan { longest: Duration::MAX, pause: Duration::from_secs(1), share: 0 };
const FEW: usize = 2_000;

impl WatchState {
    /// Returns the part of the workspace to scan for changes; `None` if no full scan is due, and neither the file
    /// watcher nor a background scan has found changes.
    pub fn extent(&mut self, workspace: &Workspace, options: &Options) -> Option<ScanScope> {
        let Some(watch) = &mut self.watch else {
            self.watch = Some(Watch::start(workspace, options));
            return Some(ScanScope::All);
        };
        let changed = WatchedPart::take(watch);
        if self.owed || self.is_due() || self.whole.is_none() {
            return Some(ScanScope::All);
        }
        let mut paths = self.beside.take();
        match changed {
            WatchedPart::Nothing => {}
            WatchedPart::Paths(changed) => paths.extend(changed),
            WatchedPart::All | WatchedPart::Unwatched => return Some(ScanScope::All),
        }
        match paths.len() {
            0 => None,
            1..=SINGLE => Some(ScanScope::At(paths)),
            _ => Some(ScanScope::All),
        }
    }

    /// Returns the right to scan all files in the background, if such a scan is due, because the file watcher misses
    /// some writes. `None` if it is not due, or another thread has the right.
    pub fn patrol(&self) -> Option<Patrol> {
        let due = self.watch.is_some() && self.files > FEW && self.is_older_than(WHOLE);
        if due { self.beside.patrol() } else { None }
    }

    /// Returns whether the caller must scan all files, because the file watcher misses some writes.
    fn is_due(&self) -> bool {
        let waited: &'static [WaitedScan] =
            if self.files <= FEW { &[OF_FEW] } else { &[WaitedScan::BEARABLE] };
        let since = self.whole.max(self.beside.began()).map_or(Duration::MAX, |whole| whole.elapsed());
        RescanSchedule { waited, background: WHOLE }.due(self.cost, since) == Rescan::Waited
    }

    /// Sets the state of a large workspace that was not scanned recently, for tests of an index.
    pub fn age(&mut self) {
        (self.files, self.cost) = (FEW + 1, WaitedScan::BEARABLE.longest * 2);
        self.whole = Instant::now().checked_sub(WHOLE * 2);
    }

    /// Returns whether the last scan of all files, by a caller or in the background, started more than `time` ago. Also
    /// true if there was none.
    fn is_older_than(&self, time: Duration) -> bool {
        self.whole.max(self.beside.began()).is_none_or(|whole| whole.elapsed() > time)
    }

    /// Returns whether the last scan of all files is complete and recent. An index of files that are not watched uses
    /// this to decide whether to scan again.
    pub fn is_young(&self) -> bool {
        !self.owed && self.whole.is_some_and(|whole| whole.elapsed() < WHOLE)
    }

    /// Records that the next scan must cover all files, because a file was found to differ from the index.
    pub fn owe(&mut self) {
        self.owed = true;
    }

    /// Scans a part of the workspace with `look`. If the result contains hard links whose other names may be outdated
    /// in the index (`other_names` lists them), these are scanned too.
    ///
    /// The file watcher reports each change only once, so the next scan covers all files unless [`Self::looked`] is
    /// called.
    ///
    /// # Errors
    /// If `look` fails.
    pub fn scan(
        &mut self,
        extent: &mut ScanScope,
        look: impl Fn(&ScanScope) -> Result<ScanResult, UpdateError>,
        other_names: impl Fn(&ScanResult) -> Vec<WorkspacePath>,
    ) -> Result<ScanResult, UpdateError> {
        let began = Instant::now();
        (self.owed, self.began) = (true, Some(began));
        let mut swept = look(extent)?;
        if matches!(extent, ScanScope::All) {
            self.cost = began.elapsed();
        }
        if extent.add(other_names(&swept)) {
            swept = look(extent)?;
        }
        if let Some(watch) = &mut self.watch {
            // The watcher misses writes through the other names of a file.
            let linked = swept.files.iter().filter(|seen| seen.stat.links > 1);
            linked.for_each(|seen| watch.seen(&seen.path, seen.stat));
        }
        Ok(swept)
    }

    /// Records that the changes of the last scan, which found `files` files, are in the index or pending.
    pub fn looked(&mut self, extent: &ScanScope, files: usize) {
        self.owed = false;
        if matches!(extent, ScanScope::All) {
            (self.whole, self.files) = (self.began, files);
        }
    }
}

impl ScanScope {
    /// Adds paths to the part to scan, unless it is [`ScanScope::All`], which includes every path. Returns whether any were
    /// added.
    fn add(&mut self, more: Vec<WorkspacePath>) -> bool {
        match self {
            Self::At(paths) if !more.is_empty() => {
                paths.extend(more);
                true
            }
            Self::At(_) | Self::All => false,
        }
    }

    /// Returns a function that checks whether the part to scan covers a displayed path.
    pub fn holder(&self) -> impl Fn(&str) -> bool + use<> {
        let looked: Vec<String> = match self {
            Self::All => vec![".".to_owned()],
            Self::At(paths) => paths.iter().map(WorkspacePath::display).collect(),
        };
        move |path| looked.iter().any(|looked| lies_at(path, looked))
    }
}

/// Returns whether a displayed path is `other` or below it.
pub fn lies_at(path: &str, other: &str) -> bool {
    other == "." || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
