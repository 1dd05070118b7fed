//! What one call brings along: its session, its clock, its permissions.

use crate::{Failure, Kind, Session};
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_workspace::{ContentHash, WorkspacePath};

/// Says whether a file found on the way (by a walk) may be read without asking.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// The content that the caller has last seen of each file that it writes.
pub type Expected = HashMap<WorkspacePath, ContentHash>;

/// Whether a write needs an earlier read of the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fresh {
    /// An existing file must have been read; a whole overwrite needs the present content to be what was read.
    Required,
    /// A file that was never read may be overwritten; one that was read and changed since may not.
    NotAsked,
}

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
    /// Whether a write needs a read.
    pub fresh: Fresh,
    /// The content that the caller has seen of the files that it writes.
    pub expected: Expected,
    /// Hears how far a long walk has come.
    pub progress: Progress,
}

impl CallCtx {
    /// Makes the context of a call that is not limited by anything.
    #[must_use]
    pub fn unlimited(session: Arc<Session>) -> Self {
        Self {
            session,
            cancel: CancellationToken::new(),
            deadline: None,
            may_read: Arc::new(|_| true),
            fresh: Fresh::NotAsked,
            expected: Expected::new(),
            progress: Progress::silent(),
        }
    }

    /// Gives how long the call may still take, at most `most`.
    #[must_use]
    pub fn time_left(&self, most: Duration) -> Duration {
        self.deadline.map_or(most, |deadline| deadline.saturating_duration_since(Instant::now()).min(most))
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
