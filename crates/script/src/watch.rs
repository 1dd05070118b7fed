//! Watches over the limits of one script, from the inside while it computes and from the outside while it waits.

use crate::{Fault, Limits, Why};
use rustix::time::{ClockId, clock_gettime};
use std::{
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// Watches over one script.
pub(crate) struct Watch {
    compute: Duration,
    due: Instant,
    /// Set when nobody waits for the script any more.
    pub(crate) cancel: CancellationToken,
    /// Why it is to stop; the first reason counts.
    stop: OnceLock<Why>,
    /// The processor's time when the host last answered, and what was used before.
    clock: Mutex<Clock>,
}

#[derive(Default)]
struct Clock {
    since: Duration,
    used: Duration,
}

impl Watch {
    pub(crate) fn new(limits: &Limits, cancel: CancellationToken) -> Self {
        let now = Instant::now();
        let due = now.checked_add(limits.wall).unwrap_or(now);
        Self { compute: limits.compute, due, cancel, stop: OnceLock::new(), clock: Mutex::default() }
    }

    /// Looks whether the script has to stop; it is called on the script's own thread.
    pub(crate) fn looks(&self) -> bool {
        if self.stop.get().is_some() {
            return true;
        }
        let why = if self.cancel.is_cancelled() {
            Why::Cancelled
        } else if Instant::now() >= self.due {
            Why::Time
        } else if self.computed() > self.compute {
            Why::Compute
        } else {
            return false;
        };
        self.stop(why);
        true
    }

    /// Says that the script has to stop.
    pub(crate) fn stop(&self, why: Why) {
        let _ = self.stop.set(why);
    }

    /// Gives why the script had to stop.
    pub(crate) fn stopped(&self) -> Option<Why> {
        self.stop.get().copied()
    }

    /// Begins the time of the processor anew: the host has answered.
    pub(crate) fn begin(&self) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = processor();
        let since = std::mem::replace(&mut clock.since, now);
        clock.used += now.saturating_sub(since);
    }

    /// Sets the clock of the thread on which the script runs.
    pub(crate) fn start(&self) {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).since = processor();
    }

    fn computed(&self) -> Duration {
        let since = self.clock.lock().unwrap_or_else(PoisonError::into_inner).since;
        processor().saturating_sub(since)
    }

    /// Gives how much of the processor's time was used up to the last answer.
    pub(crate) fn used(&self) -> Duration {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).used
    }

    /// Waits until the time is up or the caller gives up.
    pub(crate) async fn over(&self) {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => self.stop(Why::Cancelled),
            () = tokio::time::sleep_until(self.due.into()) => self.stop(Why::Time),
        }
    }

    /// Words why the script had to stop.
    pub(crate) fn fault(&self, limits: &Limits) -> Option<Fault> {
        let why = self.stopped()?;
        let message = match why {
            Why::Compute => {
                format!("it computed for more than {} s without a call", limits.compute.as_secs_f32())
            }
            Why::Time => format!("its time of {} s was up", limits.wall.as_secs_f32()),
            Why::Calls => format!("it made more than {} calls", limits.calls),
            Why::Cancelled => "the caller gave up".to_owned(),
            _ => "it had to stop".to_owned(),
        };
        Some(Fault::new(why, message))
    }
}

/// Gives the time of the processor that this thread has used.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}
