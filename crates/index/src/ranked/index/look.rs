//! Looks at what may have changed: which files are gone, which have to be read, and which an earlier process has read.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use toolpost_workspace::walk::Skipped;
use toolpost_workspace::{Watch, WatchChanged, Workspace, WorkspacePath};

use super::store::Store;
use super::sweep::{self, Seen, Sign, Swept, below, now, options, sweep};
use super::{Covers, Inner, Known, Trouble, Turn};

/// The part of a workspace that is looked at.
pub(super) enum Extent {
    All,
    /// What lies at these paths and below them.
    At(Vec<WorkspacePath>),
}

/// How many paths are looked at one by one.
const SINGLE: usize = 500;
/// How long what is watched may go without being looked at as a whole: some writes are not told of.
const WHOLE: Duration = Duration::from_secs(30);
/// The same where there are so few files that it takes no time worth speaking of.
const WHOLE_OF_FEW: Duration = Duration::from_secs(1);
const FEW: usize = 2_000;

impl Turn {
    /// Tells what has to be looked at; nothing if nothing changed.
    fn extent(&mut self, workspace: &Workspace) -> Option<Extent> {
        let Some(watch) = &mut self.watch else {
            self.watch = Some(Watch::start(workspace, &options(false)));
            return Some(Extent::All);
        };
        let changed = watch.changed();
        let patience = if self.files <= FEW { WHOLE_OF_FEW } else { WHOLE };
        if self.owed || self.whole.is_none_or(|whole| whole.elapsed() > patience) {
            return Some(Extent::All);
        }
        match changed {
            WatchChanged::Nothing => None,
            WatchChanged::Paths(paths) if paths.len() <= SINGLE => Some(Extent::At(paths)),
            WatchChanged::Paths(_) | WatchChanged::Unknown(_) => Some(Extent::All),
        }
    }
}

impl Inner {
    /// Looks at what may have changed, and notes which files have to be read.
    pub(super) fn look_at_all(
        &self,
        turn: &mut Turn,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Trouble> {
        turn.owed |= self.doubted.swap(false, Ordering::Relaxed);
        self.drop_broken(turn);
        // A place that was named is watched by nobody: it is looked at each time.
        let extent = match &self.covers {
            Covers::Place(_) => Extent::All,
            // What is shown of a file is compared with it once more, so that a package need not be looked at all the time.
            Covers::Package(_) => match turn.whole {
                Some(whole) if !turn.owed && whole.elapsed() < WHOLE => return Ok(()),
                _ => Extent::All,
            },
            Covers::Workspace => match turn.extent(&self.workspace) {
                Some(extent) => extent,
                None => return Ok(()),
            },
        };
        if let Some(folder) = turn.folder.take() {
            turn.store = Store::open(&folder, &self.workspace);
            self.take_segments(turn);
        }
        let began = Instant::now();
        // What the watch told is told once: until this look has come to its end, it has to be a whole one again.
        turn.owed = true;
        let Swept { files, unreadable, skipped } = self.look_at(&extent, stop)?;
        let count = files.len();
        self.differences(turn, &extent, files, (unreadable, skipped));
        turn.owed = false;
        if matches!(extent, Extent::All) {
            turn.whole = Some(began);
            turn.files = count;
        }
        Ok(())
    }

    fn look_at(&self, extent: &Extent, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
        match (extent, &self.covers) {
            (_, Covers::Place(base)) => sweep::at(&self.workspace, base, &options(true), stop),
            (_, Covers::Package(base)) => {
                sweep::at(&self.workspace, base, &sweep::of_package(), stop).map(sweep::bounded)
            }
            (Extent::All, Covers::Workspace) => sweep(&self.workspace, stop),
            (Extent::At(paths), Covers::Workspace) => {
                let mut out = Swept::default();
                paths.iter().try_for_each(|path| below(path, stop, &mut out))?;
                out.files.sort_by(|one, other| one.shown.cmp(&other.shown));
                out.files.dedup_by(|one, other| one.shown == other.shown);
                Ok(out)
            }
        }
    }

    /// Lets go of the files that are gone, and notes those that are not what they were.
    fn differences(
        &self,
        turn: &mut Turn,
        extent: &Extent,
        files: Vec<Seen>,
        (unreadable, skipped): (Vec<String>, Skipped),
    ) {
        let (dead, changed) = {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            let there: HashSet<&str> = files.iter().map(|seen| seen.shown.as_str()).collect();
            let known = state.known.keys().chain(&state.left_out.large).chain(turn.pending.keys());
            let is_dead = |path: &&String| extent.holds(path) && !there.contains(path.as_str());
            let dead: Vec<String> = known.filter(is_dead).cloned().collect();
            let holds =
                |seen: &Seen| state.known.get(&seen.shown).is_some_and(|known| known.sign.holds(seen.stat));
            let changed: Vec<Seen> = files.into_iter().filter(|seen| !holds(seen)).collect();
            (dead, changed)
        };
        dead.iter().for_each(|path| drop(turn.pending.remove(path)));
        turn.pending.extend(changed.into_iter().map(|seen| (seen.shown.clone(), seen)));
        let place = |line: &str| line.split(": ").next().unwrap_or(line).to_owned();
        {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let state = &mut *state;
            state.left_out.unreadable.retain(|line| !extent.holds(&place(line)));
            state.left_out.unreadable.extend(unreadable);
            if matches!(extent, Extent::All) {
                state.left_out.skipped = skipped;
            }
            for path in &dead {
                state.known.remove(path);
                state.left_out.binary.remove(path);
                state.left_out.large.remove(path);
                state.table.remove(path);
            }
        }
        self.take_remembered(turn);
    }

    /// Takes the files that an earlier process has read and that are what they were then.
    pub(super) fn take_remembered(&self, turn: &mut Turn) {
        let Some(store) = &turn.store else { return };
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        turn.pending.retain(|shown, seen| {
            let sign = Sign::new(seen.stat, now());
            if !sign.settled {
                return true;
            }
            let Some((hash, language)) = store.remembered(shown, seen.stat) else { return true };
            match &language {
                Some(language) => {
                    let Some(at) = state.table.known(hash, language) else { return true };
                    state.table.put(seen.path.clone(), shown, at);
                    state.left_out.binary.remove(shown);
                }
                None => {
                    state.table.remove(shown);
                    state.left_out.binary.insert(shown.clone());
                }
            }
            state.left_out.large.remove(shown);
            state.known.insert(shown.clone(), Known { sign, hash, language });
            false
        });
    }

    /// Lets go of segments that are not what was written, and notes the files that only these knew.
    fn drop_broken(&self, turn: &mut Turn) {
        let broken = std::mem::take(&mut *self.broken.lock().unwrap_or_else(PoisonError::into_inner));
        if broken.is_empty() {
            return;
        }
        let broken: Vec<u32> = broken.into_iter().collect();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for number in &broken {
            let name = state.table.segment(*number).and_then(|segment| segment.name().map(str::to_owned));
            if let (Some(store), Some(name)) = (&mut turn.store, name) {
                store.remove(&name);
            }
        }
        for shown in state.table.replace(&broken, None) {
            state.known.remove(&shown);
        }
        turn.owed = true;
    }
}

impl Extent {
    pub(super) fn holds(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::At(paths) => paths.iter().any(|looked| lies_at(path, &looked.display())),
        }
    }
}

/// Tells whether a path is another one or lies below it.
pub(super) fn lies_at(path: &str, other: &str) -> bool {
    other == "." || path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
