//! Brings a listing up to date with the disk.

use std::time::{Duration, Instant};

use toolpost_workspace::{WatchChanges, Workspace, WorkspacePath};

use super::Listing;
use crate::key;
use crate::look::{self, Purpose};

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

/// How long a look at all files may take that is part of a question, and the shortest time between two of them. What they find is seldom
/// anything: writes through a mapping that stays open, or through a name outside of the workspace.
const QUICK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));
const BEARABLE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(2));

/// The shortest time between two looks that are not part of a question.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// A look at all files may take one part in so many of the time.
const SHARE: u32 = 20;

impl Listing {
    /// Looks at what changed.
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
                // Nothing is told here, so each question looks at all files.
                return if self.look_at_all(workspace, stop) { Fresh::Yes } else { Fresh::No };
            }
        }
        let since = self.whole.elapsed();
        let share = self.cost * SHARE;
        let is_due = |pause: Duration| since > pause.max(share);
        // Of names the contents do not matter, so a watch tells of all that happens to them.
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

    /// Looks at some paths, and at the other names of files that are there.
    fn look_at(
        &mut self,
        workspace: &Workspace,
        paths: &[WorkspacePath],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        let Some(seen) = look::at(paths, &self.walk, stop) else { return false };
        let others = self.other_names(&seen);
        self.take_at(paths, seen);
        if others.is_empty() {
            return true;
        }
        let others: Vec<WorkspacePath> =
            others.iter().filter_map(|other| key::path(workspace, other)).collect();
        let Some(seen) = look::at(&others, &self.walk, stop) else { return false };
        self.take_at(&others, seen);
        true
    }

    fn look_at_all(&mut self, workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> bool {
        let began = Instant::now();
        let Some(seen) = look::everything(workspace, &self.walk, stop) else { return false };
        self.take_all(seen, began);
        true
    }
}
