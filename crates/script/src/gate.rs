//! Limits for the whole process on concurrent scripts, and on abandoned threads, whose scripts did not stop.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of scripts that run at the same time; further ones wait.
const AT_ONCE: usize = 4;
/// Number of abandoned threads at which further scripts are refused.
const MOST_LEFT: usize = 2;

static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Waits for a permit to run a script; `None` if too many abandoned threads are running.
pub(crate) async fn turn() -> Option<SemaphorePermit<'static>> {
    let turn = TURNS.acquire().await.ok()?;
    (LEFT.load(Ordering::Acquire) < MOST_LEFT).then_some(turn)
}

/// The state of one script's thread: awaited, abandoned or ended. The end is recorded even if no caller waits for it
/// any more.
#[derive(Clone, Default)]
pub(crate) struct Thread(Arc<Mutex<State>>);

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Awaited,
    Left,
    Outcome,
}

impl Thread {
    /// Counts the thread as abandoned (still running, but no longer awaited), unless it has ended.
    pub(crate) fn leave(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Awaited {
            *state = State::Left;
            LEFT.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Records that the thread has ended. If it was counted as abandoned, it is not counted any more.
    pub(crate) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *state, State::Outcome) == State::Left {
            LEFT.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
