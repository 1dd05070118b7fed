//! The lifecycle of an index: updates within a caller's time limit, which a background thread then continues.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, Instant};

use toolpost_workspace::{Workspace, WorkspacePath, lower_priority, memory};

use crate::rescan::Patrol;
use crate::sweep::{ScanResult, ScannedFile, UpdateError};

/// The interval at which a caller that waits for the lock tries again and checks whether to stop.
const PAUSE: Duration = Duration::from_millis(1);
/// The minimum time for which the lock is free between two steps of the background thread, or of a caller while another
/// one waits, so that another caller can acquire it.
const BREATH: Duration = Duration::from_millis(4);
/// The minimum time for which a caller with a time limit reads files before it lets another caller in. A caller without
/// a time limit lets other callers in immediately.
const SLICE: Duration = Duration::from_millis(50);

/// A callback that returns the rank of a file; files with a rank are read first, the lowest rank first. `None` means
/// that a file has no rank.
pub type Rank<'a> = dyn Fn(&WorkspacePath) -> Option<usize> + Sync + 'a;
/// A callback that returns true when the work must stop.
pub type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// The time limit of an update, and the files that the caller waits for.
pub struct Patience<'a> {
    /// The end of the time limit; `None` to wait until all files are read.
    until: Option<Instant>,
    order: Order<'a>,
}

/// The order in which new and changed files are read.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// Returns the rank of a file; ranked files are read first.
    pub rank: &'a Rank<'a>,
    /// Set if the caller does not wait for files without a rank, which the background thread reads.
    pub only_ranked: bool,
}

impl Patience<'static> {
    /// Makes the caller wait for all files, without a time limit.
    #[must_use]
    pub fn whole() -> Self {
        Self { until: None, order: Order::by_path() }
    }

    /// Makes the caller wait for all files, at most until a point in time.
    #[must_use]
    pub fn until(until: Instant) -> Self {
        Self { until: Some(until), order: Order::by_path() }
    }
}

impl<'a> Patience<'a> {
    /// Makes the caller wait only for the files with a rank, at most until a point in time. The background thread reads
    /// the other files.
    #[must_use]
    pub fn for_ranked(until: Instant, rank: &'a Rank<'a>) -> Self {
        Self { until: Some(until), order: Order { rank, only_ranked: true } }
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl<'a> Order<'a> {
    /// Returns an order without ranks: the files to read keep their order, which is by path.
    pub fn by_path() -> Order<'static> {
        Order { rank: &|_| None, only_ranked: false }
    }

    /// Sorts the files to read: first those with a rank, then the others, unless these are left to the background
    /// thread.
    pub fn sort<'p, P>(
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

    /// Selects the files to read next: the first in this order, at most `most.0`, with at most `most.1` bytes
    /// together, but at least one if there is any. Of each file, at most `largest` bytes count.
    pub fn batch<'p, P>(
        self,
        pending: impl Iterator<Item = &'p P>,
        file: impl Fn(&P) -> &ScannedFile,
        largest: u64,
        most: (usize, u64),
    ) -> Vec<&'p P> {
        let mut batch = self.sort(pending, |one| &file(one).path);
        let mut bytes = 0;
        let mut fits = |one: &&P| {
            bytes += file(one).stat.len.min(largest);
            bytes <= most.1
        };
        let count = batch.iter().take(most.0).take_while(|one| fits(one)).count();
        batch.truncate(count.max(1));
        batch
    }
}

/// The shared state of an index's lifecycle; `T` is the state that only updates access.
pub struct Lifecycle<T> {
    turn: Mutex<T>,
    /// Set while the background thread runs.
    working: AtomicBool,
    /// Set if only files with a rank are read. Tests use this to get an incomplete index.
    paused: AtomicBool,
    /// The number of callers that wait for the lock on `turn`, the state of the update.
    callers: AtomicUsize,
    /// The number of files that have been read, and the number of files that have not been read yet.
    counts: [AtomicUsize; 2],
    /// The number of files that this process parsed, because the index on disk had no current data for them.
    parsed: AtomicUsize,
}

/// The thread in which a step of an update runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A caller's thread: the caller waits for the update.
    Foreground,
    /// The background thread, while no caller waits.
    Background,
}

