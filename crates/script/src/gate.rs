//! Process-wide limits on running scripts, and on scripts that could not be stopped.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of concurrent scripts; others wait.
const AT_ONCE: usize = 4;
/// Maximum number of scripts that did not stop; with that many, no further script starts.
const MOST_LEFT: usize = 2;

static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Waits for a permit; refused while too many scripts have not stopped.
pub(crate) async fn turn() -> Option<SemaphorePermit<'static>> {
    let turn = TURNS.acquire().await.ok()?;
    (LEFT.load(Ordering::Acquire) < MOST_LEFT).then_some(turn)
}

/// The thread of one script, whose end is noticed even after it was abandoned.
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
    /// Counts the thread as abandoned.
    pub(crate) fn leave(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Awaited {
            *state = State::Left;
            LEFT.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Records the end of the thread.
    pub(crate) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *state, State::Outcome) == State::Left {
            LEFT.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
