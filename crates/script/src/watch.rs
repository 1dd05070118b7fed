//! Enforcement of the limits of one script: by an interrupt while it computes, and by a timer while it waits.

use crate::{Limits, ScriptError, ScriptErrorKind};
use rustix::time::{ClockId, clock_gettime};
use std::{
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// The limits of one running script, and the reason to stop it.
pub(crate) struct Watch {
    compute: Duration,
    due: Instant,
    /// Cancelled when the caller no longer needs the script's result.
    pub(crate) cancel: CancellationToken,
    /// The reason why the script must stop; only the first one is recorded.
    stop: OnceLock<ScriptErrorKind>,
    /// The CPU time of the script's thread at the last answer of the host, and the CPU time that the script had used
    /// until then.
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

    /// Returns whether the script must stop, and records the reason. Must be called on the script's thread.
    pub(crate) fn looks(&self) -> bool {
        if self.stop.get().is_some() {
            return true;
        }
        let why = if self.cancel.is_cancelled() {
            ScriptErrorKind::Cancelled
        } else if Instant::now() >= self.due {
            ScriptErrorKind::Time
        } else if self.computed() > self.compute {
            ScriptErrorKind::Compute
        } else {
            return false;
        };
        self.stop(why);
        true
    }

    /// Records that the script must stop; only the first reason is kept.
    pub(crate) fn stop(&self, why: ScriptErrorKind) {
        let _ = self.stop.set(why);
    }

    /// Returns the reason why the script must stop; `None` if it may continue.
    pub(crate) fn stopped(&self) -> Option<ScriptErrorKind> {
        self.stop.get().copied()
    }

    /// Restarts the CPU time limit, because the host has answered.
    pub(crate) fn begin(&self) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = processor();
        let since = std::mem::replace(&mut clock.since, now);
        clock.used += now.saturating_sub(since);
    }

    /// Starts to measure the CPU time of the script. Must be called on the script's thread.
    pub(crate) fn start(&self) {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).since = processor();
    }

    fn computed(&self) -> Duration {
        let since = self.clock.lock().unwrap_or_else(PoisonError::into_inner).since;
        processor().saturating_sub(since)
    }

    /// Returns the CPU time that the script had used at the last answer of the host.
    pub(crate) fn used(&self) -> Duration {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).used
    }

    /// Waits until the script's time limit is reached or the caller cancels it, and records that it must stop.
    pub(crate) async fn over(&self) {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => self.stop(ScriptErrorKind::Cancelled),
            () = tokio::time::sleep_until(self.due.into()) => self.stop(ScriptErrorKind::Time),
        }
    }

    /// Creates the failure for a script that had to stop; `None` if it may continue.
    pub(crate) fn fault(&self, limits: &Limits) -> Option<ScriptError> {
        let why = self.stopped()?;
        let message = match why {
            ScriptErrorKind::Compute => {
                format!("it computed for more than {} s without a call", limits.compute.as_secs_f32())
            }
            ScriptErrorKind::Time => format!("its time limit of {} s was reached", limits.wall.as_secs_f32()),
            ScriptErrorKind::Calls => format!("it made more than {} calls", limits.calls),
            ScriptErrorKind::Cancelled => "the caller cancelled".to_owned(),
            _ => "it was stopped".to_owned(),
        };
        Some(ScriptError::new(why, message))
    }
}

/// Returns the CPU time of the current thread.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}
