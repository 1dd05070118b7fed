//! The steps of an update of the index.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use toolpost_index_lifecycle::{Lifecycle, Order, Patrol, Phase, Rank, Stop, UpdatableIndex, read_for};

use super::{Inner, Trouble, UpdateState};

/// The time after which one step of reading files ends while a caller waits.
const STEP: Duration = Duration::from_millis(500);
/// The time after which one step of reading files ends in the background.
const BACKGROUND_STEP: Duration = Duration::from_millis(150);

impl UpdatableIndex for Inner {
    type UpdateState = UpdateState;
    type Error = Trouble;
    const THREAD: &'static str = "symbols";

    fn lifecycle(&self) -> &Lifecycle<UpdateState> {
        &self.lifecycle
    }

    fn stopped() -> Trouble {
        Trouble::Stopped
    }

    fn scan(&self, turn: &mut UpdateState, stop: &Stop<'_>) -> Result<(), Trouble> {
        self.look_at_all(turn, stop)
    }

    fn pending(turn: &UpdateState) -> usize {
        turn.pending.len()
    }

    fn has_ranked(turn: &UpdateState, rank: &Rank<'_>) -> bool {
        turn.pending.values().any(|pending| rank(&pending.seen.path).is_some())
    }

    fn step(&self, turn: &mut UpdateState, order: Order<'_>, phase: Phase, stop: &Stop<'_>) -> Duration {
        let time = if phase == Phase::Foreground { STEP } else { BACKGROUND_STEP };
        read_for::<Self>(turn, time, stop, |turn, stop| self.read_some(turn, order, stop));
        Duration::ZERO
    }

    /// Ends a full scan once each of its files has been read.
    fn complete(&self, turn: &mut UpdateState, _: Phase) -> bool {
        if std::mem::take(&mut turn.unsettled) {
            self.settle(turn);
        }
        false
    }

    fn record_waiting(&self, turn: &mut UpdateState) {
        let before = self.state.read().unwrap_or_else(PoisonError::into_inner).waiting.len();
        if turn.pending.is_empty() && before == 0 {
            return;
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.waiting = turn.pending.values().map(|pending| pending.seen.path.clone()).collect();
        for pending in turn.pending.values_mut() {
            if pending.known.take().is_some() {
                state.forget(&pending.seen.shown);
            }
        }
    }

    fn due_rescan(turn: &UpdateState) -> Option<Patrol> {
        turn.watched.patrol()
    }

    fn start_rescan(self: &Arc<Self>, patrol: Patrol) {
        self.send(patrol);
    }
}
