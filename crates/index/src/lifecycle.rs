//! Lifecycle of an index: exclusive updates within a time limit, with the rest done by a background thread.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

use toolpost_workspace::{WorkspacePath, memory};

use crate::files::Patrol;

/// The interval at which a waiting caller checks whether to stop.
const PAUSE: Duration = Duration::from_millis(1);
/// The time for which the background thread releases the lock between two steps.
const BREATH: Duration = Duration::from_millis(4);

/// A predicate for files that have priority.
pub(crate) type Priority<'a> = dyn Fn(&WorkspacePath) -> bool + Sync + 'a;
/// A callback that returns whether to stop.
pub(crate) type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// The time limit of an update, and the files that have priority.
pub struct Patience<'a> {
    /// The end of the wait; `None` for no limit.
    pub until: Option<Instant>,
    /// Returns whether a file has priority.
    pub first: &'a (dyn Fn(&WorkspacePath) -> bool + Sync),
}

impl Patience<'_> {
    /// Creates an unlimited wait.
    #[must_use]
    pub fn whole() -> Self {
        Self { until: None, first: &|_| false }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The shared state of an index's lifecycle; `T` is the state that only updates use.
pub(crate) struct Lifecycle<T> {
    turn: Mutex<T>,
    /// Set while the background thread runs.
    working: AtomicBool,
    /// Set while only files with priority are read.
    paused: AtomicBool,
    /// The number of files that have been read, and of pending ones.
    counts: [AtomicUsize; 2],
}

/// The part of a lifecycle that a step runs in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A caller waits for the update.
    Foreground,
    /// The background thread continues the update.
    Background,
}

/// An index with a lifecycle.
pub(crate) trait Updated: Send + Sync + Sized + 'static {
    /// The state that only updates use.
    type Turn: Send + 'static;
    /// The reason for a failed update.
    type Error;
    /// The name of the background thread.
    const THREAD: &'static str;

    fn lifecycle(&self) -> &Lifecycle<Self::Turn>;
    /// Creates the error of a stopped update.
    fn stopped() -> Self::Error;
    /// Scans for changes without reading files.
    fn scan(&self, turn: &mut Self::Turn, stop: &Stop<'_>) -> Result<(), Self::Error>;
    /// Returns the number of files to read.
    fn pending(turn: &Self::Turn) -> usize;
    /// Reads some of the pending files, those with priority first; returns the time to wait for another process.
    fn step(&self, turn: &mut Self::Turn, first: &Priority<'_>, phase: Phase, stop: &Stop<'_>) -> Duration;
    /// Does the work that remains when no file is pending; returns whether there is more of it for the background thread.
    fn complete(&self, turn: &mut Self::Turn, phase: Phase) -> bool;
    /// Records the pending files, and drops their previous versions.
    fn record_waiting(&self, turn: &mut Self::Turn);
    /// Acquires the right to a full rescan in the background, if one is due.
    fn due_rescan(turn: &Self::Turn) -> Option<Patrol>;
    /// Starts a full rescan in the background.
    fn start_rescan(self: &Arc<Self>, patrol: Patrol);
}

impl<T> Lifecycle<T> {
    pub(crate) fn new(turn: T) -> Self {
        Self {
            turn: Mutex::new(turn),
            working: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            counts: Default::default(),
        }
    }

    /// Acquires the exclusive right to update, without a check whether to stop.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.turn.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of files that have been read, and of pending ones. Never waits.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let [read, waiting] = &self.counts;
        (read.load(Ordering::Relaxed), waiting.load(Ordering::Relaxed))
    }

    pub(crate) fn set_progress(&self, read: usize, waiting: usize) {
        for (own, count) in self.counts.iter().zip([read, waiting]) {
            own.store(count, Ordering::Relaxed);
        }
    }

    pub(crate) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    /// Returns the order of files to read: those with priority, then the others unless the index is paused.
    pub(crate) fn order(&self) -> &'static [bool] {
        if self.paused.load(Ordering::Relaxed) { &[true] } else { &[true, false] }
    }
}

