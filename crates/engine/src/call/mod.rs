//! Context of a call: session, deadline and permissions.

pub(crate) mod nested;
pub(crate) mod permissions;

use crate::{
    failure::{Failure, Hint, Kind},
    session::{
        Session,
        freshness::{Expected, Fresh},
    },
};
use nested::CallGateway;
use permissions::{MayRead, NoPermissions, Permissions};
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_workspace::{Cause, WorkspacePath};

/// Answer of another program, as a future.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Session, limits and permissions of one call.
#[derive(Clone)]
pub struct CallCtx {
    /// The state shared by the calls of one client.
    pub session: Arc<Session>,
    /// Set when the caller gives up or the deadline passes.
    pub cancel: CancellationToken,
    /// The deadline; the reply holds the results available by then.
    pub deadline: Option<Instant>,
    /// The permissions for accesses that the call finds while it runs.
    pub permissions: Arc<dyn Permissions>,
    /// The rule that a write needs an earlier read.
    pub fresh: Fresh,
    /// The content that the caller has seen of the files that it writes.
    pub expected: Arc<Expected>,
    /// Receives the progress of a long walk.
    pub progress: Progress,
    /// The identity of the call, for the history of changes.
    pub cause: Arc<Cause>,
    /// The gateway for nested calls; `None` if the operation may not make any.
    pub gateway: Option<Arc<dyn CallGateway>>,
}

impl CallCtx {
    /// Creates the context of a call that may do nothing beyond its own accesses; every permission is granted
    /// explicitly.
    ///
    /// No constructor grants anything: a caller that skips the policy gets refusals, not access.
    #[must_use]
    pub fn denied(session: Arc<Session>) -> Self {
        Self {
            session,
            cancel: CancellationToken::new(),
            deadline: None,
            permissions: Arc::new(NoPermissions),
            fresh: Fresh::REQUIRED,
            expected: Arc::default(),
            progress: Progress::silent(),
            cause: Arc::default(),
            gateway: None,
        }
    }

    /// Returns true if a file that the call finds may be read.
    #[must_use]
    pub fn may_read(&self, path: &WorkspacePath) -> bool {
        self.permissions.may_read(path)
    }

    /// Returns the test for files that may be read, for work that outlives the call.
    #[must_use]
    pub fn read_filter(&self) -> MayRead {
        self.permissions.read_filter()
    }

    /// Returns the same context with a shorter deadline, if a time is given.
    #[must_use]
    pub fn within(&self, time: Option<Duration>) -> Self {
        let own = time.and_then(|time| Instant::now().checked_add(time));
        let deadline = match (self.deadline, own) {
            (Some(deadline), Some(own)) => Some(deadline.min(own)),
            (deadline, own) => deadline.or(own),
        };
        Self { deadline, ..self.clone() }
    }

    /// Returns the remaining time of the call, at most `most`.
    #[must_use]
    pub fn time_left(&self, most: Duration) -> Duration {
        self.deadline.map_or(most, |deadline| deadline.saturating_duration_since(Instant::now()).min(most))
    }

    /// Returns the gateway for nested calls.
    ///
    /// # Errors
    /// `Denied` if this call is itself nested.
    pub fn gateway(&self) -> Result<&Arc<dyn CallGateway>, Failure> {
        self.gateway.as_ref().ok_or_else(|| {
            let what = "This tool makes calls of its own, which no call inside of another can do.";
            Failure::new(Kind::Denied, what).hint(Hint::Advice("Call it by itself.".to_owned()))
        })
    }

    /// Checks that the call may continue.
    ///
    /// # Errors
    /// `Cancelled` when the token is set, `Timeout` when the deadline has passed.
    pub fn check(&self) -> Result<(), Failure> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Failure::new(
                Kind::Timeout,
                "The deadline of this call passed before it was done; nothing was changed.",
            ));
        }
        if self.cancel.is_cancelled() {
            return Err(Failure::new(
                Kind::Cancelled,
                "The call was cancelled before it was done; nothing was changed.",
            ));
        }
        Ok(())
    }
}

/// A listener for the progress of a call.
#[derive(Clone)]
pub struct Progress(Arc<Listener>);

type Listener = dyn Fn(u64, &str) + Send + Sync;

impl Progress {
    /// Creates a listener from a function that takes a growing count and the name of the counted items.
    pub fn new(hear: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Creates a listener that ignores all reports.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(|_, _| ())
    }

    /// Reports the progress of the call.
    pub fn tell(&self, count: u64, what: &str) {
        (self.0)(count, what);
    }
}
