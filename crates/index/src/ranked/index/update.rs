//! The steps of an update of the index, which another process may do instead.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::{Inner, Trouble, Turn};
use crate::files::Patrol;
use crate::lifecycle::{Lifecycle, Order, Phase, Rank, Stop, Updated, read_for};

/// The interval at which the segments of another process are checked for.
const POLL: Duration = Duration::from_millis(100);
/// The time without any new segment after which this process takes over from another one.
const STUCK: Duration = Duration::from_secs(15);
/// The number of pending files from which it pays to wait for another process that reads them.
const MANY: usize = 200;
/// The interval at which files that have been read are added to the index.
const STEP: Duration = Duration::from_millis(500);

impl Updated for Inner {
    type Turn = Turn;
    type Error = Trouble;
    const THREAD: &'static str = "words";

    fn lifecycle(&self) -> &Lifecycle<Turn> {
        &self.lifecycle
    }

    fn stopped() -> Trouble {
        Trouble::Stopped
    }

    fn scan(&self, turn: &mut Turn, stop: &Stop<'_>) -> Result<(), Trouble> {
        self.look_at_all(turn, stop)
    }

    fn pending(turn: &Turn) -> usize {
        turn.pending.len()
    }

    fn has_ranked(turn: &Turn, rank: &Rank<'_>) -> bool {
        turn.pending.values().any(|seen| rank(&seen.path).is_some())
    }

    fn step(&self, turn: &mut Turn, order: Order<'_>, _: Phase, stop: &Stop<'_>) -> Duration {
        // A caller's ranked files are few, so it does not matter that another process reads them, too.
        if !order.only_ranked && self.is_done_by_others(turn) {
            return POLL;
        }
        read_for::<Self>(turn, STEP, stop, |turn, stop| self.read_some(turn, order, stop));
        if !turn.pending.is_empty() || !self.fold_what_many_were(turn) {
            self.fold(turn);
        }
        Duration::ZERO
    }

    /// Merges segments in memory for a caller, and on disk in the background.
    fn complete(&self, turn: &mut Turn, phase: Phase) -> bool {
        match phase {
            Phase::Foreground => self.fold(turn),
            Phase::Background => self.merge_on_disk(turn),
        }
    }

    fn record_waiting(&self, turn: &mut Turn) {
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

    fn due_rescan(turn: &Turn) -> Option<Patrol> {
        turn.watched.patrol()
    }

    fn start_rescan(self: &Arc<Self>, patrol: Patrol) {
        self.send(patrol);
    }
}

impl Inner {
    /// Returns whether another process reads the files of this workspace, after loading its segments.
    fn is_done_by_others(&self, turn: &mut Turn) -> bool {
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
        // The other process may never write the rest.
        since.elapsed() < STUCK && !turn.pending.is_empty()
    }
}
