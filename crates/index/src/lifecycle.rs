//! Lifecycle of an index: exclusive updates within a time limit, with the rest done by a background thread.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

use toolpost_workspace::{WorkspacePath, lower_priority, memory};

use crate::files::Patrol;

/// The interval at which a waiting caller checks whether to stop.
const PAUSE: Duration = Duration::from_millis(1);
/// The time for which the background thread releases the lock between two steps.
const BREATH: Duration = Duration::from_millis(4);

/// A function that ranks the files to read before all others, the lowest first.
pub type Rank<'a> = dyn Fn(&WorkspacePath) -> Option<usize> + Sync + 'a;
/// A callback that returns whether to stop.
pub(crate) type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// The time limit of an update, and the files that a caller waits for.
pub struct Patience<'a> {
    /// The end of the wait; `None` for no limit.
    until: Option<Instant>,
    order: Order<'a>,
}

/// The order in which pending files are read.
#[derive(Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) rank: &'a Rank<'a>,
    /// Set if files without a rank are left to the background thread.
    pub(crate) only_ranked: bool,
}

impl Patience<'static> {
    /// Creates an unlimited wait for all files.
    #[must_use]
    pub fn whole() -> Self {
        Self { until: None, order: Order::by_path() }
    }

    /// Creates a wait for all files that ends at a time.
    #[must_use]
    pub fn until(until: Instant) -> Self {
        Self { until: Some(until), order: Order::by_path() }
    }
}

impl<'a> Patience<'a> {
    /// Creates a wait for the ranked files alone that ends at a time. The background thread reads the others.
    #[must_use]
    pub fn for_ranked(until: Instant, rank: &'a Rank<'a>) -> Self {
        Self { until: Some(until), order: Order { rank, only_ranked: true } }
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl<'a> Order<'a> {
    /// Creates the order without any ranks.
    pub(crate) fn by_path() -> Order<'static> {
        Order { rank: &|_| None, only_ranked: false }
    }

    /// Sorts pending files: the ranked ones first, then the others unless they are left to the background thread.
    pub(crate) fn sort<'p, P>(
        self,
        pending: impl Iterator<Item = &'p P>,
        path: impl Fn(&P) -> &WorkspacePath,
    ) -> Vec<&'p P> {
        let mut ranked: Vec<(usize, &P)> = Vec::new();
        let mut others: Vec<&P> = Vec::new();
        for one in pending {
            match (self.rank)(path(one)) {
                Some(rank) => ranked.push((rank, one)),
                None if !self.only_ranked => others.push(one),
                None => {}
            }
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, one)| one).chain(others).collect()
    }
}

/// The shared state of an index's lifecycle; `T` is the state that only updates use.
pub(crate) struct Lifecycle<T> {
    turn: Mutex<T>,
    /// Set while the background thread runs.
    working: AtomicBool,
    /// Set while only ranked files are read.
    paused: AtomicBool,
    /// The number of callers that wait for the lock of the background thread.
    callers: AtomicUsize,
    /// The number of files that have been read, and of pending ones.
    counts: [AtomicUsize; 2],
    /// The number of files that this process parsed.
    parsed: AtomicUsize,
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
    /// Returns whether a pending file has a rank.
    fn has_ranked(turn: &Self::Turn, rank: &Rank<'_>) -> bool;
    /// Reads some of the pending files in an order; returns the time to wait for another process.
    fn step(&self, turn: &mut Self::Turn, order: Order<'_>, phase: Phase, stop: &Stop<'_>) -> Duration;
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
            callers: AtomicUsize::new(0),
            counts: Default::default(),
            parsed: AtomicUsize::new(0),
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

    /// Returns the order in which a step reads files: a paused index reads none but the ranked ones.
    pub(crate) fn order<'a>(&self, order: Order<'a>) -> Order<'a> {
        Order { only_ranked: order.only_ranked || self.paused.load(Ordering::Relaxed), ..order }
    }

    /// Returns the number of files that this process parsed, rather than found in stored records.
    pub(crate) fn parsed(&self) -> usize {
        self.parsed.load(Ordering::Relaxed)
    }

    pub(crate) fn add_parsed(&self, files: usize) {
        self.parsed.fetch_add(files, Ordering::Relaxed);
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
        // A paused index reads only ranked files.
        std::thread::sleep(PAUSE);
    }
}

/// Waits for the lock of the state that updates use. The background thread ends its step for a caller that waits.
fn lock<'i, I: Updated>(index: &'i I, stop: &Stop<'_>) -> Result<MutexGuard<'i, I::Turn>, I::Error> {
    let lifecycle = index.lifecycle();
    lifecycle.callers.fetch_add(1, Ordering::Relaxed);
    let turn = lock_unless_stopped(&lifecycle.turn, PAUSE, stop);
    lifecycle.callers.fetch_sub(1, Ordering::Relaxed);
    turn.ok_or_else(I::stopped)
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
        let has_all = || patience.order.only_ranked && !I::has_ranked(&turn, patience.order.rank);
        if is_stopped || patience.is_over() || has_all() {
            index.record_waiting(&mut turn);
            start(index);
            return if is_stopped { Err(I::stopped()) } else { Ok(()) };
        }
        let ends = || stop() || patience.is_over();
        let wait = index.step(&mut turn, patience.order, Phase::Foreground, &ends);
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
    lower_priority();
    loop {
        let Some(own) = index.upgrade() else { return };
        // This thread holds one strong reference; if it is the only one, the index is unused.
        let stop = || Arc::strong_count(&own) == 1;
        let lifecycle = own.lifecycle();
        let Some(mut turn) = lock_unless_stopped(&lifecycle.turn, PAUSE, &stop) else { return };
        if stop() {
            return;
        }
        let mut wait = Duration::ZERO;
        if I::pending(&turn) > 0 {
            let ends = || stop() || lifecycle.callers.load(Ordering::Relaxed) > 0;
            wait = own.step(&mut turn, Order::by_path(), Phase::Background, &ends);
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
