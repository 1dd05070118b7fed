//! When a search has to end, and on how many threads it runs.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use toolpost_workspace::walk::{self, WalkEnd};

/// Ends a search from outside; cheap to clone.
#[derive(Clone, Default)]
pub struct Control {
    /// When the time is up.
    pub deadline: Option<Instant>,
    /// The number of threads; by default, the number of cores.
    pub threads: Option<NonZeroUsize>,
    cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

/// The completeness of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Complete {
    /// It did.
    #[default]
    Yes,
    /// The time was up first: there may be more.
    TimedOut,
    /// It was cancelled first: there may be more.
    Cancelled,
}

impl Control {
    /// Sets when the time is up.
    #[must_use]
    pub fn until(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets what says that the search was cancelled; it is asked often, from several threads.
    #[must_use]
    pub fn cancelled_by(mut self, cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.cancelled = Some(Arc::new(cancelled));
        self
    }

    /// Returns whether the search has to end, with the reason.
    pub fn state(&self) -> Complete {
        if self.cancelled.as_ref().is_some_and(|cancelled| cancelled()) {
            return Complete::Cancelled;
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Complete::TimedOut,
            _ => Complete::Yes,
        }
    }

    /// Returns whether the search has to end.
    pub(crate) fn stops(&self) -> bool {
        self.state() != Complete::Yes
    }

    /// Returns the completeness of a search after a walk.
    pub(crate) fn verdict(&self, ended: WalkEnd) -> Complete {
        match (ended, self.state()) {
            (WalkEnd::Complete, _) => Complete::Yes,
            (WalkEnd::Stopped, Complete::Yes) => Complete::Cancelled,
            (WalkEnd::Stopped, why) => why,
        }
    }

    pub(crate) fn options(
        &self,
        rules: walk::Rules,
        hidden: walk::Hidden,
        prune: walk::Prune,
    ) -> walk::Options {
        walk::Options { rules, hidden, prune, threads: self.threads }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Control")
            .field("deadline", &self.deadline)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
