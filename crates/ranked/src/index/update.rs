//! The steps of an update of the keyword index, some of which another process may do instead.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use toolpost_index_lifecycle::{
    Lifecycle, Order, Patrol, Phase, Rank, ScanResult, ScannedFile, Stop, UpdatableIndex, read_for,
};
use toolpost_workspace::{Workspace, WorkspacePath};

use super::{Inner, LARGEST, UpdateError, UpdateState};

/// The interval between two checks for new segments of another process.
const POLL: Duration = Duration::from_millis(100);
/// The time without any new segment of another process after which this process reads the files itself.
const STUCK: Duration = Duration::from_secs(15);
/// If fewer files than this must be read, this process does not begin to wait for another one that reads them.
const MANY: usize = 200;
/// The time after which one step of reading files ends.
const STEP: Duration = Duration::from_millis(500);

impl UpdatableIndex for Inner {
    type UpdateState = UpdateState;
    const THREAD: &'static str = "words";

    fn lifecycle(&self) -> &Lifecycle<UpdateState> {
        &self.lifecycle
    }

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn covers(_: &OsStr) -> bool {
        true
    }

    fn scan(&self, turn: &mut UpdateState, stop: &Stop<'_>) -> Result<(), UpdateError> {
        self.look_at_all(turn, stop)
    }

    fn pending(turn: &UpdateState) -> usize {
        turn.pending.len()
    }

    fn has_ranked(turn: &UpdateState, rank: &Rank<'_>) -> bool {
        turn.pending.values().any(|seen| rank(&seen.path).is_some())
    }

    fn step(&self, turn: &mut UpdateState, order: Order<'_>, _: Phase, stop: &Stop<'_>) -> Duration {
        // A caller that gives ranks needs only few files, so it does not matter if another process reads them too.
        if !order.only_ranked && self.is_done_by_others(turn) {
            return POLL;
        }
        read_for::<Self>(turn, STEP, stop, |turn, stop| self.read_some(turn, order, stop));
        if !turn.pending.is_empty() || !self.fold_what_many_were(turn) {
            self.fold(turn);
        }
        Duration::ZERO
    }

    /// Merges or writes the index segments in memory while a caller waits, and merges those on disk in the background.
    fn complete(&self, turn: &mut UpdateState, phase: Phase) -> bool {
        match phase {
            Phase::Foreground => self.fold(turn),
            Phase::Background => self.merge_on_disk(turn),
        }
    }

    fn record_waiting(&self, turn: &mut UpdateState) {
        let before = self.state.read().unwrap_or_else(PoisonError::into_inner).waiting.len();
        if turn.pending.is_empty() && before == 0 {
            return;
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        state.waiting.clear();
        for (shown, seen) in &turn.pending {
            state.table.remove(shown);
            state.waiting.push(seen.path.clone());
        }
    }

    fn due_rescan(turn: &UpdateState) -> Option<Patrol> {
        turn.watched.patrol()
    }

    fn differing(&self, swept: &ScanResult) -> Vec<WorkspacePath> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| &*seen.shown).collect();
        let nameless = state.others.keys().map(|path| &**path);
        let large = &state.left_out.large;
        if nameless.chain(large.iter().map(String::as_str)).any(|path| !there.contains(path)) {
            self.doubted.store(true, Ordering::Relaxed);
        }
        let gone = state.table.files().filter(|(_, file)| !there.contains(&*file.shown));
        let gone = gone.map(|(_, file)| file.path.clone());
        let is_known = |seen: &ScannedFile| {
            seen.stat.len > LARGEST && large.contains(&*seen.shown)
                || state.sign(&seen.shown).is_some_and(|sign| sign.holds(seen.stat))
        };
        let changed = swept.files.iter().filter(|seen| !is_known(seen));
        gone.chain(changed.map(|seen| seen.path.clone())).collect()
    }
}

impl Inner {
    /// Loads the segments of another process that is reading the same files. Returns whether to wait for that process.
    fn is_done_by_others(&self, turn: &mut UpdateState) -> bool {
        let Some(store) = &mut turn.store else { return false };
        if turn.pending.len() < MANY && turn.others.is_none() || store.begin() {
            turn.others = None;
            return false;
        }
        let before = turn.pending.len();
        let since = *turn.others.get_or_insert_with(Instant::now);
        self.take_written(turn);
        if turn.pending.len() < before {
            turn.others = Some(Instant::now());
        }
        // The other process may have been killed before it writes the remaining files.
        since.elapsed() < STUCK && !turn.pending.is_empty()
    }
}
