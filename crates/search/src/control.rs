//! Deadline, cancellation and number of threads of a search.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use toolpost_workspace::walk::{self, WalkEnd};

/// The deadline, cancellation check and thread count of a search. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Control {
    /// The time at which the search stops; `None` for no deadline.
    pub deadline: Option<Instant>,
    /// The number of threads; by default, the number of cores.
    pub threads: Option<NonZeroUsize>,
    cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

/// The completeness of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Complete {
    /// The search ran to its end.
    #[default]
    Yes,
    /// The deadline passed before the search ended, so there may be more results.
    TimedOut,
    /// The caller cancelled the search before it ended, so there may be more results.
    Cancelled,
}

impl Control {
    /// Sets the time at which the search stops.
    #[must_use]
    pub fn until(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the function that returns true when the search must stop. It is called often, from several threads.
    #[must_use]
    pub fn cancelled_by(mut self, cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.cancelled = Some(Arc::new(cancelled));
        self
    }

    /// Returns the reason why the search must stop, or [`Complete::Yes`] if it may continue.
    pub fn state(&self) -> Complete {
        if self.cancelled.as_ref().is_some_and(|cancelled| cancelled()) {
            return Complete::Cancelled;
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Complete::TimedOut,
            _ => Complete::Yes,
        }
    }

    /// Returns whether the search must stop.
    pub(crate) fn stops(&self) -> bool {
        self.state() != Complete::Yes
    }

    /// Returns the completeness of a search whose directory walk ended with `ended`.
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
        hidden: walk::HiddenFiles,
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
