//! Context of a call: session, deadline and permissions.

pub(crate) mod nested;

use crate::{
    access::command::Host,
    failure::{Failure, Hint, Kind},
    session::{
        Session,
        freshness::{Expected, Fresh},
    },
};
use nested::FrontDoor;
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_net::Reach;
use toolpost_workspace::{Cause, WorkspacePath};

/// Decides if a call may read a file that a walk found, without a prompt.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// Decides if a call may write a file inside a directory that it handles as a whole, without a prompt.
pub type MayWrite = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// Decides how far a call may reach a host that an answer leads to, without a prompt; a refusal carries its
/// reason.
pub type MayFetch = Arc<dyn Fn(&Host) -> Result<Reach, String> + Send + Sync>;

/// Decides if work may be delegated to the agent with this name, without a prompt.
pub type MayDelegate = Arc<dyn Fn(&str) -> bool + Send + Sync>;

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
    /// The permission to read files that a walk finds.
    pub may_read: MayRead,
    /// The permission to write files inside a directory that a call handles as a whole.
    pub may_write: MayWrite,
    /// The permission to fetch from hosts.
    pub may_fetch: MayFetch,
    /// The permission to delegate to agents during the call.
    pub may_delegate: MayDelegate,
    /// The permission to query an external service in addition to local data, or the reason of its refusal.
    pub may_consult: Result<(), String>,
    /// The rule that a write needs an earlier read.
    pub fresh: Fresh,
    /// The content that the caller has seen of the files that it writes.
    pub expected: Arc<Expected>,
    /// Receives the progress of a long walk.
    pub progress: Progress,
    /// The identity of the call, for the history of changes.
    pub cause: Arc<Cause>,
    /// The gateway for nested calls; `None` if the operation may not make any.
    pub door: Option<Arc<dyn FrontDoor>>,
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
            may_read: Arc::new(|_| false),
            may_write: Arc::new(|_| false),
            may_fetch: Arc::new(|_| Err(NOT_GRANTED.to_owned())),
            may_delegate: Arc::new(|_| false),
            may_consult: Err(NOT_GRANTED.to_owned()),
            fresh: Fresh::REQUIRED,
            expected: Arc::default(),
            progress: Progress::silent(),
            cause: Arc::default(),
            door: None,
        }
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
    pub fn door(&self) -> Result<&Arc<dyn FrontDoor>, Failure> {
        self.door.as_ref().ok_or_else(|| {
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

/// The reason of a refusal if no policy granted the permission.
const NOT_GRANTED: &str = "no policy has allowed it for this call";

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
