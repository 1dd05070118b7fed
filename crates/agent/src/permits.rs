//! Limits on subagents: few run at a time, and each session can start a limited number.

use crate::budget::{Budget, Limits};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use toolpost_engine::{CallCtx, Failure, Hint, Kind};

/// Maximum number of concurrent subagents.
const AT_ONCE: usize = 3;
/// Maximum number of subagents of a session.
const A_SESSION: u32 = 10;
/// Maximum time that a subagent waits for its start.
const QUEUE: Duration = Duration::from_secs(60);
/// Maximum run time of a subagent.
pub(crate) const TIME: Duration = Duration::from_secs(300);

/// Concurrency limit, and the count of each session.
pub(crate) struct Permits {
    at_once: Arc<Semaphore>,
    queue: Duration,
    sessions: Mutex<HashMap<String, Seat>>,
}

/// State of a session.
#[derive(Default)]
struct Seat {
    /// Number of subagents started.
    left: u32,
    /// Budget of the session's own run, if it has one.
    budget: Weak<Budget>,
}

/// Permission for one subagent to run; dropping it releases the slot.
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
}

impl Permits {
    pub(crate) fn new() -> Self {
        Self { at_once: Arc::new(Semaphore::new(AT_ONCE)), queue: QUEUE, sessions: Mutex::default() }
    }

    /// Sets the maximum waiting time.
    pub(crate) fn with_queue(self, queue: Duration) -> Self {
        Self { queue, ..self }
    }

    /// Lets the subagents of a session share its budget.
    pub(crate) fn share(&self, session: &str, budget: &Arc<Budget>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.entry(session.to_owned()).or_default().budget = Arc::downgrade(budget);
    }

    /// Creates the budget of a subagent, within that of the session if it has one.
    pub(crate) fn budget(&self, session: &str, limits: Limits) -> Arc<Budget> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let above = sessions.get(session).and_then(|seat| seat.budget.upgrade());
        above.map_or_else(|| Budget::new(limits), |above| above.part(limits))
    }

    /// Waits for a free slot, within the limit of the session.
    pub(crate) async fn leave(&self, cx: &CallCtx) -> Result<Permit, Failure> {
        let id = cx.session.id();
        let many = {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let seat = sessions.entry(id.to_owned()).or_default();
            seat.left += 1;
            seat.left > A_SESSION
        };
        if many {
            self.give_back(id);
            let what = format!(
                "This session has left {A_SESSION} parts of its work to agents, and more it may not."
            );
            let advice = "Do the rest with the other tools, or tell the user to begin a new session.";
            return Err(Failure::new(Kind::Denied, what).hint(Hint::Advice(advice.to_owned())));
        }
        let waiting = tokio::time::timeout(cx.time_left(self.queue), self.at_once.clone().acquire_owned());
        let permit = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => Err(Failure::new(Kind::Cancelled, "The call was cancelled before an agent was free.")),
            permit = waiting => match permit {
                Ok(Ok(permit)) => Ok(permit),
                Ok(Err(_)) | Err(_) => Err(self.crowded()),
            },
        };
        // A subagent that never started does not count.
        permit.map(|permit| Permit { _permit: permit }).inspect_err(|_| self.give_back(id))
    }

    fn give_back(&self, session: &str) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = sessions.get_mut(session) {
            seat.left = seat.left.saturating_sub(1);
        }
    }

    fn crowded(&self) -> Failure {
        let seconds = self.queue.as_secs_f64();
        let what = format!("{AT_ONCE} agents are at work already, and none was free within {seconds} s.");
        Failure::new(Kind::Timeout, what).hint(Hint::TryAgain)
    }
}
