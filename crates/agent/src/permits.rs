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
pub const TIME: Duration = Duration::from_secs(300);

/// The limits on subagents, with the count and the budget of each session.
pub struct Permits {
    at_once: Arc<Semaphore>,
    queue: Duration,
    sessions: Mutex<HashMap<String, SessionUsage>>,
}

/// Subagent count and budget of a session.
#[derive(Default)]
struct SessionUsage {
    /// Number of subagents that the session has started, or that wait for their start.
    left: u32,
    /// Budget of the session's own run, if it has one.
    budget: Weak<Budget>,
}

/// Permission for one subagent to run; dropping it releases the slot.
pub struct Permit {
    _permit: OwnedSemaphorePermit,
}

impl Default for Permits {
    fn default() -> Self {
        Self { at_once: Arc::new(Semaphore::new(AT_ONCE)), queue: QUEUE, sessions: Mutex::default() }
    }
}

impl Permits {
    /// Creates the limits, without any session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum time that a subagent waits for its start.
    pub(crate) fn with_queue(self, queue: Duration) -> Self {
        Self { queue, ..self }
    }

    /// Lets the subagents of a session share its budget.
    pub fn share(&self, session: &str, budget: &Arc<Budget>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.entry(session.to_owned()).or_default().budget = Arc::downgrade(budget);
    }

    /// Creates the budget of a subagent, within that of the session if it has one.
    pub fn budget(&self, session: &str, limits: Limits) -> Arc<Budget> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let above = sessions.get(session).and_then(|seat| seat.budget.upgrade());
        above.map_or_else(|| Budget::new(limits), |above| above.part(limits))
    }

    /// Counts a new subagent of the session, and waits for a free slot. Fails, without counting the subagent, if the
    /// session has started too many, if no slot becomes free in time, or if the call is cancelled.
    pub async fn leave(&self, cx: &CallCtx) -> Result<Permit, Failure> {
        let id = cx.session.id();
        let many = {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let seat = sessions.entry(id.to_owned()).or_default();
            seat.left += 1;
            seat.left > A_SESSION
        };
        if many {
            self.give_back(id);
            let what = format!("This session has delegated {A_SESSION} tasks to agents, which is the limit.");
            let advice = "Do the remaining work with the other tools, or ask the user to start a new \
                          session.";
            return Err(Failure::new(Kind::Denied, what).hint(Hint::Advice(advice.to_owned())));
        }
        let patience = cx.time_left(self.queue);
        let waiting = tokio::time::timeout(patience, self.at_once.clone().acquire_owned());
        let permit = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => Err(Failure::new(Kind::Cancelled, "The call was cancelled while \
                                                                             it waited for a free agent.")),
            permit = waiting => match permit {
                Ok(Ok(permit)) => Ok(permit),
                Ok(Err(_)) | Err(_) => Err(crowded(patience)),
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
}

/// Creates the failure for a subagent that waited for the time `patience` without a free slot.
fn crowded(patience: Duration) -> Failure {
    let seconds = (patience.as_secs_f64() * 10.0).round() / 10.0;
    let what = format!("{AT_ONCE} agents are already running, and none finished within {seconds} s.");
    Failure::new(Kind::Timeout, what).hint(Hint::TryAgain)
}

#[cfg(test)]
mod tests {
    use super::Permits;
    use std::time::{Duration, Instant};
    use toolpost_engine::{CallCtx, Session};
    use toolpost_test_rows::each_async;

    #[tokio::test]
    async fn a_refused_start_names_the_time_that_it_waited() {
        let permits = Permits::new().with_queue(Duration::from_millis(100));
        let call = |deadline| CallCtx { deadline, ..CallCtx::denied(Session::new()) };
        let mut running = Vec::new();
        for _ in 0..3 {
            running.push(permits.leave(&call(None)).await.unwrap());
        }
        let now = Instant::now();
        let later = now.checked_add(Duration::from_secs(600));
        each_async([(None, "0.1 s"), (later, "0.1 s"), (Some(now), "0 s")], async |(deadline, time)| {
            let failure = permits.leave(&call(deadline)).await.err().unwrap();
            let wanted = format!("3 agents are already running, and none finished within {time}.");
            assert_eq!(failure.what, wanted);
        })
        .await;
    }
}
