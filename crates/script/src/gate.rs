//! How many scripts run at once in this process, and how many that could not be ended may be left.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// So many scripts run at the same time; others wait for their turn.
const AT_ONCE: usize = 4;
/// With so many left over that do not stop, no further script is begun.
const MOST_LEFT: usize = 2;

static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Waits for a turn; none is given while too many scripts are left over.
pub(crate) async fn turn() -> Option<SemaphorePermit<'static>> {
    let turn = TURNS.acquire().await.ok()?;
    (LEFT.load(Ordering::Acquire) < MOST_LEFT).then_some(turn)
}

/// The thread of one script: when it was given up, its end is noticed all the same.
#[derive(Clone, Default)]
pub(crate) struct Thread(Arc<Mutex<State>>);

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Awaited,
    Left,
    Ended,
}

impl Thread {
    /// Counts the thread as left over.
    pub(crate) fn leave(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Awaited {
            *state = State::Left;
            LEFT.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Says that the thread has come to its end.
    pub(crate) fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *state, State::Ended) == State::Left {
            LEFT.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
