//! Brings the index up to date: looks at the files, reads what changed while the caller waits, and goes on in the background.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use toolpost_workspace::{WorkspacePath, memory};

use super::{Index, Inner, PAUSE, Trouble, Turn};
use crate::ranked::Patience;

/// The time for which the background work leaves the turn to others.
const BREATH: Duration = Duration::from_millis(4);
/// The time for which a step reads files for a caller, and in the background.
const STEP: Duration = Duration::from_millis(500);
const BACKGROUND_STEP: Duration = Duration::from_millis(150);

impl Index {
    pub(super) fn bring(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Trouble> {
        let inner = &*self.0;
        let mut looked = false;
        loop {
            let mut turn = inner.turn(stop)?;
            if !looked {
                inner.look_at_all(&mut turn, stop)?;
                looked = true;
            }
            if turn.pending.is_empty() {
                inner.tell_waiting(&mut turn);
                inner.finish(&mut turn);
                if let Some(patrol) = turn.watched.patrol() {
                    self.send(patrol);
                }
                return Ok(());
            }
            let stopped = stop();
            if stopped || patience.is_over() {
                inner.tell_waiting(&mut turn);
                self.work();
                return if stopped { Err(Trouble::Stopped) } else { Ok(()) };
            }
            inner.step(&mut turn, patience.first, STEP, &|| stop() || patience.is_over());
        }
    }

    /// Starts the background work, if it does not run yet.
    fn work(&self) {
        if self.0.working.swap(true, Ordering::AcqRel) {
            return;
        }
        let inner = Arc::downgrade(&self.0);
        let spawned = std::thread::Builder::new().name("symbols".to_owned()).spawn(move || work(&inner));
        if spawned.is_err() {
            self.0.working.store(false, Ordering::Release);
        }
    }
}

/// Reads pending files until none is left or the index is dropped.
fn work(inner: &Weak<Inner>) {
    loop {
        let Some(own) = inner.upgrade() else { return };
        // One strong reference is this thread's own.
        let stop = || Arc::strong_count(&own) == 1;
        let Ok(mut turn) = own.turn(&stop) else { return };
        if stop() {
            return;
        }
        if turn.pending.is_empty() {
            own.finish(&mut turn);
            own.working.store(false, Ordering::Release);
            drop(turn);
            memory::give_back();
            return;
        }
        own.step(&mut turn, &|_| false, BACKGROUND_STEP, &stop);
        own.tell_waiting(&mut turn);
        drop(turn);
        drop(own);
        std::thread::sleep(BREATH);
    }
}

impl Inner {
    /// Reads some of the pending files.
    fn step(
        &self,
        turn: &mut Turn,
        first: &(dyn Fn(&WorkspacePath) -> bool + Sync),
        time: Duration,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        let (before, until) = (turn.pending.len(), Instant::now() + time);
        self.read_some(turn, first, &|| stop() || Instant::now() >= until);
        if turn.pending.len() == before {
            // A paused index reads nothing that no caller asks for.
            std::thread::sleep(PAUSE);
        }
    }

    /// Ends a look at all files once each of them is read.
    fn finish(&self, turn: &mut Turn) {
        if std::mem::take(&mut turn.unsettled) {
            self.settle(turn);
        }
    }

    /// Records the files that are not read yet, and drops their previous versions.
    fn tell_waiting(&self, turn: &mut Turn) {
        let told = self.state.read().unwrap_or_else(PoisonError::into_inner).waiting.len();
        if turn.pending.is_empty() && told == 0 {
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
}
