//! Context of a call: its session, its deadline and its permissions.

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

/// Says whether a file found on the way (by a walk) may be read without asking.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// Says whether a file found on the way (in a directory that is taken as a whole) may be written without asking.
pub type MayWrite = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// Says how far a host may be reached to which an answer leads, without asking; a refusal says why.
pub type MayFetch = Arc<dyn Fn(&Host) -> Result<Reach, String> + Send + Sync>;

/// Says whether work may be left to an agent of that name without asking.
pub type MayDelegate = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Answer of another program, as a future.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// What one call brings along.
#[derive(Clone)]
pub struct CallCtx {
    /// What is remembered between the calls of one client.
    pub session: Arc<Session>,
    /// Set when the caller gave up or the deadline passed.
    pub cancel: CancellationToken,
    /// When the answer is due; what there is by then is the answer.
    pub deadline: Option<Instant>,
    /// Which files a walk may look into.
    pub may_read: MayRead,
    /// Which files may be changed that a directory, taken as a whole, holds.
    pub may_write: MayWrite,
    /// Which hosts may be fetched from.
    pub may_fetch: MayFetch,
    /// Which agents work may be left to on the way.
    pub may_delegate: MayDelegate,
    /// Whether a service may be asked that knows something beside what lies here; why not.
    pub may_consult: Result<(), String>,
    /// Whether a write needs a read.
    pub fresh: Fresh,
    /// The content that the caller has seen of the files that it writes.
    pub expected: Arc<Expected>,
    /// Hears how far a long walk has come.
    pub progress: Progress,
    /// Which call this is, for the history of what was changed.
    pub cause: Arc<Cause>,
    /// Where an operation that makes calls makes them; none where that is not allowed.
    pub door: Option<Arc<dyn FrontDoor>>,
}

impl CallCtx {
    /// Context of a call that may do nothing beyond its own touches; every permission is granted explicitly.
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

    /// Makes the same context with less time, where a time is given.
    #[must_use]
    pub fn within(&self, time: Option<Duration>) -> Self {
        let own = time.and_then(|time| Instant::now().checked_add(time));
        let deadline = match (self.deadline, own) {
            (Some(deadline), Some(own)) => Some(deadline.min(own)),
            (deadline, own) => deadline.or(own),
        };
        Self { deadline, ..self.clone() }
    }

    /// Gives how long the call may still take, at most `most`.
    #[must_use]
    pub fn time_left(&self, most: Duration) -> Duration {
        self.deadline.map_or(most, |deadline| deadline.saturating_duration_since(Instant::now()).min(most))
    }

    /// Gives the way in for calls of the operation itself.
    ///
    /// # Errors
    /// When the call is one of those that are made inside of another.
    pub fn door(&self) -> Result<&Arc<dyn FrontDoor>, Failure> {
        self.door.as_ref().ok_or_else(|| {
            let what = "This tool makes calls of its own, which no call inside of another can do.";
            Failure::new(Kind::Denied, what).hint(Hint::Advice("Call it by itself.".to_owned()))
        })
    }

    /// Fails when the caller gave up.
    ///
    /// # Errors
    /// `Cancelled` when the token is set, `Timeout` when the deadline passed.
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

/// Reason of a refusal if no policy granted the permission.
const NOT_GRANTED: &str = "no policy has allowed it for this call";

/// Hears how far a call has come.
#[derive(Clone)]
pub struct Progress(Arc<Listener>);

type Listener = dyn Fn(u64, &str) + Send + Sync;

impl Progress {
    /// Makes a listener of a function that takes a growing count and what is counted.
    pub fn new(hear: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Makes a listener that does not listen.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(|_, _| ())
    }

    /// Tells how far the call has come.
    pub fn tell(&self, count: u64, what: &str) {
        (self.0)(count, what);
    }
}
