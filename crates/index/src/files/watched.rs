//! How much of a workspace has to be looked at: what a watch told, or all of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost_workspace::walk::Options;
use toolpost_workspace::{Watch, WatchChanges, Workspace, WorkspacePath};

use super::beside::Beside;
use super::{Patrol, Seen};

/// The part of a workspace that is looked at.
pub(crate) enum Extent {
    All,
    /// What lies at these paths and below them.
    At(Vec<WorkspacePath>),
}

/// What is known of the files without a look at them.
#[derive(Default)]
pub(crate) struct Watched {
    /// Tells what changed; none as long as nobody has asked.
    watch: Option<Watch>,
    /// When all files were last looked at.
    whole: Option<Instant>,
    /// How many files there were then, and how long that look took.
    files: usize,
    cost: Duration,
    /// Whether a look did not come to its end, so that nobody knows what it missed.
    owed: bool,
    beside: Arc<Beside>,
}

/// How many paths are looked at one by one.
const SINGLE: usize = 500;
/// How long what is watched may go without being looked at as a whole, which is done beside all else.
const WHOLE: Duration = Duration::from_secs(30);
/// The same where there are so few files that whoever asks can wait for it.
const WHOLE_OF_FEW: Duration = Duration::from_secs(1);
const FEW: usize = 2_000;
/// With more files whoever asks waits for a look that takes no longer than this, after a pause in which it is one part in so many.
const BEARABLE: Duration = Duration::from_millis(250);
const SHARE: u32 = 20;
const PAUSE: Duration = Duration::from_secs(2);

impl Watched {
    /// Tells what has to be looked at; nothing if nothing changed.
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

    /// Gives the right to look at all files beside all else, if that is due: some writes are not told of.
    pub(crate) fn patrol(&self) -> Option<Patrol> {
        let due = self.watch.is_some() && self.files > FEW && self.is_older_than(WHOLE);
        if due { self.beside.patrol() } else { None }
    }

    /// Tells whether whoever asks has to look at all files: some writes are not told of.
    fn is_due(&self) -> bool {
        if self.files <= FEW {
            return self.is_older_than(WHOLE_OF_FEW);
        }
        self.cost <= BEARABLE && self.is_older_than(PAUSE.max(self.cost * SHARE))
    }

    /// Makes it as if there were very many files that nobody has looked at for long.
    #[cfg(test)]
    pub(crate) fn age(&mut self) {
        (self.files, self.cost) = (FEW + 1, BEARABLE * 2);
        self.whole = Instant::now().checked_sub(WHOLE * 2);
    }

    /// Tells whether nobody has looked at all files for some time.
    fn is_older_than(&self, time: Duration) -> bool {
        self.whole.max(self.beside.began()).is_none_or(|whole| whole.elapsed() > time)
    }

    /// Tells whether all files were looked at a short time ago: for what is not watched.
    pub(crate) fn is_young(&self) -> bool {
        !self.owed && self.whole.is_some_and(|whole| whole.elapsed() < WHOLE)
    }

    /// Notes that all files have to be looked at; what the watch told is told once, so also from the beginning of a look to its end.
    pub(crate) fn owe(&mut self) {
        self.owed = true;
    }

    /// Notes what a look saw of files with several names: what is written through another name is not told.
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

    /// Gives what tells whether it holds a path.
    pub(crate) fn holder(&self) -> impl Fn(&str) -> bool + use<> {
        let looked: Vec<String> = match self {
            Self::All => vec![".".to_owned()],
            Self::At(paths) => paths.iter().map(WorkspacePath::display).collect(),
        };
        move |path| looked.iter().any(|looked| lies_at(path, looked))
    }
}

/// Tells whether a path is another one or lies below it.
pub(crate) fn lies_at(path: &str, other: &str) -> bool {
    other == "." || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
