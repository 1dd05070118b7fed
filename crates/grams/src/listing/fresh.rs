//! Brings a listing up to date with the disk.

use std::time::{Duration, Instant};

use toolpost_workspace::{WatchChanged, Workspace};

use super::Listing;
use crate::look;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fresh {
    /// It says what is on the disk.
    Yes,
    /// It does, and all files should be looked at soon: some writes are not told of.
    Soon,
    /// It does not: all files have to be looked at.
    No,
}

/// How many paths are looked at one by one.
const SINGLE: usize = 500;

/// A look at all files is part of a question only where it takes no longer than this.
const QUICK: Duration = Duration::from_millis(10);

/// A look at all files may take one part in so many of the time.
const SHARE: u32 = 20;

/// The shortest time between two looks that are part of a question, and between two others.
const PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_secs(5);

impl Listing {
    /// Looks at what changed.
    pub(crate) fn refresh(&mut self, workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> Fresh {
        self.used = Instant::now();
        match self.watch.changed() {
            WatchChanged::Nothing => {}
            WatchChanged::Paths(paths) if paths.len() <= SINGLE => {
                let Some(seen) = look::at(&paths, &self.walk, stop) else { return Fresh::No };
                self.take_at(&paths, seen);
            }
            WatchChanged::Paths(_) => return Fresh::No,
            WatchChanged::Unknown(why) => {
                if !why.is_lasting() {
                    return Fresh::No;
                }
                // Nothing is told here, so each question looks at all files.
                return if self.look_at_all(workspace, stop) { Fresh::Yes } else { Fresh::No };
            }
        }
        let since = self.whole.elapsed();
        if self.cost <= QUICK {
            let due = since > PAUSE.max(self.cost * SHARE);
            return if !due || self.look_at_all(workspace, stop) { Fresh::Yes } else { Fresh::No };
        }
        if since > LONG_PAUSE.max(self.cost * SHARE) { Fresh::Soon } else { Fresh::Yes }
    }

    fn look_at_all(&mut self, workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> bool {
        let began = Instant::now();
        let Some(seen) = look::everything(workspace, &self.walk, stop) else { return false };
        self.take_all(seen, began);
        true
    }
}
