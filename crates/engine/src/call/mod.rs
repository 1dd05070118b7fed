//! Context of a call: session, deadline and permissions.

pub(crate) mod nested;
pub(crate) mod permissions;

use crate::{
    failure::{Failure, Hint, Kind},
    session::{
        Session,
        freshness::{ExpectedHashes, Fresh},
    },
};
use nested::CallGateway;
use permissions::{MayRead, NoPermissions, Permissions};
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_workspace::{Cause, WorkspacePath};

/// A future that resolves to the answer of another program, for example an editor or a model.
pub type AnswerFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Session, limits and permissions of one call.
#[derive(Clone)]
pub struct CallCtx {
    /// The state shared by the calls of one client.
    pub session: Arc<Session>,
    /// Cancelled when the caller abandons the call or the deadline passes.
    pub cancel: CancellationToken,
    /// The deadline; `None` for no time limit. When it passes, the call returns the results that were found until
    /// then, or fails with `Timeout`.
    pub deadline: Option<Instant>,
    /// The time at which all operations of the call stop waiting for indexes that are still being built;
    /// `None` if each operation has a separate limit.
    pub index_wait_end: Option<Instant>,
    /// The permissions for accesses that become known only while the call runs.
    pub permissions: Arc<dyn Permissions>,
    /// The reads that are required before the call may write an existing file.
    pub fresh: Fresh,
    /// The hashes of the content that the caller has seen, for the files that the call writes.
    pub expected: Arc<ExpectedHashes>,
    /// Receives progress reports, for example during a long search.
    pub progress: Progress,
    /// The tool, the session and other facts about the call, which the change history records with each
    /// change.
    pub cause: Arc<Cause>,
    /// The gateway for nested calls; `None` if the operation may not make any.
    pub gateway: Option<Arc<dyn CallGateway>>,
}

impl CallCtx {
    /// Creates the context of a call without permissions beyond the accesses that the request names.
    ///
    /// No constructor grants permissions. Code that forgets the policy check therefore gets refusals.
    #[must_use]
    pub fn denied(session: Arc<Session>) -> Self {
        Self {
            session,
            cancel: CancellationToken::new(),
            deadline: None,
            index_wait_end: None,
            permissions: Arc::new(NoPermissions),
            fresh: Fresh::REQUIRED,
            expected: Arc::default(),
            progress: Progress::silent(),
            cause: Arc::default(),
            gateway: None,
        }
    }

    /// Returns true if the call may read a file that it found while it runs.
    #[must_use]
    pub fn may_read(&self, path: &WorkspacePath) -> bool {
        self.permissions.may_read(path)
    }

    /// Returns a function that returns true for files that the call may read. Background work can keep the
    /// function after the call ends.
    #[must_use]
    pub fn read_filter(&self) -> MayRead {
        self.permissions.read_filter()
    }

    /// Returns a copy whose deadline is at most `time` from now; if `time` is `None`, the deadline stays
    /// unchanged.
    #[must_use]
    pub fn within(&self, time: Option<Duration>) -> Self {
        let own = time.and_then(|time| Instant::now().checked_add(time));
        let deadline = match (self.deadline, own) {
            (Some(deadline), Some(own)) => Some(deadline.min(own)),
            (deadline, own) => deadline.or(own),
        };
        Self { deadline, ..self.clone() }
    }

    /// Returns the time until the deadline, at most `most`; without a deadline, returns `most`.
    #[must_use]
    pub fn time_left(&self, most: Duration) -> Duration {
        self.deadline.map_or(most, |deadline| deadline.saturating_duration_since(Instant::now()).min(most))
    }

    /// Returns the gateway for nested calls.
    ///
    /// # Errors
    /// `Denied` if this call may not make nested calls, for example because it is nested in another one.
    pub fn gateway(&self) -> Result<&Arc<dyn CallGateway>, Failure> {
        self.gateway.as_ref().ok_or_else(|| {
            let what = "This tool calls other tools, so it cannot run inside another call.";
            Failure::new(Kind::Denied, what).hint(Hint::Advice("Call this tool separately.".to_owned()))
        })
    }

    /// Checks that the call may continue.
    ///
    /// # Errors
    /// `Cancelled` if the call was cancelled, `Timeout` if its deadline has passed.
    pub fn check(&self) -> Result<(), Failure> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Failure::new(
                Kind::Timeout,
                "The deadline of this call passed before it finished; nothing was changed.",
            ));
        }
        if self.cancel.is_cancelled() {
            return Err(Failure::new(
                Kind::Cancelled,
                "The call was cancelled before it finished; nothing was changed.",
            ));
        }
        Ok(())
    }
}

/// A listener for the progress of a call.
#[derive(Clone)]
pub struct Progress {
    hear: Arc<Listener>,
    /// The highest count that any stage of the call reported.
    highest: Arc<AtomicU64>,
    /// The highest count before this stage, to which the counts of this stage are added.
    base: u64,
}

type Listener = dyn Fn(u64, &str) + Send + Sync;

impl Progress {
    /// Creates a listener from a function. The function takes a number that only grows, such as the number of
    /// files searched so far, and a short description of the progress.
    pub fn new(hear: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        Self { hear: Arc::new(hear), highest: Arc::default(), base: 0 }
    }

    /// Creates a listener that ignores all reports.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(|_, _| ())
    }

    /// Returns a listener for the next stage of the call, which counts from 0 again. The reported numbers continue from
    /// those of the stages before, because a client ignores a number that does not grow.
    #[must_use]
    pub fn stage(&self) -> Self {
        Self { base: self.highest.load(Ordering::Relaxed), ..self.clone() }
    }

    /// Reports progress: a number that only grows within a stage, and a short description.
    pub fn tell(&self, count: u64, what: &str) {
        let count = self.base.saturating_add(count);
        self.highest.fetch_max(count, Ordering::Relaxed);
        (self.hear)(count, what);
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;
    use std::sync::{Arc, Mutex};

    #[test]
    fn counts_of_a_later_stage_continue_those_of_the_stages_before() {
        let heard: Arc<Mutex<Vec<(u64, String)>>> = Arc::default();
        let hears = heard.clone();
        let progress = Progress::new(move |count, what| hears.lock().unwrap().push((count, what.to_owned())));
        let stages: [(&str, &[u64]); 3] = [("walk", &[2000, 4000]), ("read", &[300, 800]), ("links", &[300])];
        for (what, counts) in stages {
            let stage = progress.stage();
            counts.iter().for_each(|count| stage.tell(*count, what));
        }
        let wanted = [(2000, "walk"), (4000, "walk"), (4300, "read"), (4800, "read"), (5100, "links")];
        assert_eq!(*heard.lock().unwrap(), wanted.map(|(count, what)| (count, what.to_owned())));
    }
}