/// An index that [`update`] and a background thread keep up to date.
pub trait UpdatableIndex: Send + Sync + Sized + 'static {
    /// The state of the index that only updates access.
    type UpdateState: Send + 'static;
    /// The name of the background thread that continues updates.
    const THREAD: &'static str;

    /// Returns the lifecycle of this index.
    fn lifecycle(&self) -> &Lifecycle<Self::UpdateState>;
    /// Returns the workspace whose files are indexed.
    fn workspace(&self) -> &Workspace;
    /// Returns whether the index covers files with this name.
    fn covers(name: &OsStr) -> bool;
    /// Scans the workspace for new, changed and removed files, without reading files.
    fn scan(&self, turn: &mut Self::UpdateState, stop: &Stop<'_>) -> Result<(), UpdateError>;
    /// Returns the number of files that a scan has found new or changed and that have not been read since.
    fn pending(turn: &Self::UpdateState) -> usize;
    /// Returns whether a file that has to be read has a rank.
    fn has_ranked(turn: &Self::UpdateState, rank: &Rank<'_>) -> bool;
    /// Reads some of the new and changed files in the given order. Returns the time to wait before the next step, which
    /// is not zero if another process is reading the files, for example.
    fn step(&self, turn: &mut Self::UpdateState, order: Order<'_>, phase: Phase, stop: &Stop<'_>)
    -> Duration;
    /// Does the work that remains after all files are read, such as merging parts of the index. Returns whether the
    /// background thread must continue this work.
    fn complete(&self, turn: &mut Self::UpdateState, phase: Phase) -> bool;
    /// Records the new and changed files as waiting, and drops their previous contents from the index.
    fn record_waiting(&self, turn: &mut Self::UpdateState);
    /// Returns the right to scan all files in the background, which only one thread can have. `None` if no full scan is
    /// due, or one is running.
    fn due_rescan(turn: &Self::UpdateState) -> Option<Patrol>;
    /// Compares a scan of all files in the background with the index. Returns the files that were removed or have
    /// changed, which the next update scans again.
    fn differing(&self, swept: &ScanResult) -> Vec<WorkspacePath>;
}

/// An index that can answer before it is complete.
pub trait PartialIndex {
    /// A read lock on the index.
    type Guard<'i>
    where
        Self: 'i;

    /// Updates the index within a time limit, and locks it for reading. Files that were not read in time are listed as
    /// waiting and read in the background. Calls `stop` often, and fails if it returns true.
    ///
    /// # Errors
    /// If a root cannot be read, or the update was stopped.
    fn lend_within(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self::Guard<'_>, UpdateError>;

    /// Lists the new and changed files that are not in the index yet.
    fn waiting<'l>(guard: &'l Self::Guard<'_>) -> &'l [WorkspacePath];
}

impl<T> Lifecycle<T> {
    /// Creates the lifecycle of an index that has not been updated yet.
    pub fn new(turn: T) -> Self {
        Self {
            turn: Mutex::new(turn),
            working: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            callers: AtomicUsize::new(0),
            counts: Default::default(),
            parsed: AtomicUsize::new(0),
        }
    }

    /// Locks the state of updates. The wait for the lock cannot be stopped.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of updates without locking, because the caller has exclusive access.
    pub fn get_mut(&mut self) -> &mut T {
        self.turn.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of files that have been read, and the number of files that have not been read yet. Does not
    /// block.
    pub fn progress(&self) -> (usize, usize) {
        let [read, waiting] = &self.counts;
        (read.load(Ordering::Relaxed), waiting.load(Ordering::Relaxed))
    }

    /// Sets the number of files that have been read, and the number of files that have not been read yet.
    pub fn set_progress(&self, read: usize, waiting: usize) {
        for (own, count) in self.counts.iter().zip([read, waiting]) {
            own.store(count, Ordering::Relaxed);
        }
    }

    /// Pauses reading, until [`Self::resume`]: only files with a rank are read.
    pub fn pause(&self) {
        self.paused.store(true, Ordering::Relaxed);
    }

    /// Resumes reading.
    pub fn resume(&self) {
        self.paused.store(false, Ordering::Relaxed);
    }

    /// Returns the order in which a step reads files: `order`, but only the files with a rank while the index is
    /// paused.
    pub fn order<'a>(&self, order: Order<'a>) -> Order<'a> {
        Order { only_ranked: order.only_ranked || self.paused.load(Ordering::Relaxed), ..order }
    }

    /// Returns the number of files that this process parsed, because the index on disk had no current data for them.
    pub fn parsed(&self) -> usize {
        self.parsed.load(Ordering::Relaxed)
    }

    /// Adds to the number of files that this process parsed.
    pub fn add_parsed(&self, files: usize) {
        self.parsed.fetch_add(files, Ordering::Relaxed);
    }
}

/// Tries to lock a mutex, with a pause after each failure, until it succeeds. Returns `None` if `stop` returns true
/// first.
pub fn lock_unless_stopped<'m, T>(
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

/// Calls `read` with a callback that returns true once `time` has passed, or if `stop` returns true. Then sleeps
/// briefly if `read` has read no file.
pub fn read_for<I: UpdatableIndex>(
    turn: &mut I::UpdateState,
    time: Duration,
    stop: &Stop<'_>,
    read: impl FnOnce(&mut I::UpdateState, &Stop<'_>),
) {
    let (before, until) = (I::pending(turn), Instant::now() + time);
    read(turn, &|| stop() || Instant::now() >= until);
    if I::pending(turn) == before {
        // A paused index reads only files with a rank. Without this sleep, the background thread would use a whole core
        // while it waits.
        std::thread::sleep(PAUSE);
    }
}

/// Waits for the lock on the state of updates. The background thread ends its step early if a caller waits.
fn lock<'i, I: UpdatableIndex>(
    index: &'i I,
    stop: &Stop<'_>,
) -> Result<MutexGuard<'i, I::UpdateState>, UpdateError> {
    let lifecycle = index.lifecycle();
    lifecycle.callers.fetch_add(1, Ordering::Relaxed);
    let turn = lock_unless_stopped(&lifecycle.turn, PAUSE, stop);
    lifecycle.callers.fetch_sub(1, Ordering::Relaxed);
    turn.ok_or(UpdateError::Stopped)
}

