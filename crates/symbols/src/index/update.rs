//! The steps of an update of the index.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

use toolpost_index_lifecycle::{
    Lifecycle, Order, Patrol, Phase, Rank, ScanResult, Stop, UpdatableIndex, read_for,
};
use toolpost_syntax::Language;
use toolpost_workspace::{Workspace, WorkspacePath};

use super::changes::LARGEST;
use super::{Inner, UpdateError, UpdateState};
use crate::is_manifest;

/// The time after which one step of reading files ends while a caller waits.
const STEP: Duration = Duration::from_millis(500);
/// The time after which one step of reading files ends in the background.
const BACKGROUND_STEP: Duration = Duration::from_millis(150);

impl UpdatableIndex for Inner {
    type UpdateState = UpdateState;
    const THREAD: &'static str = "symbols";

    fn lifecycle(&self) -> &Lifecycle<UpdateState> {
        &self.lifecycle
    }

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn covers(name: &OsStr) -> bool {
        let code = Language::of_path(Path::new(name)).is_some_and(Language::is_code);
        code || name.to_str().is_some_and(is_manifest)
    }

    fn scan(&self, turn: &mut UpdateState, stop: &Stop<'_>) -> Result<(), UpdateError> {
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

    fn differing(&self, swept: &ScanResult) -> Vec<WorkspacePath> {
        self.tidy();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let there: HashSet<&str> = swept.files.iter().map(|seen| &*seen.shown).collect();
        let large: HashSet<&str> = state.left_out.large.iter().map(String::as_str).collect();
        let gone = state.known.iter().filter(|(path, _)| !there.contains(path.as_str()));
        let gone = gone.map(|(_, known)| known.path.clone());
        let changed = swept.files.iter().filter(|seen| {
            let known = state.known.get(&*seen.shown);
            let is_large = seen.stat.len > LARGEST && large.contains(&*seen.shown);
            !is_large && !known.is_some_and(|known| known.sign.holds(seen.stat))
        });
        gone.chain(changed.map(|seen| seen.path.clone())).collect()
    }
}