/// Waits for a lock; `None` if the caller has to stop first.
pub(crate) fn lock_unless_stopped<'m, T>(
    mutex: &'m Mutex<T>,
    pause: Duration,
    stop: &Stop<'_>,
) -> Option<MutexGuard<'m, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) if stop() => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
    }
}

/// Reads pending files for some time with `read`.
pub(crate) fn read_for<I: Updated>(
    turn: &mut I::Turn,
    time: Duration,
    stop: &Stop<'_>,
    read: impl FnOnce(&mut I::Turn, &Stop<'_>),
) {
    let (before, until) = (I::pending(turn), Instant::now() + time);
    read(turn, &|| stop() || Instant::now() >= until);
    if I::pending(turn) == before {
        // A paused index reads only files with priority.
        std::thread::sleep(PAUSE);
    }
}

fn lock<'i, I: Updated>(index: &'i I, stop: &Stop<'_>) -> Result<MutexGuard<'i, I::Turn>, I::Error> {
    lock_unless_stopped(&index.lifecycle().turn, PAUSE, stop).ok_or_else(I::stopped)
}

/// Scans for changes without reading files.
pub(crate) fn scan<I: Updated>(index: &I, stop: &Stop<'_>) -> Result<(), I::Error> {
    let mut turn = lock(index, stop)?;
    index.scan(&mut turn, stop)?;
    index.record_waiting(&mut turn);
    Ok(())
}

/// Scans for changes and reads the changed files within a time limit. The background thread reads the rest.
pub(crate) fn update<I: Updated>(
    index: &Arc<I>,
    patience: &Patience<'_>,
    stop: &Stop<'_>,
) -> Result<(), I::Error> {
    let mut is_scanned = false;
    loop {
        let mut turn = lock(&**index, stop)?;
        if !is_scanned {
            index.scan(&mut turn, stop)?;
            is_scanned = true;
        }
        if I::pending(&turn) == 0 {
            index.record_waiting(&mut turn);
            if index.complete(&mut turn, Phase::Foreground) {
                start(index);
            }
            if let Some(patrol) = I::due_rescan(&turn) {
                index.start_rescan(patrol);
            }
            return Ok(());
        }
        let is_stopped = stop();
        if is_stopped || patience.is_over() {
            index.record_waiting(&mut turn);
            start(index);
            return if is_stopped { Err(I::stopped()) } else { Ok(()) };
        }
        let ends = || stop() || patience.is_over();
        let wait = index.step(&mut turn, patience.first, Phase::Foreground, &ends);
        drop(turn);
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
    }
}

/// Starts the background thread, unless it is running.
fn start<I: Updated>(index: &Arc<I>) {
    let working = &index.lifecycle().working;
    if working.swap(true, Ordering::AcqRel) {
        return;
    }
    let weak = Arc::downgrade(index);
    let spawned = std::thread::Builder::new().name(I::THREAD.to_owned()).spawn(move || work(&weak));
    if spawned.is_err() {
        working.store(false, Ordering::Release);
    }
}

/// Reads pending files until none is left or the index is dropped.
fn work<I: Updated>(index: &Weak<I>) {
    loop {
        let Some(own) = index.upgrade() else { return };
        // This thread holds one strong reference; if it is the only one, the index is unused.
        let stop = || Arc::strong_count(&own) == 1;
        let Ok(mut turn) = lock(&*own, &stop) else { return };
        if stop() {
            return;
        }
        let mut wait = Duration::ZERO;
        if I::pending(&turn) > 0 {
            wait = own.step(&mut turn, &|_| false, Phase::Background, &stop);
        } else if !own.complete(&mut turn, Phase::Background) {
            own.lifecycle().working.store(false, Ordering::Release);
            drop(turn);
            memory::give_back();
            return;
        }
        own.record_waiting(&mut turn);
        drop(turn);
        drop(own);
        std::thread::sleep(wait.max(BREATH));
    }
}