/// Scans the workspace for new, changed and removed files, without reading files.
///
/// # Errors
/// If the scan failed or was stopped.
pub fn scan<I: UpdatableIndex>(index: &I, stop: &Stop<'_>) -> Result<(), UpdateError> {
    let mut turn = lock(index, stop)?;
    index.scan(&mut turn, stop)?;
    index.record_waiting(&mut turn);
    Ok(())
}

/// Scans for new, changed and removed files, and reads the new and changed ones within the caller's time limit. The
/// background thread reads those that remain. Concurrent callers take turns; a caller without a time limit lets the
/// others go first.
///
/// # Errors
/// If the scan failed, or the update was stopped.
pub fn update<I: UpdatableIndex>(
    index: &Arc<I>,
    patience: &Patience<'_>,
    stop: &Stop<'_>,
) -> Result<(), UpdateError> {
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
                rescan(index, patrol);
            }
            return Ok(());
        }
        let is_stopped = stop();
        let has_all = || patience.order.only_ranked && !I::has_ranked(&turn, patience.order.rank);
        if is_stopped || patience.is_over() || has_all() {
            index.record_waiting(&mut turn);
            start(index);
            return if is_stopped { Err(UpdateError::Stopped) } else { Ok(()) };
        }
        let callers = &index.lifecycle().callers;
        let slice_ends = Instant::now() + if patience.until.is_some() { SLICE } else { Duration::ZERO };
        let yields = || callers.load(Ordering::Relaxed) > 0 && Instant::now() >= slice_ends;
        let ends = || stop() || patience.is_over() || yields();
        let mut wait = index.step(&mut turn, patience.order, Phase::Foreground, &ends);
        drop(turn);
        // Another caller polls the lock, and would never find it free if this thread locked it again immediately.
        if callers.load(Ordering::Relaxed) > 0 {
            wait = wait.max(BREATH);
        }
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
    }
}

/// Starts a scan of all files in the background.
fn rescan<I: UpdatableIndex>(index: &Arc<I>, patrol: Patrol) {
    let weak = Arc::downgrade(index);
    let used = weak.clone();
    patrol.begin(
        index.workspace(),
        I::covers,
        move || used.strong_count() > 0,
        move |swept| weak.upgrade().map(|index| index.differing(&swept)),
    );
}

/// Starts the background thread, unless it is running.
fn start<I: UpdatableIndex>(index: &Arc<I>) {
    let working = &index.lifecycle().working;
    if working.swap(true, Ordering::AcqRel) {
        return;
    }
    let weak = Arc::downgrade(index);
    let spawned = std::thread::Builder::new().name(I::THREAD.to_owned()).spawn(move || {
        let ending = EndOnPanic(weak);
        work(&ending.0);
    });
    if spawned.is_err() {
        working.store(false, Ordering::Release);
    }
}

/// Marks the background thread as ended if a step panics, so that the next caller can start another one.
///
/// Without a panic, the thread does that itself, while it holds the lock on the state of updates.
struct EndOnPanic<I: UpdatableIndex>(Weak<I>);

impl<I: UpdatableIndex> Drop for EndOnPanic<I> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(index) = self.0.upgrade()
        {
            index.lifecycle().working.store(false, Ordering::Release);
        }
    }
}

/// Reads new and changed files until none is left or the index is dropped; runs on the background thread.
fn work<I: UpdatableIndex>(index: &Weak<I>) {
    lower_priority();
    loop {
        let Some(own) = index.upgrade() else { return };
        // If this thread holds the only strong reference, nothing else uses the index.
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
