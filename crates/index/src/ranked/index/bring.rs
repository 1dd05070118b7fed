//! Updates of the index: a scan, then reading of changed files within a time limit, and the rest in the background.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

use toolpost_workspace::{WorkspacePath, memory};

use super::{Index, Inner, Trouble, Turn};

/// The interval at which a waiting caller checks whether to stop.
const PAUSE: Duration = Duration::from_millis(1);
/// The time for which the background work releases the lock.
const BREATH: Duration = Duration::from_millis(4);
/// The interval at which the segments of another process are checked for.
const POLL: Duration = Duration::from_millis(100);
/// The time without any new segment after which this process takes over from another one.
const STUCK: Duration = Duration::from_secs(15);
/// From how many files on it is worth while to wait for another process that reads them.
const MANY: usize = 200;
/// The interval at which files that have been read are added to the index.
const STEP: Duration = Duration::from_millis(500);

/// The time limit of an update, and the files that have priority.
pub struct Patience<'a> {
    /// Until when; none for as long as it takes.
    pub until: Option<Instant>,
    /// Returns whether a file has priority.
    pub first: &'a (dyn Fn(&WorkspacePath) -> bool + Sync),
}

impl Patience<'_> {
    /// Waits as long as it takes.
    #[must_use]
    pub fn whole() -> Self {
        Self { until: None, first: &|_| false }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Done,
    /// Another process reads the files; its segments will arrive.
    Others,
}

impl Index {
    /// Scans for changes without reading files.
    pub(super) fn look(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), Trouble> {
        let inner = &*self.0;
        let mut turn = inner.take_turn(stop)?;
        inner.look_at_all(&mut turn, stop)?;
        inner.tell_waiting(&turn);
        Ok(())
    }

    /// Scans for changes and reads changed files.
    pub(super) fn bring(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Trouble> {
        let inner = &*self.0;
        let mut looked = false;
        loop {
            let mut turn = inner.take_turn(stop)?;
            if !looked {
                inner.look_at_all(&mut turn, stop)?;
                looked = true;
            }
            if turn.pending.is_empty() {
                inner.tell_waiting(&turn);
                if inner.fold(&mut turn) {
                    self.work();
                }
                if let Some(patrol) = turn.watched.patrol() {
                    self.send(patrol);
                }
                return Ok(());
            }
            let stopped = stop();
            if stopped || patience.is_over() {
                inner.tell_waiting(&turn);
                self.work();
                return if stopped { Err(Trouble::Stopped) } else { Ok(()) };
            }
            let step = inner.step(&mut turn, patience.first, &|| stop() || patience.is_over());
            drop(turn);
            if step == Step::Others {
                std::thread::sleep(POLL);
            }
        }
    }

    /// Starts the background thread, if it is not running.
    fn work(&self) {
        if self.0.working.swap(true, Ordering::AcqRel) {
            return;
        }
        let inner = Arc::downgrade(&self.0);
        let spawned = std::thread::Builder::new().name("words".to_owned()).spawn(move || work(&inner));
        if spawned.is_err() {
            self.0.working.store(false, Ordering::Release);
        }
    }
}

/// Reads pending files until none is left or the index is dropped.
fn work(inner: &Weak<Inner>) {
    loop {
        let Some(own) = inner.upgrade() else { return };
        // This thread holds one strong reference; if it is the only one, the index is unused.
        let stop = || Arc::strong_count(&own) == 1;
        let Ok(mut turn) = own.take_turn(&stop) else { return };
        if stop() {
            return;
        }
        let step = if !turn.pending.is_empty() {
            own.step(&mut turn, &|_| false, &stop)
        } else if own.merge_on_disk(&mut turn) {
            Step::Done
        } else {
            own.working.store(false, Ordering::Release);
            memory::give_back();
            return;
        };
        own.tell_waiting(&turn);
        drop(turn);
        drop(own);
        std::thread::sleep(if step == Step::Others { POLL } else { BREATH });
    }
}

impl Inner {
    /// Waits for the lock of updates.
    fn take_turn(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<MutexGuard<'_, Turn>, Trouble> {
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) if stop() => return Err(Trouble::Stopped),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Reads some of the files that are to be read.
    fn step(
        &self,
        turn: &mut Turn,
        first: &(dyn Fn(&WorkspacePath) -> bool + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Step {
        if self.is_done_by_others(turn) {
            return Step::Others;
        }
        let until = Instant::now() + STEP;
        let before = turn.pending.len();
        self.read_some(turn, first, &|| stop() || Instant::now() >= until);
        if turn.pending.len() == before {
            // A paused index reads nothing that no caller asks for.
            std::thread::sleep(PAUSE);
        }
        if !turn.pending.is_empty() || !self.fold_what_many_were(turn) {
            self.fold(turn);
        }
        Step::Done
    }

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

    /// Records the pending files and drops their previous versions.
    fn tell_waiting(&self, turn: &Turn) {
        let told = self.state.read().unwrap_or_else(PoisonError::into_inner).waiting.len();
        if turn.pending.is_empty() && told == 0 {
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
}
